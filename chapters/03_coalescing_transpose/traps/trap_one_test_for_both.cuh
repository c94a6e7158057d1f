// v4 that tests once, on the way in, and believes it on the way out.
#pragma once

#include "problem.hpp"

namespace trap_one_test_for_both {

inline const char *why =
    "a thread writes another element than it read. The test that was right for the read says "
    "nothing about the write: in a ragged tile that is not square, elements go missing.";

constexpr unsigned TILE = 32;

__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  __shared__ float s_tile[TILE][TILE + 1];
  const bool inside = threadIdx.y < rows && threadIdx.x < cols;
  if (inside)
    s_tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * cols + threadIdx.x];
  __syncthreads();
  if (inside)
    out[threadIdx.y * rows + threadIdx.x] = s_tile[threadIdx.x][threadIdx.y];
}

inline void run(Matrix &p) {
  transpose<<<1, dim3(TILE, TILE)>>>(p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_one_test_for_both
