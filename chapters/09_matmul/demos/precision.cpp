#include "demos/precision.hpp"

#include "demos/demos.hpp"
#include "steps/steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

namespace {

const Summation &summation(const char *key) {
  for (const Summation &way : summations())
    if (std::strcmp(way.key, key) == 0)
      return way;
  throw lab::Error(1, std::string("no way of adding up is called ") + key);
}

Errors errors_by(Matmul &p, void (*run)(Matmul &), const std::vector<double> &exact) {
  p.prepare();
  run(p);
  return errors_of(p.plain, exact);
}

void run_step(Matmul &p, const char *name) {
  for (const auto &steps : {first_steps(), last_steps(), kahan_steps()})
    for (const Step &step : steps)
      if (std::strcmp(step.name, name) == 0) {
        if (step.before)
          step.before(p);
        return step.run(p);
      }
  throw lab::Error(1, std::string("no step is called ") + name);
}

} // namespace

double ulp_of(double x) { return std::ldexp(1.0, std::ilogb(x) - 23); }

Errors errors_of(const Operands &m, const std::vector<double> &exact) {
  std::vector<float> C(static_cast<size_t>(m.M) * m.ldc);
  lab::detail::copy(C.data(), m.C, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
  Errors errors;
  size_t counted = 0;
  for (int row = 0; row < m.M; ++row)
    for (int col = 0; col < m.N; ++col) {
      const double right = exact[static_cast<size_t>(row) * m.N + col];
      if (right == 0.0)
        continue; // has no relative error
      const double off = std::fabs(C[static_cast<size_t>(row) * m.ldc + col] - right);
      const double relative = off / std::fabs(right), ulp = off / ulp_of(right);
      // Not std::max: what is not a number must not get lost.
      errors.max_relative = relative <= errors.max_relative ? errors.max_relative : relative;
      errors.max_ulp = ulp <= errors.max_ulp ? errors.max_ulp : ulp;
      errors.mean_relative += relative;
      errors.mean_ulp += ulp;
      ++counted;
    }
  errors.mean_relative /= static_cast<double>(counted);
  errors.mean_ulp /= static_cast<double>(counted);
  return errors;
}

std::vector<double> exact_product(const Matmul &p) {
  const Shape3 &s = p.shape;
  const auto units = [](float x) { return static_cast<std::int64_t>(x * 0x1p24f); };
  std::vector<double> exact(static_cast<size_t>(s.M) * s.N);
  std::vector<std::int64_t> sums(static_cast<size_t>(s.N));
  for (int row = 0; row < s.M; ++row) {
    sums.assign(sums.size(), 0);
    for (int k = 0; k < s.K; ++k) {
      const std::int64_t a = units(p.h_A[static_cast<size_t>(row) * p.plain.lda + k]);
      const float *const b = &p.h_B[static_cast<size_t>(k) * p.plain.ldb];
      for (int col = 0; col < s.N; ++col)
        sums[col] += a * units(b[col]);
    }
    for (int col = 0; col < s.N; ++col)
      exact[static_cast<size_t>(row) * s.N + col] = std::ldexp(static_cast<double>(sums[col]), -48);
  }
  return exact;
}

void say_errors_head(lab::Demo &demo) {
  demo.say("  %-32s %10s %10s %9s %9s\n", "", "greatest", "mean", "greatest", "mean");
  demo.say("  %-32s %21s %19s\n", "", "relative error", "in ULP");
}

void say_errors(lab::Demo &demo, const char *key, const char *name, const Errors &e) {
  demo.say("  %-32s %10.2e %10.2e %9.3g %9.3g\n",
           name,
           e.max_relative,
           e.mean_relative,
           e.max_ulp,
           e.mean_ulp);
  const std::string k = key;
  demo.value(k + "_max", e.max_relative);
  demo.value(k + "_mean", e.mean_relative);
  demo.value(k + "_max_ulp", e.max_ulp);
  demo.value(k + "_mean_ulp", e.mean_ulp);
}

void show_precision(lab::Demo &demo) {
  const int n = static_cast<int>(demo.n_or(demo.quick() ? 200 : lab::on_emulator() ? 256 : 4096));
  Matmul p({n, n, n}, demo.seed(), {0.0f, 1.0f});
  // Beyond 1024 the host's whole numbers take too long; a sum in double is off by 10^-13.
  const bool exactly = n <= 1024;
  const std::vector<double> exact = exactly ? exact_product(p) : p.expected;
  for (size_t i = 0; exactly && i < exact.size(); ++i)
    if (!(std::fabs(exact[i] - p.expected[i]) <=
          lab::gamma(n, lab::unit_roundoff<double>()) * p.sum_abs[i])) {
      demo.expect(false, "the sum in double agrees with the exact one");
      break;
    }
  demo.say("C = A B, %d x %d, factors between 0 and 1;\nagainst %s\n\n",
           n,
           n,
           exactly ? "exact sums, in whole numbers of 2^-48" : "sums in double");
  say_errors_head(demo);
  Errors plain, kahan, per_tile;
  for (const char *key : {"plain", "kahan", "neumaier", "pairwise", "doubled", "in_double"}) {
    const Summation &way = summation(key);
    const Errors e = errors_by(p, way.run, exact);
    say_errors(demo, key, way.name, e);
    if (way.key == std::string("plain"))
      plain = e;
  }
  const auto step = [&](const char *key, const char *name) {
    p.prepare();
    run_step(p, name);
    const Errors e = errors_of(p.plain, exact);
    say_errors(demo, key, name, e);
    return e;
  };
  step("v18", "v18_equal_shares");
  kahan = step("k1", "k1_kahan_tiles");
  per_tile = step("k2", "k2_kahan_per_tile");

  demo.value("n", n);
  const double u = lab::unit_roundoff<float>();
  // Higham, 2nd ed., eq. 4.8: 2 u + O(K u^2) of the sum of absolute values, which here is the sum.
  demo.expect(kahan.max_relative <= 3.0 * u, "Kahan is off by no more than 3 u");
  demo.expect(plain.max_relative <= product_tolerance(n), "a plain sum keeps its bound");
  demo.expect(n < 64 || kahan.mean_relative < plain.mean_relative, "Kahan beats a plain sum");
  // Of a short sum 64 products are a large part, and their plain sum is not better than any other.
  demo.expect(n < 1024 || per_tile.mean_relative <= 1.2 * kahan.mean_relative,
              "Kahan once in 64 products is as good as always, within a fifth, in the mean");
  demo.expect(n < 1024 || per_tile.max_relative <= 2.5e-7, "and never off by more than 2.5e-7");
}

namespace {

// Row r of A: K / 2 random numbers, then the same ones turned negative, but for a little; B's lower
// half repeats its upper one. So every sum nearly cancels: what is left is some 2^-12 of its terms.
Matmul nearly_cancelling(int n, std::uint64_t seed) {
  const int half = n / 2, K = 2 * half;
  std::vector<float> A(static_cast<size_t>(n) * K), B(static_cast<size_t>(K) * n);
  for (int row = 0; row < n; ++row)
    for (int k = 0; k < half; ++k) {
      const std::uint64_t i = static_cast<std::uint64_t>(row) * half + k;
      const float a = lab::random_float(seed, i, -1.0f, 1.0f) * 0.5f;
      const float little = static_cast<float>(lab::random_int(seed + 1, i, -1000, 1000)) * 0x1p-24f;
      A[static_cast<size_t>(row) * K + k] = a;
      A[static_cast<size_t>(row) * K + half + k] = little - a;
    }
  for (int k = 0; k < half; ++k)
    for (int col = 0; col < n; ++col) {
      const std::uint64_t i = static_cast<std::uint64_t>(k) * n + col;
      const float b = lab::random_float(seed + 2, i, -1.0f, 1.0f);
      B[static_cast<size_t>(k) * n + col] = B[static_cast<size_t>(half + k) * n + col] = b;
    }
  return Matmul({n, n, K}, std::move(A), std::move(B));
}

// The median over all elements of sum |a b| / |sum a b|: how much a rounding error grows.
double median_condition(const Matmul &p, const std::vector<double> &exact) {
  std::vector<double> conditions;
  for (size_t i = 0; i < exact.size(); ++i)
    if (exact[i] != 0.0)
      conditions.push_back(p.sum_abs[i] / std::fabs(exact[i]));
  if (conditions.empty())
    return 0.0;
  const auto middle = conditions.begin() + static_cast<std::ptrdiff_t>(conditions.size() / 2);
  std::nth_element(conditions.begin(), middle, conditions.end());
  return *middle;
}

} // namespace

void show_cancellation(lab::Demo &demo) {
  const int n = static_cast<int>(demo.n_or(demo.quick() ? 64 : lab::on_emulator() ? 256 : 1024));
  const auto table = [&](const char *title, const char *prefix, Matmul &p) {
    const std::vector<double> exact = exact_product(p);
    const double condition = median_condition(p, exact);
    demo.say("%s: the absolute values add up to %.3g times the sum (median)\n\n", title, condition);
    say_errors_head(demo);
    Errors kahan;
    for (const char *key : {"plain", "kahan", "neumaier", "pairwise", "doubled", "in_double"}) {
      const Summation &way = summation(key);
      const Errors e = errors_by(p, way.run, exact);
      say_errors(demo, (std::string(prefix) + key).c_str(), way.name, e);
      if (key == std::string("in_double"))
        demo.expect(n > 4096 || e.max_ulp <= 0.51, "a sum in double is the nearest float");
      if (key == std::string("kahan"))
        kahan = e;
      if (key == std::string("doubled"))
        demo.expect(e.mean_relative < kahan.mean_relative, "losing nothing beats Kahan");
      if (key == std::string("plain"))
        demo.expect(p.check());
    }
    demo.say("\n");
    demo.value(std::string(prefix) + "condition", condition);
  };
  Matmul zero_mean({n, n, n}, demo.seed());
  table("factors between -1 and 1", "zero_mean_", zero_mean);
  Matmul cancelling = nearly_cancelling(n, demo.seed());
  table("terms that nearly cancel", "cancelling_", cancelling);
  demo.value("n", n);
}
