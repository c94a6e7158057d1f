#include "problem.hpp"

namespace {

std::vector<Value> random_values(size_t n, std::uint64_t seed) {
  std::vector<Value> values(n);
  lab::fill_random(values.data(), n, seed);
  return values;
}

} // namespace

Value sum_loop(const std::vector<Value> &values) {
  Value sum = 0;
  for (Value value : values)
    sum += value;
  return sum;
}

// Each level has at most one block per 32 elements of the level before.
Reduction::Reduction(const lab::Case &c)
    : n(c.n), block(c.block), h_in(random_values(c.n, c.seed)), expected(sum_loop(h_in)), d_in(c.n),
      d_out(1), d_partials{lab::DeviceBuffer<Value>(blocks_for(c.n, 32)),
                           lab::DeviceBuffer<Value>(blocks_for(c.n, 32 * 32))},
      d_word(1) {
  d_in.upload(h_in);
  LAB_CHECK(cudaMemset(d_word.data(), 0, d_word.bytes()));
}

void Reduction::prepare() {
  lab::poison(d_out);
  lab::poison(d_partials[0]);
  lab::poison(d_partials[1]);
  host_result = ~expected;
}

lab::Verdict Reduction::check() { return lab::compare_value("sum", d_out.at(0), expected); }

void copy_input_on_device(Reduction &p) {
  if (p.d_scratch.size() < p.n)
    p.d_scratch = lab::DeviceBuffer<Value>(p.n);
  if (p.n > 0)
    LAB_CHECK(cudaMemcpyAsync(
        p.d_scratch.data(), p.d_in.data(), p.d_in.bytes(), cudaMemcpyDeviceToDevice));
}

Kernel kernel_for(int block, const Kernel (&kernels)[6]) {
  for (int i = 0; i < 6; ++i)
    if (block == 32 << i)
      return kernels[i];
  throw lab::Error(1, "block sizes of this chapter are the powers of two from 32 to 1024");
}
