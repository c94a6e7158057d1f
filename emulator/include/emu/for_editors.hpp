/// \file
/// Included ahead of a CUDA file by clangd alone, the parser behind many editors: with it clang's own
/// CUDA mode, which knows `<<<…>>>`, reads the file against the emulator's headers. Nothing is
/// compiled this way; compile_commands.json names this file (`./tutor editor` writes it).
#pragma once

#ifdef __CUDA__

// C's headers are for both sides: printf, assert and sqrtf. Only C's: C++'s are not written for it.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#pragma clang force_cuda_host_device begin
#include <assert.h>
#include <math.h>
#include <stdio.h>
#pragma clang force_cuda_host_device end
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <stdlib.h>

#include "emu/language/keywords.hpp" // in which the keywords mean nothing
#undef __constant__
#undef __device__
#undef __global__
#undef __host__
#undef __managed__
#define __constant__ __attribute__((constant))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __managed__ __attribute__((device))
#define __shared__ __attribute__((shared))

// clang's <new> has an operator for devices that the host's headers then fall over: the host's own.
#if __has_include(<ext/../new>)
#define __CLANG_CUDA_WRAPPERS_NEW
#include <ext/../new>
#endif

// The host's headers first: what follows them is for both sides.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// The host's mathematics has functions of these names, which cannot be overloaded for a device.
#define __cosf emu_cosf
#define __exp10f emu_exp10f
#define __expf emu_expf
#define __log10f emu_log10f
#define __log2f emu_log2f
#define __logf emu_logf
#define __powf emu_powf
#define __sincosf emu_sincosf
#define __sinf emu_sinf
#define __tanf emu_tanf
#define __tanhf emu_tanhf

#pragma clang force_cuda_host_device begin
#include "cuda_runtime.h"

#include "cooperative_groups.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_pipeline.h"
#include "emu/groups/group_collectives.hpp"

#include "cuda/atomic"
#include "cuda/barrier"
#include "cuda/pipeline"
#include "cuda/ptx"
#pragma clang force_cuda_host_device end

extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = nullptr);

#endif
