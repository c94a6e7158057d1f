#include "demos/demos.hpp"

#include <algorithm>
#include <string>

// Two questions about v0: which way do a warp's lanes go, and which way do the blocks?
namespace walks {

constexpr int BLOCK = 256; // threads of v0
constexpr int TILE = 16;

template <class In> struct Factors {
  const In *A, *B; // dense, as D's article has them: rows follow each other
};

// Which element of C is a thread's? threadIdx.x counts columns, or (X_ROWS) rows.
struct Mine {
  int row, col;
};
template <bool X_ROWS> __device__ inline Mine mine() {
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  return X_ROWS ? Mine{x, y} : Mine{y, x};
}

template <class In, bool X_ROWS> __global__ void naive(Factors<In> in, Operands m) {
  const auto [row, col] = mine<X_ROWS>();
  if (row >= m.M || col >= m.N)
    return;
  In sum = 0;
  for (int k = 0; k < m.K; ++k)
    sum += in.A[row * m.K + k] * in.B[k * m.N + col];
  m.C[row * m.ldc + col] = static_cast<float>(sum);
}

// Tiles of floats, whatever the matrices are; the tests at the edges are ours.
template <class In, bool X_ROWS> __global__ void tiles(Factors<In> in, Operands m) {
  __shared__ float s_A[TILE][TILE], s_B[TILE][TILE];
  const auto [row, col] = mine<X_ROWS>();
  const int r = X_ROWS ? threadIdx.x : threadIdx.y, c = X_ROWS ? threadIdx.y : threadIdx.x;
  In sum = 0;
  for (int k0 = 0; k0 < m.K; k0 += TILE) {
    s_A[r][c] = row < m.M && k0 + c < m.K ? static_cast<float>(in.A[row * m.K + k0 + c]) : 0.0f;
    s_B[r][c] = k0 + r < m.K && col < m.N ? static_cast<float>(in.B[(k0 + r) * m.N + col]) : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum += static_cast<In>(s_A[r][k] * s_B[k][c]);
    __syncthreads();
  }
  if (row < m.M && col < m.N)
    m.C[row * m.ldc + col] = static_cast<float>(sum);
}

template <class In, bool X_ROWS> dim3 grid(const Operands &m) {
  return X_ROWS ? grid_of_tiles(m.M, TILE, m.N, TILE) : grid_of_tiles(m.N, TILE, m.M, TILE);
}
template <class In, bool X_ROWS> void run_naive(const Factors<In> &in, const Operands &m) {
  naive<In, X_ROWS><<<grid<In, X_ROWS>(m), dim3(TILE, TILE)>>>(in, m);
  LAB_CHECK_LAUNCH();
}
template <class In, bool X_ROWS> void run_tiles(const Factors<In> &in, const Operands &m) {
  tiles<In, X_ROWS><<<grid<In, X_ROWS>(m), dim3(TILE, TILE)>>>(in, m);
  LAB_CHECK_LAUNCH();
}

// Times and checks one way of computing p.plain.C; returns its milliseconds.
template <class Run> double timed(lab::Demo &demo, Matmul &p, const std::string &key, Run run) {
  demo.check(p, run);
  if (!demo.timed())
    return 0.0;
  const double ms = lab::measure(run, {.reps = 5, .warm_up = 1}).median_ms;
  demo.value(key + "_ms", ms);
  demo.value(key + "_tflops", p.flops() / ms * 1e-9);
  return ms;
}

void say_row(lab::Demo &demo, const Matmul &p, const char *name, double ms) {
  if (ms > 0.0)
    demo.say("  %-44s %9.3f ms %9.2f TFLOP/s\n", name, ms, p.flops() / ms * 1e-9);
  else
    demo.say("  %-44s right\n", name);
}

template <class In> void both_ways(lab::Demo &demo, Matmul &p, const std::string &type) {
  const std::vector<In> h_A(p.h_A.begin(), p.h_A.end()), h_B(p.h_B.begin(), p.h_B.end());
  lab::DeviceBuffer<In> d_A(h_A), d_B(h_B);
  const Factors<In> in = {d_A.data(), d_B.data()};
  const auto row = [&](const char *key, const char *name, auto run) {
    const double ms = timed(demo, p, type + "_" + key, [&] { run(in, p.plain); });
    say_row(demo, p, (type + ": " + name).c_str(), ms);
  };
  row("naive_rows", "naive, x along rows", run_naive<In, true>);
  row("naive_cols", "naive, x along columns", run_naive<In, false>);
  row("tiles_rows", "tiles of floats, x along rows", run_tiles<In, true>);
  row("tiles_cols", "tiles of floats, x along columns", run_tiles<In, false>);
}

// v0 with its blocks in another order. Tall: GROUP rows of blocks at a time, column by column.
template <int GROUP> __global__ void in_groups(Operands m, int abreast) {
  const int group = blockIdx.x / (GROUP * abreast), place = blockIdx.x % (GROUP * abreast);
  const int row = group * GROUP + place % GROUP, col = place / GROUP * BLOCK + threadIdx.x;
  if (row >= m.M || col >= m.N)
    return;
  float sum = 0.0f;
  for (int k = 0; k < m.K; ++k)
    sum += m.A[row * m.lda + k] * m.B[k * m.ldb + col];
  m.C[row * m.ldc + col] = sum;
}

template <int GROUP> void run_in_groups(Matmul &p) {
  const int abreast = ceil_div(p.plain.N, BLOCK), groups = ceil_div(p.plain.M, GROUP);
  in_groups<GROUP><<<groups * GROUP * abreast, BLOCK>>>(p.plain, abreast);
  LAB_CHECK_LAUNCH();
}

} // namespace walks

void show_x_along_rows(lab::Demo &demo) {
  using namespace walks;
  const Shape3 shape = demo.timed() ? Shape3{6000, 4000, 4800} : Shape3{60, 40, 48};
  demo.say("A of %d x %d times B of %d x %d; blocks of 16 x 16 threads\n\n",
           shape.M,
           shape.K,
           shape.K,
           shape.N);
  Matmul p(shape, demo.seed(), {0.0f, 1.0f});
  both_ways<double>(demo, p, "double");
  both_ways<float>(demo, p, "float");
}

void show_block_order(lab::Demo &demo) {
  using namespace walks;
  for (const int n : {4096, 8192}) {
    Matmul p(demo.timed() ? Shape3{n, n, n} : Shape3{70, 300, n / 256}, demo.seed());
    demo.say("%sv0's kernel, %d x %d\n\n", n == 4096 ? "" : "\n", p.shape.M, p.shape.N);
    const auto row = [&](const char *key, const char *name, void (*run)(Matmul &)) {
      const double ms = timed(demo, p, "n" + std::to_string(n) + "_" + key, [&] { run(p); });
      say_row(demo, p, name, ms);
    };
    row("rows", "blocks along a row, then the next row", run_in_groups<1>);
    row("group16", "16 rows at a time, column by column", run_in_groups<16>);
    row("group64", "64 rows at a time", run_in_groups<64>);
    row("group4096", "4096 rows at a time", run_in_groups<4096>);
  }
}
