// v4 without bounds tests, as it is printed where every matrix is a multiple of the tile.
#pragma once

#include "problem.hpp"

namespace trap_no_bounds_test {

inline const char *why =
    "the last tiles of a matrix are ragged, and their threads to spare move elements that are "
    "somebody else's: here from one strip of known bytes into another.";

constexpr unsigned TILE = 32;

__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  __shared__ float s_tile[TILE][TILE + 1];
  s_tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * cols + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * rows + threadIdx.x] = s_tile[threadIdx.x][threadIdx.y];
}

inline void run(Matrix &p) {
  transpose<<<1, dim3(TILE, TILE)>>>(p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_no_bounds_test
