#include "demos/demos.hpp"
#include "steps/steps.hpp"
#include "steps/tile.cuh"

#include <string>

// v14 with its multiply-adds in three orders, and its loads in two: the same work each time.
namespace {

enum Order { rows, to_and_fro, down_and_up };
using T = Tile<128, 256, 8, 16, 3, 1>;

// A first: A's operands, then B's, then the copies of the next tiles. Else copies, B's, A's.
template <Order ORDER, bool A_FIRST>
__global__ void __launch_bounds__(T::BLOCK, T::PER_SM) matmul(Operands m) {
  constexpr int ROWS = T::ROWS, COLS = T::COLS, DEPTH = T::DEPTH, STAGES = T::STAGES;
  constexpr int MY_ROWS = T::MY_ROWS, MY_COLS = T::MY_COLS;
  __shared__ alignas(16) float s_A[STAGES][DEPTH][ROWS + 4], s_B[STAGES][DEPTH][COLS];
  const Place from = {static_cast<int>(blockIdx.y) * ROWS, static_cast<int>(blockIdx.x) * COLS};
  const int row0 = min(m.M - ROWS, from.row), col0 = min(m.N - COLS, from.col);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int my_row = warp / 2 * 32 + lane_row(lane) * 4;
  const int my_col = warp % 2 * 128 + lane_col(lane) * 4;
  PlainSum sum[MY_ROWS][MY_COLS] = {};
  TileWalk<ROWS, COLS, DEPTH, T::BLOCK> walk(m, row0, col0);
  walk.begin(s_A, s_B);
  float a[2][MY_ROWS], b[2][MY_COLS];
  const auto load_a = [&](int into, int stage, int k) {
#pragma unroll
    for (int i = 0; i < MY_ROWS; i += 4)
      load4(&a[into][i], &s_A[stage][k][my_row + i * 4]);
  };
  const auto load = [&](int into, int stage, int k) {
    if (A_FIRST)
      load_a(into, stage, k);
#pragma unroll
    for (int j = 0; j < MY_COLS; j += 4)
      load4(&b[into][j], &s_B[stage][k][my_col + j * 8]);
    if (!A_FIRST)
      load_a(into, stage, k);
  };
  __pipeline_wait_prior(STAGES - 2);
  __syncthreads();
  load(0, 0, 0);
  for (int k0 = 0, stage = 0, next = STAGES - 1; k0 < m.K; k0 += DEPTH) {
    const auto copy = [&] {
      walk.copy(s_A[next], s_B[next]);
      next = next == STAGES - 1 ? 0 : next + 1;
    };
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      if (k == DEPTH - 1) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        stage = stage == STAGES - 1 ? 0 : stage + 1;
      }
      if (k == 0 && !A_FIRST)
        copy();
      load((k + 1) % 2, stage, (k + 1) % DEPTH);
      if (k == 0 && A_FIRST)
        copy();
      const auto &my_a = a[k % 2];
      const auto &my_b = b[k % 2];
#pragma unroll
      for (int n = 0; n < MY_ROWS * MY_COLS; ++n) {
        const int strip = n / (4 * MY_ROWS), y = n / 4 % MY_ROWS, x = n % 4;
        const int i = ORDER == rows                            ? n / MY_COLS
                      : ORDER == down_and_up && strip % 2 == 1 ? MY_ROWS - 1 - y
                                                               : y;
        const int j = ORDER == rows ? n % MY_COLS : strip * 4 + (y % 2 == 0 ? x : 3 - x);
        sum[i][j].add(my_a[i], my_b[j]);
      }
    }
  }
  store<T>(sum, m, {row0 + my_row, col0 + my_col}, from);
}

template <Order ORDER, bool A_FIRST> void run(Matmul &p) {
  if (!fits<T>(p.plain))
    return run_any_shape(p);
  matmul<ORDER, A_FIRST>
      <<<grid_of_tiles(p.plain.N, T::COLS, p.plain.M, T::ROWS), T::BLOCK>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

} // namespace

void show_orders(lab::Demo &demo) {
  const int n = static_cast<int>(demo.n_or(demo.timed() ? 4096 : 260));
  Matmul p({n, n, n}, demo.seed());
  demo.say("v14's loop, %d x %d, its instructions in other orders%s\n\n",
           n,
           n,
           demo.timed() ? " (TFLOP/s)" : "");
  demo.say("  %-40s %12s %12s\n", "multiply-adds", "A's first", "copies first");
  const auto line =
      [&](const char *key, const char *name, void (*a)(Matmul &), void (*c)(Matmul &)) {
        demo.say("  %-40s", name);
        for (const auto run : {a, c}) {
          demo.check(p, [&] { run(p); });
          const auto tflops = [&] {
            return p.flops() / lab::measure([&] { run(p); }).median_ms * 1e-9;
          };
          demo.say_timed(
              std::string(key) + (run == a ? "_a" : "_copies"), " %12.1f", tflops, "        right");
        }
        demo.say("\n");
      };
  line("rows", "row by row", run<rows, true>, run<rows, false>);
  line("fro", "strips of 4, to and fro", run<to_and_fro, true>, run<to_and_fro, false>);
  line("down", "the same, down and up", run<down_and_up, true>, run<down_and_up, false>);
}
