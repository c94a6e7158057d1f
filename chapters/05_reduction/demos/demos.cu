#include "demos/one_primitive.cuh"
#include "demos/ways.hpp"

#include <cmath>
#include <cub/block/block_reduce.cuh>

namespace rows {

constexpr int block = 256;

// A block for each row.
__global__ void sum_rows(const Value *in, int cols, Value *out) {
  using Reduce = cub::BlockReduce<Value, block>;
  __shared__ Reduce::TempStorage s_tree;
  Value sum = 0;
  for (int col = static_cast<int>(threadIdx.x); col < cols; col += block)
    sum += in[static_cast<size_t>(blockIdx.x) * static_cast<size_t>(cols) + col];
  sum = Reduce(s_tree).Sum(sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

} // namespace rows

namespace {

// The host's answers: one plain loop each.
struct Expected {
  double sum = 0.0, sum_abs = 0.0;
  float low = INFINITY, high = -INFINITY;
};

Expected expect_of(const std::vector<float> &values) {
  Expected e;
  for (float value : values) {
    e.sum += static_cast<double>(value);
    e.sum_abs += std::fabs(static_cast<double>(value));
    if (value < e.low)
      e.low = value;
    if (value > e.high)
      e.high = value;
  }
  return e;
}

float sum_float(float term, size_t n) {
  float sum = 0.0f;
  for (size_t i = 0; i < n; ++i)
    sum += term;
  return sum;
}

// Kahan, 1965: `lost` is what the last addition rounded away; the next one brings it back.
float sum_kahan(float term, size_t n) {
  float sum = 0.0f, lost = 0.0f;
  for (size_t i = 0; i < n; ++i) {
    const float wanted = term - lost;
    const float next = sum + wanted;
    lost = (next - sum) - wanted;
    sum = next;
  }
  return sum;
}

double sum_double(float term, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; ++i)
    sum += static_cast<double>(term);
  return sum;
}

// No term passes through more additions than one thread makes, plus two trees.
size_t additions_in_a_row(size_t n) {
  const size_t threads = static_cast<size_t>(blocks_to_fill(n, one_primitive::block)) *
                         static_cast<size_t>(one_primitive::block);
  return n / threads + 1 + threads / one_primitive::block / one_primitive::block + 1 + 2 * 10;
}

/// Sum, minimum, maximum and mean of the same numbers by the same kernel.
void show_sum_min_max_mean(lab::Demo &demo) {
  const size_t n = demo.n_or(demo.quick() ? 1000003 : lab::on_emulator() ? 1u << 22 : 1u << 28);
  std::vector<float> h_in(n);
  lab::fill_random(h_in.data(), n, demo.seed(), -1.0f, 3.0f);
  lab::DeviceBuffer<float> d_in(h_in);
  const Expected e = expect_of(h_in);

  const double sum = one_primitive::run<Sum<double>, double>(d_in.data(), n);
  const float low = one_primitive::run<Min, float>(d_in.data(), n);
  const float high = one_primitive::run<Max, float>(d_in.data(), n);

  // Both sides are sums of doubles: each may be off by its own bound.
  const lab::Tolerance both = lab::tolerance_for_sum<double>(2 * n, e.sum_abs);
  demo.expect(lab::compare_value("sum", sum, e.sum, both));
  demo.expect(lab::compare_value("minimum", low, e.low));
  demo.expect(lab::compare_value("maximum", high, e.high));
  demo.say("%zu random floats in [-1, 3]\n", n);
  demo.say("  sum      %.6f\n", sum);
  demo.value("n", static_cast<double>(n));
  demo.value("sum", sum);
  if (n == 0) {
    demo.say("  of no elements there is no minimum, maximum or mean: each kernel returns its "
             "identity\n");
    return;
  }
  demo.say("  minimum  %.6f\n  maximum  %.6f\n", low, high);
  demo.say("  mean     %.6f   (the sum, divided by n)\n", sum / static_cast<double>(n));
}

/// The sums of a matrix's rows: a block for each.
void show_rows(lab::Demo &demo) {
  const int cols = 1000;
  const size_t n_rows = demo.n_or(demo.quick() ? 3 : 1000);
  std::vector<Value> h_in(n_rows * static_cast<size_t>(cols)), expected(n_rows);
  lab::fill_random(h_in.data(), h_in.size(), demo.seed());
  for (size_t i = 0; i < h_in.size(); ++i)
    expected[i / static_cast<size_t>(cols)] += h_in[i];
  lab::DeviceBuffer<Value> d_in(h_in), d_out(n_rows);
  lab::poison(d_out);
  if (n_rows > 0) {
    rows::sum_rows<<<static_cast<unsigned>(n_rows), rows::block>>>(d_in.data(), cols, d_out.data());
    LAB_CHECK_LAUNCH();
  }
  demo.expect(lab::compare(d_out.download(), expected));
  demo.say("%zu rows of %d numbers, in one launch: all sums are right\n", n_rows, cols);
}

/// 1.23 added up 10^8 times in five ways: when the sum is large, small terms vanish.
void show_float_sum(lab::Demo &demo) {
  const float term = 1.23f;
  const size_t n = demo.n_or(demo.quick() ? 100000 : lab::on_emulator() ? 40000000 : 100000000);
  // A float has 24 bits and n fewer than 29, so the product is exact.
  const double exact = static_cast<double>(term) * static_cast<double>(n);

  lab::DeviceBuffer<float> d_in(std::vector<float>(n, term));
  const float naive = sum_float(term, n);
  const float kahan = sum_kahan(term, n);
  const double in_double = sum_double(term, n);
  const float tree = one_primitive::run<Sum<float>, float>(d_in.data(), n);

  demo.expect(lab::compare_value("sum by a tree of floats",
                                 tree,
                                 static_cast<float>(exact),
                                 lab::tolerance_for_tree_sum<float>(additions_in_a_row(n), exact)));
  // 2 u + O(n u^2) of the sum of |x_i|: Higham, Accuracy and Stability, 2nd ed., eq. 4.8.
  const double u = lab::unit_roundoff<float>();
  demo.expect(
      lab::compare_value("sum by Kahan's method",
                         kahan,
                         static_cast<float>(exact),
                         {(2.0 * u + static_cast<double>(n) * u * u) * exact + u * exact, 0.0}));
  demo.expect(lab::compare_value(
      "sum in double", in_double, exact, lab::tolerance_for_sum<double>(n, exact)));

  const auto row = [&](const char *key, const char *how, double sum) {
    demo.say("  %-34s %16.2f  %11.3g %%\n", how, sum, 100.0 * (sum - exact) / exact);
    demo.value(key, sum);
  };
  demo.say("%zu times %.2ff%s\n\n",
           n,
           static_cast<double>(term),
           lab::on_emulator() ? " (10^8 times on a GPU)" : "");
  demo.say("  %-34s %16s  %13s\n", "way of adding", "sum", "error");
  row("exact", "exact product", exact);
  row("float_loop", "float, one after the other", naive);
  row("float_kahan", "float, Kahan", kahan);
  row("float_tree", "float, as the GPU adds: many sums", tree);
  row("double_loop", "double, one after the other", in_double);
  demo.value("n", static_cast<double>(n));
  if (naive == naive + term)
    demo.say("\n%.0f + %.2f = %.0f: neighbouring floats are %.0f apart there, so the sum stands "
             "still.\nMany small sums, added last, never meet such a large one.\n",
             static_cast<double>(naive),
             static_cast<double>(term),
             static_cast<double>(naive + term),
             static_cast<double>(std::nextafter(naive, INFINITY) - naive));
}

} // namespace

void register_demos(lab::Ladder<Reduction> &ladder) {
  ladder.demo("shares_of_v1", show_shares_of_v1, "two changes, one at a time");
  ladder.demo("shares_of_v6", show_shares_of_v6, "the grid, and the loads");
  ladder.demo("blocks_of_128", show_blocks_of_128, "the ladder with other blocks");
  ladder.demo("sum_min_max_mean", show_sum_min_max_mean, "four results, one kernel");
  ladder.demo("rows", show_rows, "a block for each row");
  ladder.demo("float_sum", show_float_sum, "when the sum is large, small terms vanish");
}
