// The CPU backend's cuda_runtime.h: everything that nvcc gives a .cu file without being asked.
#pragma once

#define BUILD_FIRST_EMULATOR 1

// What programs ask to tell which compiler and which CUDA they meet. __CUDA_ARCH__ is emu/language/device_pass.hpp's.
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDA_ARCH_LIST__ 900
#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif

// The include guards of CUDA's own headers: helper headers ask for them to learn what is there.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_TYPES_H__
#define __DRIVER_TYPES_H__
#define __TEXTURE_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __VECTOR_TYPES_H__

#include <emu/language/keywords.hpp>

// From C++20 on <math.h> brings std::lerp into the global namespace, where programs have their own.
#include <cmath>
#define lerp abs
#include <math.h>
#undef lerp

// nvcc includes these on its own, and programs rely on it.
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <emu/engine/engine.hpp>
#include <emu/engine/launch.hpp>
#include <emu/language/device_variable.hpp>
#include <emu/language/types.hpp>
#include <emu/math/math.hpp>
#include <emu/memory/atomics.hpp>
#include <emu/memory/device_functions.hpp>
#include <emu/memory/memory_hints.hpp>
#include <emu/memory/nv_atomics.hpp>
#include <emu/runtime/runtime_api.hpp>
#include <emu/textures/textures.hpp>
#include <emu/warp/clusters.hpp>
#include <emu/warp/sync.hpp>
#ifdef __clang__ // for g++ the rewriter includes it where a source has assembler
#include <emu/ptx/ptx.hpp>
#endif
