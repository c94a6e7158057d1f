// Checks float_max.cu: either side, equal distances, the place, and that nobody gets lost, whoever comes in between.
#include <algorithm>

#include "checker/nasty.hpp"

__global__ void farthest_of(const float *in, int n, unsigned long long *farthest);

namespace {

using Word = unsigned long long;

Word word_of(float value, unsigned place) {
  return static_cast<Word>(std::bit_cast<unsigned>(value)) << 32 | place;
}
float value_of(Word word) { return std::bit_cast<float>(static_cast<unsigned>(word >> 32)); }

std::optional<emu::Observation>
check(const std::vector<float> &h_in, const std::string &what, int block = 128) {
  const auto d_in = checker::on_device(h_in);
  const Word nothing = word_of(0.0f, ~0u);
  const auto d_farthest = checker::on_device(std::vector<Word>{nothing});
  Word expected = nothing, largest = nothing;
  for (unsigned i = 0; i < h_in.size(); ++i) {
    const Word word = word_of(h_in[i], i);
    if (std::fabs(h_in[i]) > std::fabs(value_of(expected)) || (i == 0 && h_in[i] == 0.0f))
      expected = word;
    largest = std::max(largest, word);
  }
  const int n = static_cast<int>(h_in.size());
  checker::perhaps(
      "atomicCAS gives back what stood there. If that is what you compared with, it has "
      "stored, and the loop is done; so it is if yours is not farther than that. Else try "
      "again, and compare with what it gave back",
      "endless_loop");
  checker::perhaps(
      "Somebody may come between two looks, or a look and an exchange. One look serves the test "
      "and atomicCAS; where that fails, test what it gave back, and while yours is still farther, "
      "try again with that",
      "came_between");
  auto seen = checker::launch(what, [&] {
    farthest_of<<<checker::enough_blocks(n, block), block>>>(d_in.data(), n, d_farthest.data());
  });
  const Word got = d_farthest.at(0);
  const float far = value_of(got), expected_far = value_of(expected);
  checker::diagnose("sign_lost",
                    far != expected_far && far == -expected_far && far > 0.0f,
                    what + ": so far from 0 lies one of them, but on the other side");
  checker::diagnose(
      "negative_wins",
      got != expected && got == largest,
      what +
          ": the largest of all words came out, and a number lies farther. The bit of the sign is "
          "the highest: as unsigned words, negative floats are larger than all positive ones");
  checker::expect_same("farthest of " + what, far, expected_far);
  checker::diagnose("place_lost",
                    got != expected && std::fabs(h_in[static_cast<unsigned>(got) % h_in.size()]) !=
                                           std::fabs(expected_far),
                    what + ": the number is right, and in its place stands another one");
  checker::expect_same("place of the farthest of " + what,
                       static_cast<unsigned>(got),
                       static_cast<unsigned>(expected));
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
  check({1.0f, -2.5f, 2.5f, -2.5f}, "four numbers, three of them equally far");
  check(std::vector<float>(300, -2.5f), "300 equal numbers");
  check({-0.5f}, "one number");
  check({}, "no numbers");
}

TEST_CASE("nearer and nearer") {
  auto numbers = growing(512);
  std::reverse(numbers.begin(), numbers.end());
  if (const auto seen = check(numbers, "512 numbers, each nearer than the one before"))
    checker::record("atomics_of_512",
                    static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes));
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
  // Who looks at *farthest for a whole warp does so with one lane.
  checker::expect_lanes(*seen, emu::Access::global_load, 12.0);
}

TEST_CASE("a walk") {
  constexpr int steps = 74, rows = 15; // most of them above and below 0
  checker::unless_failed_before();
  std::vector<float> h_in;
  float at = 0.0f;
  for (const float step : checker::random_values<float>(steps, -2.0f, 2.0f))
    h_in.push_back(at += std::fabs(at + step) < rows / 2 ? step : -step);
  checker::unobserved([&] {
    const auto d_in = checker::on_device(h_in);
    const auto d_farthest = checker::on_device(std::vector<Word>{word_of(0.0f, ~0u)});
    farthest_of<<<3, 32>>>(d_in.data(), steps, d_farthest.data());
    const Word got = d_farthest.at(0);
    std::vector<std::string> lines(rows, std::string(steps, ' '));
    lines[rows / 2].assign(steps, '-');
    for (unsigned step = 0; step < steps; ++step)
      lines[rows / 2 - static_cast<int>(std::lround(h_in[step]))][step] =
          step == static_cast<unsigned>(got) ? '@' : '.';
    std::string text = "74 steps of a walk that began at 0. Where your threads found it farthest "
                       "from there stands an @:";
    for (const std::string &line : lines)
      text += '\n' + line.substr(0, line.find_last_not_of(' ') + 1);
    checker::note(text);
  });
}
