/// \file
/// Included ahead of a CUDA file that clang turns into PTX, the instructions that the time model counts.
/// No CUDA toolkit is needed: clang's own CUDA mode reads the file against the emulator's headers, and the
/// headers in this folder stand in for those of them that would wait for the emulator's engine.
#pragma once

// Functions of the mathematical library. clang does not unroll loops with calls, and nvcc has no calls there: a
// call is written as an addition that rounds up, to its number in the list, and nothing else rounds up here.
enum BfMath {
#define BF_MATH_1(T, NAME, ...) bf_math_##NAME,
#define BF_MATH_2 BF_MATH_1
#define BF_CUDA_1 BF_MATH_1
#include "library_calls.def"
#undef BF_MATH_1
#undef BF_MATH_2
};
#define BF_INLINE inline __attribute__((host, device, always_inline))
BF_INLINE float bf_call(float id, float x) { return __nvvm_add_rp_f(x, id); }
BF_INLINE float bf_call(float id, float x, float y) { return __nvvm_fma_rp_f(x, y, id); }
BF_INLINE double bf_call(double id, double x) { return __nvvm_add_rp_d(x, id); }
BF_INLINE double bf_call(double id, double x, double y) { return __nvvm_fma_rp_d(x, y, id); }
#define BF_MATH_1(T, NAME, ...) \
  extern "C" BF_INLINE T NAME(T x) noexcept { return bf_call(T(bf_math_##NAME), x); }
#define BF_MATH_2(T, NAME, ...) \
  extern "C" BF_INLINE T NAME(T x, T y) noexcept { return bf_call(T(bf_math_##NAME), x, y); }
#include "library_calls.def"
#undef BF_MATH_1
#undef BF_MATH_2
#undef BF_CUDA_1
#undef BF_INLINE

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

// nvcc places arrays so that neighbours can be loaded sixteen bytes at a time.
#undef __shared__
#define __shared__ __attribute__((shared)) __attribute__((aligned(16)))

// `__shared__ alignas(16) float x[4];`: nvcc takes the two in any order, clang only attributes of one kind.
#define alignas(...) __attribute__((aligned(__VA_ARGS__)))
