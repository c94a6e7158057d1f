// v4 without its barrier.
#pragma once

#include "problem.hpp"

namespace trap_missing_barrier {

inline const char *why =
    "a thread writes out what another warp has read in. Without __syncthreads() nothing says that "
    "it is there yet.";

constexpr unsigned TILE = 32;

__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  __shared__ float s_tile[TILE][TILE + 1];
  s_tile[threadIdx.y][threadIdx.x] = -1.0f; // else the tile of the last run could pass for this one
  __syncthreads();

  if (threadIdx.y < rows && threadIdx.x < cols)
    s_tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * cols + threadIdx.x];
  if (threadIdx.x < rows && threadIdx.y < cols)
    out[threadIdx.y * rows + threadIdx.x] = s_tile[threadIdx.x][threadIdx.y];
}

inline void run(Matrix &p) {
  transpose<<<1, dim3(TILE, TILE)>>>(p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_missing_barrier
