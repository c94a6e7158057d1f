#include "demos/demos.hpp"
#include "steps/tiles.cuh"

namespace {

// v7 with another tile and another block: TILE x ROWS threads, TILE / ROWS elements for each. They are
// loaded all at once, or, as in v5, one after the other.
template <unsigned TILE, unsigned ROWS, bool AT_ONCE>
__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  __shared__ float s_tile[TILE][TILE + 1];
  const size_t row0 = block_x() * TILE;
  const size_t col0 = block_y() * TILE;
  const size_t col = col0 + threadIdx.x;
  if constexpr (AT_ONCE) {
    float v[TILE / ROWS];
#pragma unroll
    for (unsigned j = 0; j < TILE / ROWS; ++j) {
      const size_t row = row0 + threadIdx.y + j * ROWS;
      v[j] = row < rows && col < cols ? in[row * cols + col] : 0.0f;
    }
#pragma unroll
    for (unsigned j = 0; j < TILE / ROWS; ++j)
      s_tile[threadIdx.y + j * ROWS][threadIdx.x] = v[j];
  } else {
#pragma unroll 1
    for (unsigned j = 0; j < TILE; j += ROWS) {
      const size_t row = row0 + threadIdx.y + j;
      if (row < rows && col < cols)
        s_tile[threadIdx.y + j][threadIdx.x] = in[row * cols + col];
    }
  }
  __syncthreads();

#pragma unroll
  for (unsigned j = 0; j < TILE; j += ROWS) {
    const size_t row = row0 + threadIdx.x;
    const size_t out_row = col0 + threadIdx.y + j;
    if (row < rows && out_row < cols)
      out[out_row * rows + row] = s_tile[threadIdx.x][threadIdx.y + j];
  }
}

template <unsigned TILE, unsigned ROWS, bool AT_ONCE> void run(Matrix &p) {
  const dim3 grid = grid_of_tiles(p.rows, p.cols, TILE);
  transpose<TILE, ROWS, AT_ONCE>
      <<<grid, dim3(TILE, ROWS)>>>(p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
}

struct Shape {
  unsigned tile, rows;
  const char *loads;
  void (*run)(Matrix &);
};

constexpr Shape shapes[] = {
    {32, 32, "one", run<32, 32, true>},
    {32, 16, "in turn", run<32, 16, false>},
    {32, 8, "in turn", run<32, 8, false>},
    {32, 4, "in turn", run<32, 4, false>},
    {32, 16, "at once", run<32, 16, true>},
    {32, 8, "at once", run<32, 8, true>},
    {32, 4, "at once", run<32, 4, true>},
    {64, 16, "at once", run<64, 16, true>},
    {64, 8, "at once", run<64, 8, true>},
    {64, 4, "at once", run<64, 4, true>},
};

} // namespace

void show_shapes(lab::Demo &demo) {
  Matrix p({.n = demo.n_or(demo.timed() ? 8192 : 128), .seed = demo.seed()});
  demo.say("  %5s %8s %9s  %-8s %8s\n",
           "tile",
           "threads",
           "elements",
           "loads",
           demo.timed() ? "GB/s" : "answer");
  for (const Shape &shape : shapes) {
    p.prepare();
    shape.run(p);
    const lab::Verdict verdict = p.check();
    demo.expect(verdict);
    demo.say("  %5u %8u %9u  %-8s",
             shape.tile,
             shape.tile * shape.rows,
             shape.tile / shape.rows,
             shape.loads);
    const std::string order = shape.loads[0] == 'i' ? "in_turn" : "at_once";
    const std::string key = "tile_" + std::to_string(shape.tile) + "_threads_" +
                            std::to_string(shape.tile * shape.rows) + "_" + order;
    demo.say_timed(
        key, " %8.0f\n", [&] { return gbps(8, p, [&] { shape.run(p); }); }, answer(verdict));
  }
  demo.say("\nthreads: of a block · elements: for each thread\n");
}
