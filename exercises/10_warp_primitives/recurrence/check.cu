// Checks recurrence.cu: the values, for rows of any length, by all lanes and with few shuffles.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void recurrence(const unsigned *a, const unsigned *b, int n, unsigned *y);

namespace {

struct Step {
  unsigned a = 1, b = 0;
  void then(Step later) { *this = {later.a * a, later.a * b + later.b}; }
};

// What a warp makes of its steps in rounds of 1, 2, … below `end`, if a lane takes in what comes from `offset` lanes up
// where takes(lane, offset). A lane without another one so far up gets its own.
// @param doubles  else each round's offset is one more than that of the round before
template <class Takes>
std::vector<unsigned>
scanned(const std::vector<Step> &of_warp, int end, Takes takes, bool doubles = true) {
  std::vector<Step> steps = of_warp;
  steps.resize(32);
  for (int offset = 1; offset < end; offset += doubles ? offset : 1)
    for (int lane = 0; lane < 32; ++lane)
      if (takes(lane, offset)) {
        Step step = steps[lane + offset < 32 ? lane + offset : lane];
        step.then(steps[lane]);
        steps[lane] = step;
      }
  std::vector<unsigned> values;
  for (std::size_t i = 0; i < of_warp.size(); ++i)
    values.push_back(steps[i].b);
  return values;
}

// What comes of a row whose warp takes 32 steps at a time, from the right.
// @param value    of a lane: from its steps in one, and from what was handed on
// @param from     the lane that hands its value on to all; own: each hands it on to itself
constexpr int own = -1;
template <class Value>
std::vector<unsigned> by_32(const std::vector<Step> &steps, int from, Value value) {
  std::vector<unsigned> y(steps.size());
  const int n = static_cast<int>(steps.size());
  for (int end = n; end > 0; end -= 32) {
    Step all;
    for (int lane = 31; lane >= 0 && end - 32 + lane >= 0; --lane) {
      all.then(steps[end - 32 + lane]);
      y[end - 32 + lane] = value(all, end < n ? y[end + (from == own ? lane : from)] : 0);
    }
  }
  return y;
}

unsigned through(const Step &step, unsigned y) { return step.a * y + step.b; }

void explain_one_warp(const std::string &what,
                      const std::vector<Step> &steps,
                      const std::vector<unsigned> &got) {
  const int n = static_cast<int>(steps.size());
  const auto is_by = [&](int end, auto &&takes, bool doubles = true) {
    return n > 1 && n <= 32 && got == scanned(steps, end, takes, doubles);
  };
  const auto has_another = [](int lane, int offset) { return lane + offset < 32; };
  bool own_again = false; // in any number of rounds
  for (int end : {4, 8, 16, 32, 64})
    own_again |= is_by(end, [](int, int) { return true; });
  checker::diagnose("own_steps_again",
                    own_again,
                    what + ": where no lane is far enough up, a shuffle gives a lane its own "
                           "value, and those steps were taken once more");
  checker::diagnose("test_not_turned",
                    is_by(32, [](int lane, int offset) { return lane >= offset; }),
                    what + ": in the round of k the lanes below k take nothing in, though there is "
                           "a lane k up. Without another one k up are the last k lanes");
  checker::diagnose("a_round_short",
                    is_by(16, has_another),
                    what + ": each lane has 16 steps in one, its own and those of 15 lanes up. "
                           "After a round of k they are 2 k, so that of 8 is not the last");
  checker::diagnose("offset_by_one",
                    is_by(32, has_another, false),
                    what + ": the rounds are those of 1, 2, 3 … lanes up, and steps that a lane "
                           "has taken already it takes again. What a lane has after a round of k "
                           "are 2 k steps: the next round is that of 2 k");
}

void explain(const std::string &what,
             const std::vector<Step> &steps,
             const std::vector<unsigned> &expected,
             const std::vector<unsigned> &got) {
  const int n = static_cast<int>(steps.size()), last = n - 1;
  std::vector<unsigned> from_the_left(n), turned_over(n), sums(n);
  Step up, over;
  for (int i = 0; i < n; ++i) {
    up.then(steps[i]);
    from_the_left[i] = up.b;
  }
  for (int i = last; i >= 0; --i) {
    Step first = steps[i]; // first this step, then those behind it
    first.then(over);
    over = first;
    turned_over[i] = over.b;
    sums[i] = steps[i].b + (i < last ? sums[i + 1] : 0);
  }
  checker::diagnose("new_a_taken",
                    last > 0 && got[last - 1] != expected[last - 1] &&
                        got[last - 1] ==
                            steps[last - 1].b + steps[last - 1].a * steps[last].a * steps[last].b,
                    what + ": the value before the last is b + (a a') b', where a' and b' are the "
                           "last step's: where two steps become one, the new a stands where the "
                           "old one belongs");
  checker::diagnose("b_not_multiplied",
                    last > 0 && got == sums,
                    what + ": y[i] is the sum of all b from i on. Where two steps become one, the "
                           "later one multiplies all that the earlier one has made of y");
  checker::diagnose(
      "a_not_multiplied",
      last > 1 && got[last] == expected[last] && got[last - 1] == expected[last - 1] &&
          got[last - 2] ==
              steps[last - 2].b + steps[last - 2].a * (steps[last - 1].b + steps[last].b),
      what + ": two steps are put together rightly, the third one goes wrong: two "
             "steps in one multiply y by a, and then by a again");
  checker::diagnose("from_the_left",
                    got == from_the_left,
                    what + ": y[i] is a[i] y[i - 1] + b[i]. What comes before step i here is step "
                           "i + 1, on its right");
  checker::diagnose(
      "wrong_order",
      last > 0 && last < 32 && got == turned_over,
      what + ": the same steps, in reversed order: step i is taken first here, and the "
             "last of the row at the end. In then(), and where you call it: which of the two "
             "does its step to y first?");
  checker::diagnose("rounds_apart",
                    got == by_32(steps, 0, [](const Step &mine, unsigned) { return mine.b; }),
                    what + ": each 32 steps begin with y = 0, not with what the steps on their "
                           "right have come to");
  checker::diagnose(
      "a_left_out",
      got == by_32(steps, 0, [](const Step &mine, unsigned behind) { return mine.b + behind; }),
      what + ": what the steps on the right have come to is added as it is. It goes through all "
             "steps of a lane, which multiply it by their a");
  checker::diagnose("last_lane_handed_on",
                    got == by_32(steps, 31, through),
                    what + ": each 32 steps begin with what lane 31 of those on the right has come "
                           "to. From the right, that lane is the first; the last one is lane 0");
  checker::diagnose("own_lane_handed_on",
                    got == by_32(steps, own, through),
                    what + ": each lane goes on from its own y of the 32 steps before, y[i] from "
                           "y[i + 32]. But all of those 32 lie on the right of every lane: which "
                           "lane knows what they have come to?");
  explain_one_warp(what, steps, got);
}

/// By all lanes, 32 steps at a time, also where fewer are left.
void expect_few_rounds(const std::string &what, const emu::Observation &seen, int n, int rows) {
  const double rounds = (n + 31) / 32 * rows;
  const emu::AccessCounts loads = checker::total(seen, emu::Access::global_load);
  checker::expect_at_most("loads_of_32_steps",
                          static_cast<double>(loads.requests) / rounds,
                          4, // of two steps by a lane, as well
                          "idle_lanes",
                          what + ": the values are right, but few lanes do what is meant for all: "
                                 "each loads one step, and all of a warp do so together");
  checker::expect_at_most("shuffles_of_32_steps",
                          checker::meetings_per_warp(seen) * rows / rounds,
                          13,
                          "too_many_shuffles",
                          what + ": the values are right, but five rounds of two shuffles and one "
                                 "to hand on what 32 steps have come to are 11");
}

std::optional<emu::Observation> check(int n, int rows) {
  const std::size_t all = static_cast<std::size_t>(n) * rows;
  auto h_a = checker::random_values<unsigned>(all, 2, ~0u);
  for (unsigned &a : h_a)
    a |= 1; // modulo 2^32, a few even ones in a row forget all that came before
  auto h_b = checker::extreme_values<unsigned>(all);
  std::ranges::reverse(h_b); // the first of them is not 0
  const auto d_a = checker::on_device(h_a), d_b = checker::on_device(h_b);
  const auto d_y = checker::poisoned<unsigned>(all);
  const std::string what =
      (rows > 1 ? std::to_string(rows) + " rows of " : "a row of ") + checker::counted(n, "step");
  auto seen = checker::launch(
      what, [&] { recurrence<<<rows, 32>>>(d_a.data(), d_b.data(), n, d_y.data()); });
  const auto y = d_y.download();
  for (int row = 0; row < rows; ++row) {
    std::vector<Step> steps;
    for (int i = 0; i < n; ++i)
      steps.push_back({h_a[row * n + i], h_b[row * n + i]});
    const std::vector<unsigned> got(y.begin() + row * n, y.begin() + (row + 1) * n);
    const auto expected = by_32(steps, 0, through);
    if (got != expected)
      explain(what, steps, expected, got);
    checker::expect_same("y of " + what, got, expected);
  }
  if (seen && n > 0)
    expect_few_rounds(what, *seen, n, rows);
  return seen;
}

} // namespace

