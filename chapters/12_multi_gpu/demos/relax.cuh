/// @file
/// A step of the plate: each point becomes the mean of its four neighbours.
#pragma once

#include "steps/team.hpp"

// Rows [first, first + count * stride) of a band, every `stride`-th: each point from its four
// neighbours. Row 0 is the neighbour's; columns 0 and cols - 1 keep what they have.
static __global__ void
relax(const float *in, float *out, size_t first, size_t stride, size_t cols) {
  const size_t col = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t row = first + blockIdx.y * stride;
  if (col >= cols)
    return;
  const size_t i = row * cols + col;
  const bool edge = col == 0 || col == cols - 1;
  out[i] = edge ? in[i] : 0.25f * ((in[i - cols] + in[i + cols]) + (in[i - 1] + in[i + 1]));
}

inline void launch(const float *in,
                   float *out,
                   size_t first,
                   size_t stride,
                   size_t count,
                   size_t cols,
                   cudaStream_t stream) {
  if (count == 0)
    return;
  const dim3 grid(static_cast<unsigned>((cols + block - 1) / block), static_cast<unsigned>(count));
  relax<<<grid, block, 0, stream>>>(in, out, first, stride, cols);
  LAB_CHECK_LAUNCH();
}
