// Was:   eight lanes stored to the same four banks, because a column of the tile is 64 words long.
// Now:   one unused float4 after every fourth column: the next column begins four banks further on.
// Watch: wavefronts per shared-memory request: 4, for loads and stores: the least for 512 bytes.
#pragma once

#include "steps/v7_blocks_follow_the_writes.cuh"

namespace v10 {

constexpr unsigned TILE = 64;
constexpr unsigned BLOCK_ROWS = TILE / 4; // a block has TILE / 4 x BLOCK_ROWS threads

// Where the tile keeps four elements of its column `col`, those of the rows from 4 * k on.
__device__ inline unsigned place(unsigned col, unsigned k) { return TILE / 4 * col + col / 4 + k; }

__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  __shared__ float4 s_tile[TILE * TILE / 4 + TILE / 4]; // turned already: column after column
  const size_t row0 = block_x() * TILE; // the tile's first element
  const size_t col0 = block_y() * TILE;

  const size_t row = row0 + 4 * threadIdx.y; // in the order of the reads
  const size_t col = col0 + 4 * threadIdx.x;
  if (row < rows && col < cols) { // rows and cols are multiples of 4: all 16 elements or none
    float4 v[4];
#pragma unroll
    for (unsigned j = 0; j < 4; ++j)
      v[j] = *reinterpret_cast<const float4 *>(&in[(row + j) * cols + col]);
    s_tile[place(4 * threadIdx.x + 0, threadIdx.y)] = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    s_tile[place(4 * threadIdx.x + 1, threadIdx.y)] = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    s_tile[place(4 * threadIdx.x + 2, threadIdx.y)] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    s_tile[place(4 * threadIdx.x + 3, threadIdx.y)] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  }
  __syncthreads();

#pragma unroll
  for (unsigned j = 0; j < TILE; j += BLOCK_ROWS) {
    const size_t row = row0 + 4 * threadIdx.x; // in the order of the writes
    const size_t col = col0 + threadIdx.y + j;
    if (row < rows && col < cols)
      *reinterpret_cast<float4 *>(&out[col * rows + row]) =
          s_tile[place(threadIdx.y + j, threadIdx.x)];
  }
}

inline void run(Matrix &p) {
  if (p.rows % 4 != 0 || p.cols % 4 != 0)
    return v7::run(p); // a row that starts between two float4 cannot be read as such
  const dim3 grid = grid_of_tiles(p.rows, p.cols, TILE);
  transpose<<<grid, dim3(TILE / 4, BLOCK_ROWS)>>>(p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
}

} // namespace v10
