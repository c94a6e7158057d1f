// Checks float_max.cu: either side, equal distances, and that nobody gets lost, whoever comes in between.
#include "checker/nasty.hpp"

__global__ void farthest_of(const float *in, int n, float *farthest);

namespace {

std::optional<emu::Observation>
check(const std::vector<float> &h_in, const std::string &what, int block = 128) {
  const auto d_in = checker::on_device(h_in);
  const auto d_farthest = checker::on_device(std::vector<float>{0.0f});
  float expected = 0.0f, lowest = 0.0f;
  for (float value : h_in) {
    const float apart = std::fabs(value) - std::fabs(expected);
    expected = apart > 0.0f || (!(apart < 0.0f) && value > expected) ? value : expected;
    lowest = std::fmin(lowest, value);
  }
  const int n = static_cast<int>(h_in.size());
  auto seen = checker::launch(what, [&] {
    farthest_of<<<checker::enough_blocks(n, block), block>>>(d_in.data(), n, d_farthest.data());
  });
  const float got = d_farthest.at(0);
  checker::diagnose("sign_lost",
                    got != expected && got == -expected && got > 0.0f,
                    what + ": so far from 0 lies one of them, but on the other side");
  checker::diagnose(
      "negative_wins",
      got != expected && got < 0.0f && got == lowest,
      what + ": the farthest of the negative ones came out, and a positive one lies "
             "farther. The bit of the sign is the highest: as an unsigned, each negative "
             "float is larger than all positive ones");
  checker::expect_same("farthest of " + what, got, expected);
  return seen;
}

std::vector<float> growing(int n) { // to either side
  std::vector<float> numbers;
  for (int i = 1; i <= n; ++i)
    numbers.push_back(static_cast<float>(i % 2 == 0 ? i : -i));
  return numbers;
}

} // namespace

TEST_CASE("around zero") {
  check(checker::random_values<float>(1000, -1.0f, 1.0f), "1000 numbers");
  check(checker::random_values<float>(1000, -1.0f, 9.0f), "1000 numbers, the far ones positive");
}

TEST_CASE("all negative") {
  check(checker::random_values<float>(1000, -9.0f, -1.0f), "1000 negative numbers");
}

TEST_CASE("growing, so that each one is stored") {
  check(growing(500), "500 growing numbers");
  check(growing(193), "193 growing numbers", 47);
}

TEST_CASE("the ends of all floats, and zeros of either sign") {
  check({-0.0f, 0.0f, -0.0f}, "three zeros");
  check({-FLT_TRUE_MIN, -0.0f, 0.0f}, "three numbers next to 0");
  check({FLT_MIN, FLT_MAX, -1.0f}, "three numbers up to the largest float");
  check({-FLT_MAX, INFINITY, 1.0f}, "three numbers, one of them infinity");
  check({-INFINITY, INFINITY, -INFINITY}, "infinities of either sign");
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] {
    for (int n : {16, 64, 100, 200})
      check(growing(n), std::to_string(n) + " growing numbers");
  });
}

TEST_CASE("equally far, and a single one") {
  check({-2.5f, 2.5f, -2.5f, 1.0f}, "four numbers, three of them equally far");
  check(std::vector<float>(300, -2.5f), "300 equal numbers");
  check({-0.5f}, "one number");
  check({}, "no numbers");
}

TEST_CASE("each thread brings its number") {
  const auto seen = check(growing(512), "512 growing numbers");
  if (!seen)
    return;
  checker::expect_at_most("global_loads_per_thread",
                          checker::accesses_per_thread(*seen, emu::Access::global_load),
                          64,
                          "too_many_loads",
                          "a thread has its own number to load, and now and then the farthest one");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  if (seen->find("first_look"))
    checker::note("the first look at the word is an ordinary read. That is right here, because "
                  "atomicCAS looks again before it stores");
}
