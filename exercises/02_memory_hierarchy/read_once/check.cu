// Checks read_once.cu: the beats at all ends, of any numbers, and how often global memory is read.
#include "checker/nasty.hpp"

#include <algorithm>

void rhythm(char *signs);
__global__ void beats(const int *in, int n, int least, int *out);

namespace {

/// What comes out if value(i, k) is what counts as number k for element i, and a window has so many behind it.
/// @param off  how many places in front of element i the number stands that is taken for it
template <class Value>
std::vector<int> beats_of(int n, int least, Value value, int behind = 4, int off = 0) {
  std::vector<int> out;
  for (int i = 0; i < n; ++i) {
    const int mine = value(i, i - off);
    bool beat = mine >= least;
    for (int k = i - 4; k <= i + behind; ++k)
      beat = beat && value(i, k) <= mine;
    out.push_back(beat);
  }
  return out;
}

std::optional<emu::Observation> check(const std::vector<int> &h_in, int least) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<int>(n);
  const auto at = [&](int k, int outside) { return 0 <= k && k < n ? h_in[k] : outside; };
  const auto number = [&](int, int k) { return at(k, INT_MIN); };
  const auto expected = beats_of(n, least, number);
  const std::string what = checker::counted(n, "number");
  checker::perhaps(
      "Of the 136 places each has a number of its own, and one thread that brings it. Which place "
      "is that of in[first + 128]?",
      "shared_race",
      "two threads write s_data[");
  auto seen = checker::launch(what, [&] {
    beats<<<checker::enough_blocks(n, 128), 128>>>(d_in.data(), n, least, d_out.data());
  });
  const auto got = d_out.download();
  const bool wrong = got != expected; // else nobody asks what it looks like
  const auto other = [&](int bound, auto value, int behind = 4, int off = 0) {
    return wrong ? beats_of(n, bound, value, behind, off) : std::vector<int>();
  };
  const auto instead =
      [&](const char *diagnosis, const std::vector<int> &made, const std::string &text) {
        checker::diagnose(diagnosis, n > 4 && wrong && got == made, what + ": " + text);
      };
  instead("zeros_outside",
          other(least, [&](int, int k) { return at(k, 0); }),
          "a beat that is negative is lost at an end, as where there is nothing stands a greater "
          "number, a 0 for instance. Which is the smallest of all ints?");
  instead("four_behind",
          other(least, [&](int, int k) { return at(k + 4, INT_MIN); }),
          "each answer is that of the element four places behind. The first window begins with "
          "in[first - 4]: where in s_data have you put that?");
  instead(
      "rim_missing",
      other(least,
            [&](int i, int k) { return k >= 0 && k / 128 == i / 128 ? at(k, INT_MIN) : INT_MIN; }),
      "right inside of a block, wrong at its ends: the four numbers on either side belong to "
      "other blocks, and are needed all the same");
  const int lost = std::max(n - 4, 0); // if a thread tests its own place where it reads another
  instead("own_place_tested",
          other(least,
                [&](int i, int k) {
                  return k < lost || (k + 4) / 128 != i / 128 ? at(k, INT_MIN) : INT_MIN;
                }),
          "number " + std::to_string(lost) + " counts as nothing: thread " +
              std::to_string((lost + 4) % 128) +
              " should bring it, and its own place is past the last one. Test the place that is "
              "read, and not the thread's own");
  instead(
      "least_forgotten", other(INT_MIN, number), "a signal below `least` counts as a beat, too");
  instead("window_too_short",
          other(least, number, 3),
          "only three numbers behind each are looked at. Four before, itself and four behind are "
          "nine");
  for (const int short_by : {1, 2})
    instead("rim_too_short",
            other(least,
                  [&](int i, int k) {
                    return k > i / 128 * 128 + 131 - short_by ? INT_MIN : at(k, INT_MIN);
                  }),
            "the last of the four numbers behind a block's own do not count. Which place of s_data "
            "has the last one, and does anybody bring it?");
  instead("four_places_off",
          other(least, number, 4, 4),
          "the number four places in front of each is taken for it. At which place of s_data have "
          "you put element i?");
  for (const auto &[before, behind] : {std::pair(4, 4), std::pair(4, 0), std::pair(0, 4)}) {
    std::vector<int> greater(expected);
    for (int i = 0; wrong && i < n; ++i)
      for (int k = i - before; k <= i + behind; ++k)
        greater[i] &= k == i || number(i, k) < h_in[i];
    checker::diagnose("equal_is_not_greater",
                      wrong && got == greater,
                      what + ": a number that is as great as another one in its window is no beat "
                             "here. None may be greater, and an equal one is not greater");
  }
  checker::expect_same("beats among " + what, got, expected);
  const double blocks = checker::enough_blocks(n, 128);
  if (seen && n > 0)
    checker::expect_at_most(
        "loads_of_a_block",
        static_cast<double>(checker::total(*seen, emu::Access::global_load).lanes) / blocks,
        136,
        "too_many_loads",
        what +
            ": a block needs 136 numbers for its 128 windows: hardly more than one load for each");
  return seen;
}

