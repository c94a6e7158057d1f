#include "demos/demos.hpp"
#include "steps/tiles.cuh"

namespace through_tile {

constexpr unsigned TILE = 32;

// A copy, through a tile in shared memory: a block of 32 x 32 threads, an element for each.
__global__ void copy_through_tile(const float *in, float *out, size_t rows, size_t cols) {
  __shared__ float s_tile[TILE][TILE];
  const size_t row = block_y() * TILE + threadIdx.y;
  const size_t col = block_x() * TILE + threadIdx.x;
  if (row < rows && col < cols)
    s_tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
  __syncthreads();
  if (row < rows && col < cols)
    out[row * cols + col] = s_tile[threadIdx.y][threadIdx.x];
}

} // namespace through_tile

void show_through_tile(lab::Demo &demo) {
  lab::Case size{.n = 0, .seed = demo.seed()};
  size.shape = {40, 100};
  Matrix p(size);
  p.prepare();
  through_tile::copy_through_tile<<<grid_of_tiles(p.cols, p.rows, through_tile::TILE),
                                    dim3(through_tile::TILE, through_tile::TILE)>>>(
      p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
  const lab::Verdict verdict = check_copy(p);
  demo.expect(verdict);
  demo.say("%zu x %zu floats copied through tiles: %s", p.rows, p.cols, answer(verdict));
}
