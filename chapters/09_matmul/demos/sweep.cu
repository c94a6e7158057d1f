#include "demos/demos.hpp"

#include <string>

// v6 with 1, 2, 4, 8 or 16 results per thread, and its inner loop as it stands or left to nvcc.
namespace sweep {

constexpr int BLOCK = 512; // threads, for any number of results
constexpr int COLS = 64, DEPTH = 8;

template <int MINE, int TURNS> __global__ void __launch_bounds__(BLOCK) matmul(Operands m) {
  constexpr int ROWS = BLOCK / COLS * MINE;
  __shared__ float s_A[ROWS][DEPTH], s_B[DEPTH][COLS];
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * ROWS, col0 = blockIdx.x * COLS;
  const int my_row = tid / COLS * MINE, my_col = tid % COLS; // in the tile
  float sum[MINE] = {};
  for (int k0 = 0; k0 < m.K; k0 += DEPTH) {
    for (int i = tid; i < ROWS * DEPTH; i += BLOCK) {
      const int row = row0 + i / DEPTH, k = k0 + i % DEPTH; // of A
      s_A[i / DEPTH][i % DEPTH] = row < m.M && k < m.K ? m.A[row * m.lda + k] : 0.0f;
    }
    const int b_k = k0 + tid / COLS, col = col0 + tid % COLS; // of B
    s_B[tid / COLS][tid % COLS] = b_k < m.K && col < m.N ? m.B[b_k * m.ldb + col] : 0.0f;
    __syncthreads();
#pragma unroll TURNS
    for (int k = 0; k < DEPTH; ++k) {
      const float b = s_B[k][my_col];
#pragma unroll
      for (int i = 0; i < MINE; ++i)
        sum[i] += s_A[my_row + i][k] * b;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < MINE; ++i)
    if (row0 + my_row + i < m.M && col0 + my_col < m.N)
      m.C[(row0 + my_row + i) * m.ldc + col0 + my_col] = sum[i];
}

template <int MINE, int TURNS> void run(Matmul &p) {
  const dim3 grid = grid_of_tiles(p.plain.N, COLS, p.plain.M, BLOCK / COLS * MINE);
  matmul<MINE, TURNS><<<grid, BLOCK>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

struct Row {
  int mine;
  void (*as_it_stands)(Matmul &), (*left_to_nvcc)(Matmul &);
};
const Row variants[] = {{1, run<1, 1>, run<1, DEPTH>},
                        {2, run<2, 1>, run<2, DEPTH>},
                        {4, run<4, 1>, run<4, DEPTH>},
                        {8, run<8, 1>, run<8, DEPTH>},
                        {16, run<16, 1>, run<16, DEPTH>}};

} // namespace sweep

void show_results_per_thread(lab::Demo &demo) {
  using namespace sweep;
  const int n = static_cast<int>(demo.n_or(demo.timed() ? 4096 : 70));
  Matmul p({n, n, n}, demo.seed());
  demo.say("v6's kernel, %d x %d, blocks of %d threads\n\n", n, n, BLOCK);
  demo.say("  results      requests to shared  at best,     as it    loop left\n");
  demo.say("  per thread  per multiply-add   %% of peak    stands      to nvcc   (TFLOP/s)\n");
  for (const Row &row : variants) {
    double tflops[2] = {};
    int i = 0;
    for (const auto run : {row.as_it_stands, row.left_to_nvcc}) {
      demo.check(p, [&] { run(p); });
      if (demo.timed())
        tflops[i] = p.flops() / lab::measure([&] { run(p); }).median_ms * 1e-9;
      ++i;
    }
    // A request in each cycle, and four multiply-adds of a warp: a multiprocessor's rates.
    const double requests = 1.0 + 1.0 / row.mine, best = 25.0 / requests;
    const std::string key = "mine" + std::to_string(row.mine);
    demo.value(key + "_best_percent", best);
    if (!demo.timed()) {
      demo.say("  %6d %18.3f %14.1f %12s %12s\n", row.mine, requests, best, "right", "right");
      continue;
    }
    demo.value(key + "_tflops", tflops[0]);
    demo.value(key + "_unrolled_tflops", tflops[1]);
    demo.say("  %6d %18.3f %14.1f %12.1f %12.1f\n", row.mine, requests, best, tflops[0], tflops[1]);
  }
}
