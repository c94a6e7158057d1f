// The CUDA runtime API on the host side.
#pragma once

#include "emu/runtime/driver_types.hpp"
#include "emu/runtime/errors.hpp"
#include "emu/runtime/runtime_device.hpp"
#include "emu/runtime/runtime_functions.hpp"
#include "emu/runtime/runtime_graphs.hpp"
#include "emu/runtime/runtime_launch.hpp"
#include "emu/runtime/runtime_memory.hpp"
#include "emu/runtime/runtime_streams.hpp"
