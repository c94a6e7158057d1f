// Checks recurrence.cu: the values, for blocks of any size, by all threads and with two barriers.
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

// All steps behind i in its block, and i's own, in one; the last of the block comes first. And in its warp alone.
struct Scans {
  std::vector<Step> in_block, in_warp;
};

Scans scans_of(const std::vector<Step> &steps, int block) {
  const int n = static_cast<int>(steps.size());
  Scans scans{std::vector<Step>(n), std::vector<Step>(n)};
  for (int i = n - 1; i >= 0; --i) {
    if (i + 1 < n && (i + 1) % block != 0)
      scans.in_block[i] = scans.in_block[i + 1];
    if (i + 1 < n && (i + 1) % 32 != 0)
      scans.in_warp[i] = scans.in_warp[i + 1];
    scans.in_block[i].then(steps[i]);
    scans.in_warp[i].then(steps[i]);
  }
  return scans;
}

unsigned value(Step before, Step then) {
  before.then(then);
  return before.b;
}

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
  checker::diagnose("one_lane_left_out",
                    is_by(32, [](int lane, int offset) { return lane + offset < 31; }),
                    what + ": in the round of 1 lane 30 takes nothing in, in that of 2 lane 29, "
                           "and so on: lane 31 - k has another one k lanes up, too, which is lane "
                           "31");
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
             int block,
             const std::vector<unsigned> &got) {
  const int n = static_cast<int>(steps.size());
  const auto [in_block, in_warp] = scans_of(steps, block);
  std::vector<unsigned> from_the_left(n), turned_over(n), apart(n), twice(n), left_warp(n),
      behind_last(n), last_again(n), behind_first(n), with_a(n);
  Step up, over, of_last; // of_last: what the last lane alone of each warp up from here has
  for (int i = 0; i < n; ++i) {
    if (i % block == 0)
      up = {};
    up.then(steps[i]);
    from_the_left[i] = up.b;
  }
  for (int i = n - 1; i >= 0; --i) {
    if ((i + 1) % block == 0)
      over = of_last = {};
    Step first = steps[i]; // first this step, then those behind it
    first.then(over);
    over = first;
    const int warp = i - i % 32;
    turned_over[i] = over.b;
    behind_first[i] =
        value(in_warp[i], warp + 32 < n && (warp + 32) % block != 0 ? in_block[warp + 32] : Step());
    with_a[i] = in_block[i].a + in_block[i].b;
    apart[i] = in_warp[i].b;
    twice[i] = i % block >= block - 32 && got[i] == in_block[i].b
                   ? got[i]
                   : value(in_block[warp], in_warp[i]);
    left_warp[i] = i % block < 32 ? in_warp[i].b : value(in_block[warp - 32], in_warp[i]);
    behind_last[i] = value(of_last, in_warp[i]);
    const int last_warp = i - i % block + block - 32;
    Step
        again; // the last warp's steps for each warp that is not there, then those of the warps on the right
    for (int w = block / 32; w < 32 && last_warp < n; ++w)
      again.then(in_warp[last_warp]);
    if (warp + 32 < n)
      again.then(in_block[warp + 32]);
    last_again[i] = warp == last_warp ? in_warp[i].b : value(again, in_warp[i]);
    if (i == warp && i + 31 < n)
      of_last.then(steps[i + 31]);
  }
  const int last = std::min(n, block) - 1;
  checker::diagnose("new_a_taken",
                    last > 0 && got[last - 1] != in_block[last - 1].b &&
                        got[last - 1] ==
                            steps[last - 1].b + steps[last - 1].a * steps[last].a * steps[last].b,
                    what + ": the value before the last is b + (a a') b', where a' and b' are the "
                           "last step's: where two steps become one, the new a stands where the "
                           "old one belongs");
  std::vector<unsigned> sums(n);
  for (int i = n - 1; i >= 0; --i)
    sums[i] = steps[i].b + (i + 1 < n && (i + 1) % block != 0 ? sums[i + 1] : 0);
  checker::diagnose("b_not_multiplied",
                    last > 0 && got == sums,
                    what + ": y[i] is the sum of all b from i on. Where two steps become one, the "
                           "later one multiplies all that the earlier one has made of y");
  checker::diagnose(
      "a_not_multiplied",
      last > 1 && got[last] == in_block[last].b && got[last - 1] == in_block[last - 1].b &&
          got[last - 2] ==
              steps[last - 2].b + steps[last - 2].a * (steps[last - 1].b + steps[last].b),
      what + ": two steps are put together rightly, the third one goes wrong: two "
             "steps in one multiply y by a, and then by a again");
  checker::diagnose("from_the_left",
                    got == from_the_left,
                    what + ": y[i] is a[i] y[i - 1] + b[i]. What comes before step i here is step "
                           "i + 1, on its right");
  checker::diagnose("warps_apart",
                    got == apart,
                    what + ": each warp begins with y = 0, not with what the warps on its right "
                           "have come to");
  checker::diagnose("wrong_order",
                    got == turned_over,
                    what +
                        ": the same steps, in reversed order: step i is taken first here, and the "
                        "last of the block at the end");
  checker::diagnose(
      "warps_turned_over",
      got == behind_first,
      what + ": within a warp all is right, but a lane takes the steps of the warps on its "
             "right behind its own. They come first: which of the two is `earlier`?");
  checker::diagnose(
      "one_behind_the_last",
      got == with_a,
      what + ": y[i] is a + b of all steps in one, as if y were 1 behind the last. A step "
             "makes a * y + b of y, and there y is 0");
  checker::diagnose("own_warp_twice",
                    got == twice,
                    what + ": each lane began with what its own warp comes to, and took the steps "
                           "of that warp once more");
  checker::diagnose("left_warp_taken",
                    got == left_warp,
                    what + ": a warp begins with what the warp on its left has come to, in which "
                           "its own steps are already. What comes before them is on its right");
  checker::diagnose("last_lane_handed_on",
                    got == behind_last,
                    what + ": what a warp hands on is the step of its last lane. All 32 of them "
                           "are what lane 0 has come to");
  checker::diagnose("last_warp_again",
                    got == last_again,
                    what + ": lanes without a warp bring the last warp's steps once more, and from "
                           "the right they come before all others. They have to bring what changes "
                           "nothing");
  explain_one_warp(what, steps, got);
}

