#include "demos/both_ways.hpp"
#include "demos/demos.hpp"
#include "demos/precision.hpp"

#include <cmath>

namespace {

void show_host(lab::Demo &demo) {
  const size_t n = demo.quick() ? 100000 : 10000000;
  std::vector<float> values(n);
  lab::fill_random(values.data(), n, demo.seed());
  double exact = 0.0; // multiples of 2^-24, fewer than 2^24 of them: no rounding
  for (float value : values)
    exact += static_cast<double>(value);
  const auto line = [&](const char *key, const char *name, float sum) {
    const double error = std::fabs(sum - exact) / exact;
    demo.say("  %-40s %10.2e\n", name, error);
    demo.value(key, error);
    return error;
  };
  const HostSums usual = host_sums(values.data(), n);
  const HostSums fast = host_sums_fast_math(values.data(), n);
  demo.say("on the host, %zu numbers between 0 and 1: relative error of the sum\n\n", n);
  line("host_plain", "one after the other", usual.plain);
  const double kahan = line("host_kahan", "Kahan", usual.kahan);
  line("host_plain_fast", "one after the other, -ffast-math", fast.plain);
  const double killed = line("host_kahan_fast", "Kahan, -ffast-math", fast.kahan);
  demo.expect(kahan <= 2.0 * lab::unit_roundoff<float>(),
              "Kahan's sum is right to the last bit or so");
  demo.expect(killed > kahan, "-ffast-math takes Kahan's correction away");
}

// The greatest distance from the right results, in ULP.
double worst_ulp(const std::vector<float> &results, const std::vector<double> &right) {
  double worst = 0.0;
  for (size_t i = 0; i < right.size(); ++i) {
    const double off = std::fabs(results[i] - right[i]) / ulp_of(right[i]);
    worst = off <= worst ? worst : off;
  }
  return worst;
}

void show_device(lab::Demo &demo) {
  const int n = demo.quick() ? 64 : lab::on_emulator() ? 256 : 1024;
  Matmul p({n, n, n}, demo.seed(), {0.0f, 1.0f});
  const std::vector<double> exact = exact_product(p);
  const auto errors = [&](void (*multiply)(const Operands &)) {
    p.prepare();
    multiply(p.plain);
    return errors_of(p.plain, exact);
  };
  demo.say("\non the device%s:\nC = A B, %d x %d, factors between 0 and 1\n\n",
           lab::on_emulator() ? " (the emulator compiles both in the same way)" : "",
           n,
           n);
  say_errors_head(demo);
  const Errors usual = errors(multiply_kahan), fast = errors(multiply_kahan_fast_math);
  say_errors(demo, "device_kahan", "Kahan", usual);
  say_errors(demo, "device_kahan_fast", "Kahan, --use_fast_math", fast);
  demo.expect(usual.max_relative <= 3.0 * lab::unit_roundoff<float>(), "Kahan's bound holds");
  demo.expect(fast.max_relative <= 3.0 * lab::unit_roundoff<float>(),
              "nvcc does not reorder additions, even with --use_fast_math");

  const int values = 1 << 16;
  std::vector<float> x(values);
  lab::fill_random(x.data(), x.size(), demo.seed(), -10.0f, 10.0f);
  std::vector<float> y(values);
  lab::fill_random(y.data(), y.size(), demo.seed() + 1, 0.5f, 100.0f);
  std::vector<double> right(values);
  for (int i = 0; i < values; ++i)
    right[i] = std::exp(static_cast<double>(x[i])) / static_cast<double>(y[i]);
  lab::DeviceBuffer<float> d_x(x), d_y(y), d_out(values);
  lab::poison(d_out);
  divide_exp(d_x.data(), d_y.data(), d_out.data(), values);
  const double accurate = worst_ulp(d_out.download(), right);
  lab::poison(d_out);
  divide_exp_fast_math(d_x.data(), d_y.data(), d_out.data(), values);
  const double hurried = worst_ulp(d_out.download(), right);
  demo.say("\n  expf(x) / y, greatest error:                    %6.2f ULP\n", accurate);
  demo.say("  the same, --use_fast_math:                      %6.2f ULP\n", hurried);
  demo.value("exp_ulp", accurate);
  demo.value("exp_fast_ulp", hurried);
  demo.expect(accurate <= 4.0, "expf and a division are off by 4 ULP at most");
}

} // namespace

void show_fast_math(lab::Demo &demo) {
  show_host(demo);
  show_device(demo);
}
