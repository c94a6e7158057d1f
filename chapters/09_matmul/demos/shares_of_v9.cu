#include "demos/demos.hpp"
#include "steps/async_tiles.cuh"
#include "steps/steps.hpp"

#include <string>

// v8 with its loop over k as it stands; v9 with two or three pairs of tiles, and with B in pieces of 4
// bytes, as A has them.
namespace shares_of_v9 {

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

/// The products of a round; TURNS: how many turns of the loop nvcc makes at once.
template <int TURNS>
__device__ void add_products(float (&sum)[MINE][MINE],
                             const float (&s_A)[DEPTH][ROWS + 4],
                             const float (&s_B)[DEPTH][COLS],
                             int my_row,
                             int my_col) {
#pragma unroll TURNS
  for (int k = 0; k < DEPTH; ++k) {
    float a[MINE], b[MINE];
#pragma unroll
    for (int i = 0; i < MINE; i += 4) {
      load4(&a[i], &s_A[k][my_row + i]);
      load4(&b[i], &s_B[k][my_col + i]);
    }
#pragma unroll
    for (int i = 0; i < MINE; ++i)
#pragma unroll
      for (int j = 0; j < MINE; ++j)
        sum[i][j] += a[i] * b[j];
  }
}

__device__ void store(const float (&sum)[MINE][MINE], const Operands &m, int row0, int col0) {
#pragma unroll
  for (int i = 0; i < MINE; ++i)
#pragma unroll
    for (int j = 0; j < MINE; ++j)
      if (row0 + i < m.M && col0 + j < m.N)
        m.C[(row0 + i) * m.ldc + col0 + j] = sum[i][j];
}

/// v8, with its loop over k as TURNS says.
template <int TURNS> __global__ void __launch_bounds__(BLOCK) one_pair(Operands m) {
  __shared__ alignas(16) float s_A[DEPTH][ROWS + 4], s_B[DEPTH][COLS];
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * ROWS, col0 = blockIdx.x * COLS;
  const int my_row = tid / (COLS / MINE) * MINE, my_col = tid % (COLS / MINE) * MINE; // in the tile
  float sum[MINE][MINE] = {};
  for (int k0 = 0; k0 < m.K; k0 += DEPTH) {
#pragma unroll
    for (int i = tid; i < ROWS * DEPTH; i += BLOCK) {
      const int row = row0 + i / DEPTH, k = k0 + i % DEPTH;
      s_A[i % DEPTH][i / DEPTH] = row < m.M && k < m.K ? m.A[row * m.lda + k] : 0.0f;
    }
#pragma unroll
    for (int i = tid; i < DEPTH * COLS; i += BLOCK) {
      const int k = k0 + i / COLS, col = col0 + i % COLS;
      s_B[i / COLS][i % COLS] = k < m.K && col < m.N ? m.B[k * m.ldb + col] : 0.0f;
    }
    __syncthreads();
    add_products<TURNS>(sum, s_A, s_B, my_row, my_col);
    __syncthreads();
  }
  store(sum, m, row0 + my_row, col0 + my_col);
}

/// v9, with other pieces or another number of pairs.
template <int PAIRS, bool BY_WORDS>
__global__ void __launch_bounds__(BLOCK) some_pairs(Operands m) {
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
    add_products<DEPTH>(sum, s_A[pair], s_B[pair], my_row, my_col);
    pair = pair == PAIRS - 1 ? 0 : pair + 1;
  }
  store(sum, m, row0 + my_row, col0 + my_col);
}

dim3 grid_for(const Operands &m) { return grid_of_tiles(m.N, COLS, m.M, ROWS); }

template <int TURNS> void run_one_pair(Matmul &p) {
  one_pair<TURNS><<<grid_for(p.plain), BLOCK>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

template <int PAIRS, bool BY_WORDS> void run_some_pairs(Matmul &p) {
  some_pairs<PAIRS, BY_WORDS><<<grid_for(p.plain), BLOCK>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

struct Way {
  const char *key, *name;
  void (*run)(Matmul &);
};
const Way ways[] = {{"rolled", "v8, its loop as it stands", run_one_pair<1>},
                    {"v8", "v8: nothing asynchronous", register_tile_steps().back().run},
                    {"words_3", "pieces of 4 bytes, three pairs of tiles", run_some_pairs<3, true>},
                    {"v9", "v9: B by 16 bytes, three pairs of tiles", async_steps().front().run},
                    {"wide_2", "B by 16 bytes, two pairs of tiles", run_some_pairs<2, false>}};

} // namespace shares_of_v9

void show_shares_of_v9(lab::Demo &demo) {
  using namespace shares_of_v9;
  const int n = static_cast<int>(demo.n_or(demo.timed() ? 4096 : 70));
  Matmul p({n, n, n}, demo.seed());
  demo.say("From v8 to v9, %d x %d%s\n\n", n, n, demo.timed() ? " (ms)" : "");
  for (const Way &way : ways) {
    const auto run = [&] { way.run(p); };
    demo.check(p, run);
    demo.say("  %-42s", way.name);
    demo.say_timed(
        std::string(way.key) + "_ms",
        " %8.3f\n",
        [&] { return lab::measure(run).median_ms; },
        "    right\n");
  }
}