TEST_CASE("up to 32 steps") {
  for (int n : {32, 20, 2, 1})
    check(n, 1);
}

TEST_CASE("rows of any length") {
  if (const auto seen = check(96, 3))
    checker::expect_lanes(*seen, emu::Access::global_load, 20.0);
  for (int n : checker::sizes())
    check(n, 1);
}

TEST_CASE("all lanes, and few shuffles") {
  const auto seen = check(1024, 1);
  if (!seen)
    return;
  checker::record("rounds_of_a_row", 1024.0 / 32 * 5);
  checker::expect_masks_named(*seen);
  checker::expect_no_shared(*seen);
  checker::expect_lanes(*seen,
                        emu::Access::global_load,
                        32.0,
                        "each lane loads one step, and all of a warp do so together");
  checker::expect_each_loaded_once(*seen, 2 * 1024);
}

TEST_CASE("one scan reads numbers of any base") {
  checker::unless_failed_before();
  checker::unobserved([] {
    const std::vector<std::pair<unsigned, std::string>> numbers = {{2, "101010"},
                                                                   {3, "1120"},
                                                                   {4, "222"},
                                                                   {5, "132"},
                                                                   {6, "110"},
                                                                   {7, "60"},
                                                                   {8, "52"},
                                                                   {9, "46"},
                                                                   {10, "42"},
                                                                   {13, "42"}};
    std::vector<unsigned> a, b, ends;
    for (const auto &[base, number] : numbers) {
      for (std::size_t i = number.size(); i-- > 0;) { // the last digit first
        a.push_back(i == 0 ? 0 : base); // no game goes on behind its last move
        b.push_back(number[i] - '0');
      }
      ends.push_back(static_cast<unsigned>(a.size() - number.size()));
    }
    const int n = static_cast<int>(a.size());
    const auto d_a = checker::on_device(a), d_b = checker::on_device(b);
    const auto d_y = checker::poisoned<unsigned>(n);
    recurrence<<<1, 32>>>(d_a.data(), d_b.data(), n, d_y.data());
    const auto y = d_y.download();
    std::string text =
        "One scan of yours reads numbers of any base, as y = digit + base x the rest:";
    for (std::size_t i = 0; i < numbers.size(); ++i)
      text += "\n" + numbers[i].second + " in base " + std::to_string(numbers[i].first) + " is " +
              std::to_string(y[ends[i]]);
    checker::note(text + "\nWhat do you get if you multiply six by nine?");
  });
}
