/// @file
/// Sum, minimum and maximum are one kernel: all it needs is an operation, associative and
/// commutative, and its identity. (The mean is a sum, divided.)
#pragma once

#include "problem.hpp"

#include <cmath>

/// An operation of type T: identity() changes nothing, combine(a, b) merges two results.
template <class T> struct Sum {
  __host__ __device__ static T identity() { return 0; }
  __host__ __device__ static T combine(T a, T b) { return a + b; }
};

struct Min {
  __host__ __device__ static float identity() { return INFINITY; }
  __host__ __device__ static float combine(float a, float b) { return a < b ? a : b; }
};

struct Max {
  __host__ __device__ static float identity() { return -INFINITY; }
  __host__ __device__ static float combine(float a, float b) { return a > b ? a : b; }
};

namespace one_primitive {

inline constexpr unsigned block = 256;

template <class Op, class T> __device__ T warp_reduce(T value) {
#pragma unroll
  for (unsigned offset = 16; offset > 0; offset /= 2)
    value = Op::combine(value, __shfl_down_sync(0xffffffffu, value, offset));
  return value;
}

/// v7 with Op in place of +, and T, the type of the result, in place of the type of the elements:
/// ints summed as long long do not overflow, floats summed as double lose less.
template <class Op, class T, class In> __global__ void reduce(const In *in, size_t n, T *out) {
  __shared__ T s_data[32]; // one per warp
  const unsigned tid = threadIdx.x;
  const unsigned lane = tid % 32;
  const unsigned warp = tid / 32;
  const size_t threads = static_cast<size_t>(gridDim.x) * block;
  T value = Op::identity();
  for (size_t i = static_cast<size_t>(blockIdx.x) * block + tid; i < n; i += threads)
    value = Op::combine(value, static_cast<T>(in[i]));

  value = warp_reduce<Op>(value);
  if (lane == 0)
    s_data[warp] = value;
  __syncthreads();

  if (warp == 0) {
    value = warp_reduce<Op>(lane < block / 32 ? s_data[lane] : Op::identity());
    if (lane == 0)
      out[blockIdx.x] = value;
  }
}

/// Reduces n elements; Op::identity() for none.
template <class Op, class T, class In> T run(const In *d_in, size_t n) {
  const unsigned grid = blocks_to_fill(n, block);
  lab::DeviceBuffer<T> d_partials(grid);
  lab::DeviceBuffer<T> d_out(1);
  lab::poison(d_partials);
  lab::poison(d_out);
  reduce<Op><<<grid, block>>>(d_in, n, d_partials.data());
  LAB_CHECK_LAUNCH();
  reduce<Op><<<1, block>>>(static_cast<const T *>(d_partials.data()), grid, d_out.data());
  LAB_CHECK_LAUNCH();
  return d_out.at(0);
}

} // namespace one_primitive