std::optional<emu::Observation> check(int n, int block) {
  auto h_a = checker::random_values<unsigned>(n, 2, ~0u);
  for (unsigned &a : h_a)
    a |= 1; // modulo 2^32, a few even ones in a row forget all that came before
  auto h_b = checker::extreme_values<unsigned>(n);
  std::ranges::reverse(h_b); // the first of them is not 0
  const auto d_a = checker::on_device(h_a), d_b = checker::on_device(h_b);
  const auto d_y = checker::poisoned<unsigned>(n);
  const std::string what = checker::counted(n, "step") + " in blocks of " + std::to_string(block);
  checker::perhaps("A block has " + checker::counted(block / 32, "warp") + ", numbers 0 to " +
                       std::to_string(block / 32 - 1) +
                       ": the last one has none on its right, and begins with y = 0",
                   "out_of_bounds",
                   "outside every __shared__ variable");
  checker::perhaps("A block has left one entry for each of its warps, here " +
                       std::to_string(block / 32) +
                       ": a lane that has no such warp brings the step that changes nothing",
                   "uninitialised",
                   "only behind this read");
  auto seen = checker::launch(what, [&] {
    recurrence<<<checker::enough_blocks(n, block), block>>>(d_a.data(), d_b.data(), n, d_y.data());
  });
  std::vector<Step> steps;
  for (int i = 0; i < n; ++i)
    steps.push_back({h_a[i], h_b[i]});
  const auto got = d_y.download();
  std::vector<unsigned> expected;
  for (const Step &step : scans_of(steps, block).in_block)
    expected.push_back(step.b);
  if (got != expected)
    explain(what, steps, block, got);
  checker::expect_same("y of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("one warp") {
  for (int n : {32, 20, 1})
    check(n, 32);
}

TEST_CASE("every size, by any number of warps") {
  checker::every_size(128, {32, 64, 96, 992, 1024}, check);
}

TEST_CASE("a thread for each step, and two barriers") {
  const auto seen = check(1024, 1024);
  if (!seen)
    return;
  checker::expect_masks_named(*seen);
  checker::expect_lanes(*seen,
                        emu::Access::global_load,
                        32.0,
                        "each lane loads one step, and all of a warp do so together");
  checker::expect_at_most("barriers_per_block",
                          checker::barriers_per_block(*seen),
                          2.0,
                          "too_many_barriers",
                          "only what whole warps come to goes through shared memory: wait until "
                          "all is there, and until "
                          "it is scanned");
}

TEST_CASE("one scan reads numbers of any base") {
  checker::unless_failed_before();
  checker::unobserved([] {
    const std::vector<std::pair<unsigned, std::string>> numbers = {
        {2, "101010"}, {3, "1120"}, {4, "222"}, {8, "52"}, {10, "42"}, {13, "42"}};
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
