// Four floats at a time, and what is left over.
#pragma once

#include "problem.hpp"

__device__ inline const float4 &four_at(const float *values, size_t i) {
  return reinterpret_cast<const float4 *>(values)[i];
}
__device__ inline float4 &four_at(float *values, size_t i) {
  return reinterpret_cast<float4 *>(values)[i];
}
__device__ inline float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Elements [begin, end), less than four: a thread for each.
__device__ inline void add_up_tail(const Everyone &e, size_t begin, size_t end) {
  const size_t i = begin + threadIdx.x;
  if (blockIdx.x != 0 || i >= end)
    return;
  float sum = e.in[0][i];
  for (int r = 1; r < e.ranks; ++r)
    sum += e.in[r][i];
  for (int r = 0; r < e.ranks; ++r)
    e.out[r][i] = sum;
}