/// All negative, and the greatest at both ends.
std::vector<int> negative(int n) {
  auto values = checker::random_values<int>(n, -1000, -100);
  if (n > 0)
    values.front() = values.back() = -50;
  return values;
}

} // namespace

TEST_CASE("several blocks") { check(negative(384), -400); }

TEST_CASE("numbers of which many are equal") {
  check(checker::random_values<int>(300, -6, -1), -5);
}

TEST_CASE("every size") {
  for (int n : checker::sizes()) {
    check(checker::extreme_values<int>(n), INT_MIN);
    if (n < 100)
      check(negative(n), -300);
  }
}

TEST_CASE("ends of every kind") {
  for (int n : {3, 4, 5, 124, 127, 128, 129, 132, 133})
    check(checker::random_values<int>(n, -99, -1), -90);
}

TEST_CASE("500 numbers, and a last block that is not full") {
  check(negative(200), -300);
  if (const auto seen = check(negative(500), -300))
    checker::record("loads_for_500",
                    static_cast<double>(checker::total(*seen, emu::Access::global_load).lanes));
}

TEST_CASE("each number comes from global memory once") {
  constexpr int n = 129 * 128; // more blocks than a block has threads
  const auto seen = check(negative(n), -300);
  if (!seen)
    return;
  checker::expect_at_most(
      "loads_per_element",
      static_cast<double>(checker::total(*seen, emu::Access::global_load).lanes) / n,
      1.1,
      "too_many_loads",
      "a block needs 136 numbers for its 128 windows: hardly more than one load "
      "for each");
  checker::expect_lanes(*seen, emu::Access::global_load, 12.0); // few lanes fetch the rims
}

TEST_CASE("your heart") {
  checker::unless_failed_before();
  constexpr int per_sign = 5, per_line = 15, lines = 3, height = 4, least = 50; // readings, signs
  std::vector<char> typed(1024);
  rhythm(typed.data());
  std::string signs(typed.begin(), std::find(typed.begin(), typed.end(), '\0'));
  signs.resize(lines * per_line, '.');
  const int n = static_cast<int>(signs.size()) * per_sign;
  const int beat[] = {6, 14, 96, -24, 8}, rest[] = {20, 28, 18, 0, 0}; // which follows a beat
  std::vector<int> signal = checker::random_values<int>(n, -14, -6);
  for (int i = 0; i < n; ++i) {
    const int sign = i / per_sign;
    signal[i] += signs[sign] == 'x'                   ? beat[i % per_sign]
                 : sign > 0 && signs[sign - 1] == 'x' ? rest[i % per_sign]
                                                      : 0;
  }
  std::vector<int> got;
  checker::unobserved([&] {
    const auto d_in = checker::on_device(signal);
    const auto d_out = checker::poisoned<int>(n);
    beats<<<checker::enough_blocks(n, 128), 128>>>(d_in.data(), n, least, d_out.data());
    got = d_out.download();
  });
  const auto number = [&](int, int k) { return 0 <= k && k < n ? signal[k] : INT_MIN; };
  checker::expect_same("beats of a heart", got, beats_of(n, least, number));
  std::vector<int> heard, gaps; // at which signs, and how many from one to the next
  for (int i = 0; i < n; ++i)
    if (got[i]) {
      if (!heard.empty())
        gaps.push_back(i / per_sign - heard.back());
      heard.push_back(i / per_sign);
    }
  if (gaps.empty()) {
    checker::note("Your kernel is right. But a heart has two beats at least: see rhythm().");
    return;
  }
  std::vector<int> sorted(gaps);
  std::sort(sorted.begin(), sorted.end());
  const int usual = sorted[sorted.size() / 2];
  std::string marks(signs.size(), ' ');
  int early = 0, missing = 0;
  for (std::size_t i = 0; i < heard.size(); ++i) {
    const int gap = i > 0 ? gaps[i - 1] : usual;
    early += 4 * gap < 3 * usual;
    marks[heard[i]] = 4 * gap < 3 * usual ? '!' : '^';
    for (int back = usual; 4 * (gap - back) > 3 * usual; back += usual) {
      marks[heard[i] - back] = '?';
      ++missing;
    }
  }
  const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string drawing;
  for (int line = 0; line < lines; ++line) {
    const int first = line * per_line * per_sign, end = first + per_line * per_sign;
    for (int row = height - 1; row >= 0; --row) {
      drawing += '\n';
      for (int i = first; i < end; ++i)
        drawing += bars[std::clamp((signal[i] + 44) / 4 - 8 * row, 0, 8)];
    }
    std::string below;
    for (int sign = line * per_line; sign < (line + 1) * per_line; ++sign)
      below += std::string("  ") + marks[sign] + "  ";
    drawing += "\n" + below.substr(0, below.find_last_not_of(' ') + 1);
  }
  const auto times = [](int count) -> std::string {
    return count == 0 ? "never" : count == 1 ? "once" : std::to_string(count) + " times";
  };
  checker::note("Your heart, and each beat (^) that your kernel has heard: mostly " +
                std::to_string(60 * 4 / usual) + " a minute. A beat came too early (!) " +
                times(early) + ", and was missing (?) " + times(missing) +
                ". Type another rhythm, in rhythm():" + drawing);
}
