// A padded tile, with an even number of words more. It also notes which word each lane of a column read.
#pragma once

#include "problem.hpp"

namespace trap_pad_by_two {

inline const char *why =
    "34 and 32 share the factor 2. Rows begin in the even banks only, each of them twice, so two "
    "lanes of a column meet in each. Any odd number of words does; an even one never does.";

__global__ void transpose(const float *in, unsigned n, float *out, unsigned *words) {
  __shared__ float s_tile[32][34];
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

} // namespace trap_pad_by_two
