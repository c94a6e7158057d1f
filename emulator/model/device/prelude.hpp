/// \file
/// Included ahead of a CUDA file that clang turns into PTX, the instructions that the time model counts.
/// No CUDA toolkit is needed: clang's own CUDA mode reads the file against the emulator's headers, and the
/// headers in this folder stand in for those of them that would wait for the emulator's engine.
#pragma once

#include "emu/for_editors.hpp"

#undef __launch_bounds__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

// What clang makes of `<<<…>>>` on the host's side, which is not compiled here.
extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, void * = nullptr);

// clang declares these, and leaves it to the CUDA toolkit to say what they do.
__host__ __device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return {x, y, z}; }
__host__ __device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return {x, y, z}; }
__host__ __device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return {x, y, z}; }
__host__ __device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return {x, y, z}; }
__host__ __device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return {x, y, z}; }
__host__ __device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return {x, y, z}; }

// `__shared__ alignas(16) float x[4];`: nvcc takes the two in any order, clang only attributes of one kind.
#define alignas(...) __attribute__((aligned(__VA_ARGS__)))
