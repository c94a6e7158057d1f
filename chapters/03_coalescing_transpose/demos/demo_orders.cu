#include "demos/demos.hpp"
#include "steps/tiles.cuh"

#include <cstring>

namespace orders_of_blocks {

constexpr unsigned TILE = 32;
constexpr unsigned BLOCK_ROWS = 8;

// One half of a transpose: a matrix is only read, or only written, tile by tile. Blocks that are
// started one after the other take tiles side by side or, DOWN, below each other.
template <bool WRITES, bool DOWN>
__global__ void half(float *m, size_t rows, size_t cols, unsigned *result) {
  const size_t row0 = (DOWN ? block_x() : block_y()) * TILE;
  const size_t col = (DOWN ? block_y() : block_x()) * TILE + threadIdx.x;
  unsigned bits = 0;
#pragma unroll
  for (unsigned j = 0; j < TILE; j += BLOCK_ROWS) {
    const size_t row = row0 + threadIdx.y + j;
    if (row < rows && col < cols) {
      if (WRITES)
        m[row * cols + col] = 1.0f;
      else
        bits ^= __float_as_uint(m[row * cols + col]);
    }
  }
  if (!WRITES && result) // null in timed runs, which the compiler cannot know: the loads stay
    atomicXor(result, bits);
}

template <bool WRITES, bool DOWN> void run(float *m, size_t rows, size_t cols, unsigned *result) {
  const dim3 grid = DOWN ? grid_of_tiles(rows, cols, TILE) : grid_of_tiles(cols, rows, TILE);
  half<WRITES, DOWN><<<grid, dim3(TILE, BLOCK_ROWS)>>>(m, rows, cols, result);
  LAB_CHECK_LAUNCH();
}

struct Order {
  const char *what, *walk, *key;
  bool writes;
  void (*run)(float *, size_t, size_t, unsigned *);
};

constexpr Order orders[] = {
    {"reads", "side by side", "reads_side_by_side", false, run<false, false>},
    {"reads", "below each other", "reads_below_each_other", false, run<false, true>},
    {"writes", "side by side", "writes_side_by_side", true, run<true, false>},
    {"writes", "below each other", "writes_below_each_other", true, run<true, true>},
};

lab::Verdict run_and_check(const Order &order, Matrix &p) {
  p.prepare();
  if (order.writes) {
    order.run(p.d_out.data(), p.rows, p.cols, nullptr);
    return lab::compare(p.d_out.download(), std::vector<float>(p.elements(), 1.0f), lab::exact());
  }
  lab::DeviceBuffer<unsigned> d_result(1);
  LAB_CHECK(cudaMemset(d_result.data(), 0, sizeof(unsigned)));
  order.run(p.d_in.data(), p.rows, p.cols, d_result.data());
  unsigned expected = 0;
  for (const float value : p.h_in) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    expected ^= bits;
  }
  return lab::compare_value("xor of what was read", d_result.at(0), expected);
}

} // namespace orders_of_blocks

void show_orders(lab::Demo &demo) {
  using namespace orders_of_blocks;
  Matrix p({.n = demo.n_or(demo.timed() ? 8192 : 128), .seed = demo.seed()});
  for (const Order &order : orders) {
    const lab::Verdict verdict = run_and_check(order, p);
    demo.expect(verdict);
    demo.say("  %-8s tiles %-18s", order.what, order.walk);
    float *const m = order.writes ? p.d_out.data() : p.d_in.data();
    const auto walk = [&] { order.run(m, p.rows, p.cols, nullptr); };
    demo.say_timed(
        std::string(order.key) + "_gbps",
        " %8.0f GB/s\n",
        [&] { return gbps(4, p, walk); },
        answer(verdict));
  }
}
