// The runtime API without the device side, as host code includes it.
#pragma once

#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif

#include <emu/language/keywords.hpp>

#include <emu/runtime/runtime_api.hpp>
