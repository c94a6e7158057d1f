#include "problem.hpp"

namespace {

constexpr unsigned widest_block = 1024;
constexpr unsigned usual_block = 256;

std::vector<int> random_values(size_t n, std::uint64_t seed) {
  std::vector<int> values(n);
  lab::fill_random(values.data(), n, seed, -largest_value, largest_value);
  return values;
}

// One partial sum per thread, of one wide block or of as many blocks as the device holds.
size_t most_partials() {
  const size_t threads = static_cast<size_t>(blocks_to_fill(usual_block)) * usual_block;
  return threads > widest_block ? threads : widest_block;
}

} // namespace

SumOfSquares::SumOfSquares(const lab::Case &c)
    : n(c.n), h_in(random_values(c.n, c.seed)), expected(sum_on_host(h_in)), d_in(c.n),
      d_partials(most_partials()) {
  d_in.upload(h_in);
}

void SumOfSquares::prepare() {
  lab::poison(d_partials);
  partials = 0;
  host_result = ~expected;
}

lab::Verdict SumOfSquares::check() {
  Sum sum = 0;
  const std::vector<Sum> h_partials = d_partials.download();
  for (size_t i = 0; i < partials; ++i)
    sum += h_partials[i];
  return lab::compare_value("sum of squares", sum, expected);
}

Sum sum_on_host(const std::vector<int> &values) {
  Sum sum = 0;
  for (long long value : values)
    sum += static_cast<Sum>(value * value);
  return sum;
}

void run_host_loop(SumOfSquares &p) { p.host_result = sum_on_host(p.h_in); }

lab::Verdict check_host_loop(SumOfSquares &p) {
  return lab::compare_value("sum of squares", p.host_result, p.expected);
}
