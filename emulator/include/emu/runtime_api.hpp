// The CUDA runtime API on the host side.
#pragma once

#include "emu/driver_types.hpp"
#include "emu/errors.hpp"
#include "emu/runtime_device.hpp"
#include "emu/runtime_functions.hpp"
#include "emu/runtime_graphs.hpp"
#include "emu/runtime_launch.hpp"
#include "emu/runtime_memory.hpp"
#include "emu/runtime_streams.hpp"
