// A larger tile, 128 x 129 words: more than the 48 KB that a block gets unless it asks for more.
#pragma once

#include "problem.hpp"

namespace trap_no_opt_in {

inline const char *why =
    "beyond 48 KB a launch is refused unless cudaFuncSetAttribute() has allowed it for this "
    "kernel. The kernel did not run at all; a program that doesn't look at the error goes on with "
    "old "
    "results.";

constexpr unsigned edge = 128; // of the tile

__global__ void transpose(const float *in, unsigned n, float *out) {
  extern __shared__ float s_large[]; // [edge][edge + 1]
  for (unsigned row = threadIdx.y; row < n; row += blockDim.y)
    for (unsigned col = threadIdx.x; col < n; col += blockDim.x)
      s_large[row * (edge + 1) + col] = in[row * n + col];
  __syncthreads();
  for (unsigned row = threadIdx.y; row < n; row += blockDim.y)
    for (unsigned col = threadIdx.x; col < n; col += blockDim.x)
      out[row * n + col] = s_large[col * (edge + 1) + row];
}

inline void run(Transpose &p) {
  // What is missing: cudaFuncSetAttribute(transpose, cudaFuncAttributeMaxDynamicSharedMemorySize, …)
  transpose<<<1, dim3(32, 8), edge *(edge + 1) * sizeof(float)>>>(
      p.d_in.data(), static_cast<unsigned>(p.rows), p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_no_opt_in
