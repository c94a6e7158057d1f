#include "demos/demos.hpp"
#include "steps/tiles.cuh"

namespace {

constexpr unsigned TILE = 32;
constexpr unsigned BLOCK_ROWS = 8;

// v7, of matrices whose rows begin `in_pitch` and `out_pitch` elements apart.
__global__ void transpose(
    const float *in, size_t in_pitch, float *out, size_t out_pitch, size_t rows, size_t cols) {
  __shared__ float s_tile[TILE][TILE + 1];
  const size_t row0 = block_x() * TILE;
  const size_t col0 = block_y() * TILE;

  float v[TILE / BLOCK_ROWS];
#pragma unroll
  for (unsigned j = 0; j < TILE / BLOCK_ROWS; ++j) {
    const size_t row = row0 + threadIdx.y + j * BLOCK_ROWS;
    const size_t col = col0 + threadIdx.x;
    v[j] = row < rows && col < cols ? in[row * in_pitch + col] : 0.0f;
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
      out[col * out_pitch + row] = s_tile[threadIdx.x][threadIdx.y + j];
  }
}

/// A matrix on the device: row after row, or each row at a multiple of what cudaMallocPitch chooses.
struct Rows {
  Rows(size_t rows, size_t cols, bool pitched) {
    size_t bytes = cols * sizeof(float);
    if (pitched)
      LAB_CHECK(cudaMallocPitch(&data, &bytes, cols * sizeof(float), rows));
    else
      LAB_CHECK(cudaMalloc(&data, rows * bytes));
    pitch = bytes / sizeof(float);
    LAB_CHECK(cudaMemset(data, 0xff, rows * bytes));
  }
  Rows(const Rows &) = delete;
  ~Rows() { cudaFree(data); }

  float *data = nullptr;
  size_t pitch = 0; ///< elements from one row to the next
};

void show(lab::Demo &demo, Matrix &p, const char *name, bool pitched) {
  const Rows in(p.rows, p.cols, pitched), out(p.cols, p.rows, pitched);
  const size_t in_width = p.cols * sizeof(float), out_width = p.rows * sizeof(float);
  LAB_CHECK(cudaMemcpy2D(in.data,
                         in.pitch * sizeof(float),
                         p.d_in.data(),
                         in_width,
                         in_width,
                         p.rows,
                         cudaMemcpyDeviceToDevice));
  const auto run = [&] {
    const dim3 grid = grid_of_tiles(p.rows, p.cols, TILE);
    transpose<<<grid, dim3(TILE, BLOCK_ROWS)>>>(
        in.data, in.pitch, out.data, out.pitch, p.rows, p.cols);
    LAB_CHECK_LAUNCH();
  };
  run();
  p.prepare();
  LAB_CHECK(cudaMemcpy2D(p.d_out.data(),
                         out_width,
                         out.data,
                         out.pitch * sizeof(float),
                         out_width,
                         p.cols,
                         cudaMemcpyDeviceToDevice));
  demo.expect(p.check());
  demo.say("  %-8s %9zu %9zu", name, in.pitch * sizeof(float), out.pitch * sizeof(float));
  demo.say_timed(
      std::string(name) + "_gbps", " %8.0f\n", [&] { return gbps(8, p, run); }, "\n");
}

} // namespace

void show_pitched(lab::Demo &demo) {
  const size_t n = demo.n_or(demo.timed() ? 8190 : 126);
  lab::Case size{.n = 0, .seed = demo.seed()};
  size.shape = {n, n + 4};
  Matrix p(size);
  demo.say("%zu x %zu floats transposed; bytes from row to row of the input and the output%s\n\n",
           p.rows,
           p.cols,
           demo.timed() ? "; GB/s" : "");
  show(demo, p, "packed", false);
  show(demo, p, "pitched", true);
}
