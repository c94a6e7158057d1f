#include "demos/demos.hpp"
#include "steps/tiles.cuh"

namespace partition_camping {

constexpr unsigned TILE = 32;
constexpr unsigned BLOCK_ROWS = 8;

// v6; or, diagonally, with blocks that are started one after the other on a diagonal of tiles.
template <bool DIAGONALLY>
__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  __shared__ float s_tile[TILE][TILE + 1];
  const size_t row0 = block_x() * TILE;
  const size_t col0 = (DIAGONALLY ? (block_x() + block_y()) % gridDim.y : block_y()) * TILE;

  float v[TILE / BLOCK_ROWS];
#pragma unroll
  for (unsigned j = 0; j < TILE / BLOCK_ROWS; ++j) {
    const size_t row = row0 + threadIdx.y + j * BLOCK_ROWS;
    const size_t col = col0 + threadIdx.x;
    v[j] = row < rows && col < cols ? in[row * cols + col] : 0.0f;
  }
#pragma unroll
  for (unsigned j = 0; j < TILE / BLOCK_ROWS; ++j)
    s_tile[threadIdx.y + j * BLOCK_ROWS][threadIdx.x] = v[j];
  __syncthreads();

#pragma unroll
  for (unsigned j = 0; j < TILE; j += BLOCK_ROWS) {
    const size_t row = row0 + threadIdx.x;
    const size_t col = col0 + threadIdx.y + j;
    if (row < rows && col < cols)
      out[col * rows + row] = s_tile[threadIdx.x][threadIdx.y + j];
  }
}

template <bool DIAGONALLY> void run(Matrix &p) {
  const dim3 grid = grid_of_tiles(p.rows, p.cols, TILE); // up to 65535 tiles down: no z
  transpose<DIAGONALLY>
      <<<grid, dim3(TILE, BLOCK_ROWS)>>>(p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
}

void show(lab::Demo &demo, const char *order, void (*run)(Matrix &), Matrix &p) {
  p.prepare();
  run(p);
  const lab::Verdict verdict = p.check();
  demo.expect(verdict);
  demo.say("  %6zu  %-12s", p.rows, order);
  const std::string key = std::string(order) + "_" + std::to_string(p.rows) + "_gbps";
  demo.say_timed(
      key, " %8.0f\n", [&] { return gbps(8, p, [&] { run(p); }); }, answer(verdict));
}

} // namespace partition_camping

void show_partition_camping(lab::Demo &demo) {
  using namespace partition_camping;
  const size_t n = demo.n_or(demo.quick() ? 128 : lab::on_emulator() ? 512 : 8192);
  demo.say("  %6s  %-12s %8s\n", "edge", "blocks walk", lab::on_emulator() ? "answer" : "GB/s");
  for (const size_t edge : {n, n + TILE}) {
    const lab::Case size{.n = edge, .seed = demo.seed()};
    Matrix p(size);
    show(demo, "straight", run<false>, p);
    show(demo, "diagonally", run<true>, p);
  }
}
