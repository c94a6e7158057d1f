// A trap: this code is wrong on purpose.
#pragma once

#include "problem.hpp"
#include "steps/euclidean.cuh"

namespace trap_and_for_or {

__global__ void
distances(const float2 *a, const float2 *b, float *distance, unsigned n, unsigned cols) {
  const unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned i = row * cols + col;
  if (col >= cols && i >= n) // who is outside on one side only may stay
    return;
  distance[i] = euclidean(a[i], b[i]);
}

inline void run(Points &p) {
  const dim3 block(32, p.block / 32);
  const dim3 blocks(ceil_div(p.cols, block.x), ceil_div(p.rows(), block.y));
  distances<<<blocks, block>>>(p.a.data(), p.b.data(), p.distance.data(), p.n, p.cols);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_and_for_or
