// v0, which also notes which word each lane of a column read.
#pragma once

#include "problem.hpp"

namespace trap_one_bank {

inline const char *why =
    "a row of 32 words begins in the bank where the row above it began, so a column is one bank. "
    "No test of results finds this: it costs time only.";

__global__ void transpose(const float *in, unsigned n, float *out, unsigned *words) {
  __shared__ float s_tile[32][32];
  const unsigned lane = threadIdx.x;
  const unsigned warp = threadIdx.y;
  s_tile[warp][lane] = in[warp * n + lane];
  __syncthreads();
  out[warp * n + lane] = s_tile[lane][warp];
  if (warp == 0)
    words[lane] = static_cast<unsigned>(&s_tile[lane][warp] - &s_tile[0][0]);
}

inline void run(Transpose &p) {
  transpose<<<1, dim3(32, 32)>>>(p.d_in.data(), 32, p.d_out.data(), p.d_words.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_one_bank
