// Checks float_max.cu: either sign, equal numbers, and that nobody gets lost.
#include "checker/checker.hpp"

#include <cmath>

__global__ void largest_of(const float *in, int n, float *largest);

namespace {

void check(std::vector<float> h_in, const std::string &what) {
  const auto d_in = checker::on_device(h_in);
  const auto d_largest = checker::on_device(std::vector<float>{-INFINITY});
  float expected = -INFINITY, nearest = INFINITY;
  for (float value : h_in) {
    expected = std::fmax(expected, value);
    nearest = std::fabs(value) < std::fabs(nearest) ? value : nearest;
  }
  const int n = static_cast<int>(h_in.size());
  checker::observe(what, [&] {
    largest_of<<<(n + 127) / 128, 128>>>(d_in.data(), n, d_largest.data());
    LAB_CHECK_LAUNCH();
  });
  const float got = d_largest.at(0);
  checker::diagnose("still_infinite",
                    got == -INFINITY,
                    what + ": minus infinity is still there: nobody stored anything");
  checker::expect_same("largest of " + what, got, expected);
}

} // namespace

TEST_CASE("around zero") {
  check(checker::random_values<float>(1000, -1.0f, 1.0f), "1000 numbers");
}

TEST_CASE("all negative") {
  check(checker::random_values<float>(1000, -9.0f, -1.0f), "1000 negative numbers");
}

TEST_CASE("growing, so that each one is stored") {
  std::vector<float> growing(500);
  for (int i = 0; i < 500; ++i)
    growing[i] = static_cast<float>(i) - 250.0f;
  check(growing, "500 growing numbers");
}

TEST_CASE("all equal, and a single one") {
  check(std::vector<float>(300, -2.5f), "300 equal numbers");
  check({-0.5f}, "one number");
}
