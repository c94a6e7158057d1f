// Checks float_max.cu: either sign, zeros of either sign, equal numbers, and that nobody gets lost, whoever
// comes in between.
#include "checker/checker.hpp"

#include <cfloat>
#include <cmath>

__global__ void largest_of(const float *in, int n, float *largest);

namespace {

void check(std::vector<float> h_in, const std::string &what) {
  const auto d_in = checker::on_device(h_in);
  const auto d_largest = checker::on_device(std::vector<float>{-INFINITY});
  float expected = -INFINITY;
  for (float value : h_in)
    expected = std::fmax(expected, value);
  const int n = static_cast<int>(h_in.size());
  checker::observe(what, [&] {
    largest_of<<<(n > 0 ? (n + 127) / 128 : 1), 128>>>(d_in.data(), n, d_largest.data());
    LAB_CHECK_LAUNCH();
  });
  const float got = d_largest.at(0);
  checker::diagnose("still_infinite",
                    got != expected && got == -INFINITY,
                    what + ": minus infinity is still there: nobody stored anything");
  checker::diagnose("minus_zero_lost",
                    std::signbit(expected) && expected == 0.0f && got < 0.0f,
                    what +
                        ": the largest of them is -0, and it was lost. As an int its bits are the "
                        "smallest number there is");
  checker::expect_same("largest of " + what, got, expected);
}

std::vector<float> growing(int n) {
  std::vector<float> numbers;
  for (int i = 0; i < n; ++i)
    numbers.push_back(static_cast<float>(i - n / 2));
  return numbers;
}

} // namespace

TEST_CASE("around zero") {
  check(checker::random_values<float>(1000, -1.0f, 1.0f), "1000 numbers");
}

TEST_CASE("all negative") {
  check(checker::random_values<float>(1000, -9.0f, -1.0f), "1000 negative numbers");
}

TEST_CASE("growing, so that each one is stored") { check(growing(500), "500 growing numbers"); }

TEST_CASE("the ends of all floats, and zeros of either sign") {
  check({-1.0f, -0.0f, -2.0f}, "three numbers, -0 the largest of them");
  check({-INFINITY, -FLT_MAX, -FLT_MIN, -FLT_TRUE_MIN}, "four numbers next to -infinity and to 0");
  check({0.0f, -0.0f, FLT_TRUE_MIN, FLT_MIN, FLT_MAX}, "five numbers up to the largest float");
  check({1.0f, INFINITY, FLT_MAX}, "three numbers, one of them infinity");
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] {
    for (int n : {16, 64, 100, 200})
      check(growing(n), std::to_string(n) + " growing numbers");
  });
}

TEST_CASE("all equal, and a single one") {
  check(std::vector<float>(300, -2.5f), "300 equal numbers");
  check({-0.5f}, "one number");
  check({}, "no numbers");
}
