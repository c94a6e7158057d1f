#include "async_tiles.cuh"
#include "demos.hpp"
#include "steps.hpp"

#include <string>

// v9 with two or three pairs of tiles, and with B in pieces of 4 bytes, as A has them.
namespace {

constexpr int ROWS = 128, COLS = 128, DEPTH = 8; // of the tiles
constexpr int MINE = 8; // a thread has MINE x MINE results
constexpr int BLOCK = ROWS * COLS / (MINE * MINE); // threads

/// B's share of a tile, as copy_B, in pieces of 4 bytes.
__device__ void copy_B_by_words(float (&s_B)[DEPTH][COLS], const Operands &m, int k0, int col0) {
#pragma unroll
  for (int i = threadIdx.x; i < DEPTH * COLS; i += BLOCK) {
    const int k = k0 + i / COLS, col = col0 + i % COLS;
    const bool inside = k < m.K && col < m.N;
    copy_async<4>(&s_B[i / COLS][i % COLS], inside ? m.B + k * m.ldb + col : m.B, inside ? 0 : 4);
  }
}

template <int PAIRS, bool BY_WORDS> __global__ void __launch_bounds__(BLOCK) variant(Operands m) {
  __shared__ alignas(16) float s_A[PAIRS][DEPTH][ROWS + 4], s_B[PAIRS][DEPTH][COLS];
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * ROWS, col0 = blockIdx.x * COLS;
  const int my_row = tid / (COLS / MINE) * MINE, my_col = tid % (COLS / MINE) * MINE; // in the tile
  float sum[MINE][MINE] = {};
  const auto order = [&](int pair, int k0) {
    copy_A<ROWS, DEPTH, BLOCK>(s_A[pair], m, row0, k0);
    if (BY_WORDS)
      copy_B_by_words(s_B[pair], m, k0, col0);
    else
      copy_B<COLS, DEPTH, BLOCK>(s_B[pair], m, k0, col0);
    __pipeline_commit();
  };
#pragma unroll
  for (int pair = 0; pair < PAIRS - 1; ++pair)
    order(pair, pair * DEPTH);
  for (int k0 = 0, pair = 0; k0 < m.K; k0 += DEPTH) {
    __pipeline_wait_prior(PAIRS - 2);
    __syncthreads();
    order(pair == 0 ? PAIRS - 1 : pair - 1, k0 + (PAIRS - 1) * DEPTH);
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      float a[MINE], b[MINE];
#pragma unroll
      for (int i = 0; i < MINE; i += 4) {
        load4(&a[i], &s_A[pair][k][my_row + i]);
        load4(&b[i], &s_B[pair][k][my_col + i]);
      }
#pragma unroll
      for (int i = 0; i < MINE; ++i)
#pragma unroll
        for (int j = 0; j < MINE; ++j)
          sum[i][j] += a[i] * b[j];
    }
    pair = pair == PAIRS - 1 ? 0 : pair + 1;
  }
#pragma unroll
  for (int i = 0; i < MINE; ++i)
#pragma unroll
    for (int j = 0; j < MINE; ++j)
      if (row0 + my_row + i < m.M && col0 + my_col + j < m.N)
        m.C[(row0 + my_row + i) * m.ldc + col0 + my_col + j] = sum[i][j];
}

template <int PAIRS, bool BY_WORDS> void run_variant(Matmul &p) {
  variant<PAIRS, BY_WORDS><<<grid_of_tiles(p.plain.N, COLS, p.plain.M, ROWS), BLOCK>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

struct Way {
  const char *key, *name;
  void (*run)(Matmul &);
};
const Way ways[] = {{"v8", "v8: nothing asynchronous", register_tile_steps().back().run},
                    {"words_3", "pieces of 4 bytes, three pairs of tiles", run_variant<3, true>},
                    {"v9", "v9: B by 16 bytes, three pairs of tiles", async_steps().front().run},
                    {"wide_2", "B by 16 bytes, two pairs of tiles", run_variant<2, false>}};

} // namespace

void show_shares_of_v9(lab::Demo &demo) {
  const bool small = demo.quick() || lab::on_emulator();
  const int n = static_cast<int>(demo.n_or(small ? 70 : 4096));
  Matmul p({n, n, n}, demo.seed());
  demo.say("From v8 to v9, %d x %d%s\n\n", n, n, small ? "" : " (ms)");
  for (const Way &way : ways) {
    p.prepare();
    way.run(p);
    demo.expect(p.check());
    if (small) {
      demo.say("  %-42s %8s\n", way.name, "right");
      continue;
    }
    const double ms = lab::measure([&] { way.run(p); }).median_ms;
    demo.value((std::string(way.key) + "_ms").c_str(), ms);
    demo.say("  %-42s %8.3f\n", way.name, ms);
  }
}
