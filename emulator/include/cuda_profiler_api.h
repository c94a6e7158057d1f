// Starting and stopping a profiler.
#pragma once
#define __CUDA_PROFILER_API_H__ // programs ask for it

#include <emu/runtime/runtime_device.hpp>
