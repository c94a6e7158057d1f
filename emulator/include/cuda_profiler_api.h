// Starting and stopping a profiler.
#pragma once

#include "emu/runtime_device.hpp"
