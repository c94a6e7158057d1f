// "Memory starts as zero, so I add": the first addition has nothing to add to.
#pragma once

#include "problem.hpp"

namespace trap_not_zero {

inline const char *why =
    "shared memory starts as whatever the block before left in it, and = 0 in its declaration is "
    "not allowed. Write it, wait at a barrier, then add.";

__global__ void transpose(const float *in, unsigned n, float *out) {
  __shared__ float s_tile[tile][tile];
  const unsigned lane = threadIdx.x;
  const unsigned warp = threadIdx.y;
  const bool inside = lane < n && warp < n;
  if (inside)
    s_tile[warp][lane] += in[warp * n + lane];
  __syncthreads();
  if (inside)
    out[warp * n + lane] = s_tile[lane][warp];
}

inline void run(Transpose &p) {
  transpose<<<1, dim3(tile, tile)>>>(p.d_in.data(), static_cast<unsigned>(p.rows), p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_not_zero
