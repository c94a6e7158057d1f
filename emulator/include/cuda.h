// Names of the driver API that programs on the runtime API meet. No driver call is emulated.
#pragma once
#define __cuda_cuda_h__ // programs ask for it

#include "emu/runtime/driver_types.hpp"

#ifndef CUDA_VERSION
#define CUDA_VERSION 13000
#endif

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
