// One warp loads, another stores. The barrier "belongs to the loading", so it stands in its branch.
#pragma once

#include "problem.hpp"

namespace trap_barrier_in_a_branch {

inline const char *why =
    "the warp that stores never waits, so it reads what is not there yet. A barrier that only a "
    "part of the block reaches is undefined. Here the others end, and it lets go; where they "
    "wait for something else, or lanes of one warp part ways at it, the kernel may hang for ever.";

__global__ void transpose(const float *in, unsigned n, float *out) {
  __shared__ float s_tile[tile][tile + 1];
  const unsigned lane = threadIdx.x;
  const unsigned warp = threadIdx.y; // 0 stores, 1 loads
  if (warp == 1) {
    for (unsigned i = 0; i < n; ++i)
      if (lane < n)
        s_tile[i][lane] = in[i * n + lane];
    __syncthreads();
  }
  if (warp == 0)
    for (unsigned i = 0; i < n; ++i)
      if (lane < n)
        out[i * n + lane] = s_tile[lane][i];
}

inline void run(Transpose &p) {
  transpose<<<1, dim3(32, 2)>>>(p.d_in.data(), static_cast<unsigned>(p.rows), p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_barrier_in_a_branch
