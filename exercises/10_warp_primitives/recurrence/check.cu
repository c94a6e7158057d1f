// Checks recurrence.cu: the values, for blocks of any size, by all threads and with two barriers.
#include "checker/nasty.hpp"

__global__ void recurrence(const unsigned *a, const unsigned *b, int n, unsigned *y);

namespace {

struct Step {
  unsigned a = 1, b = 0;
  void then(Step later) { *this = {later.a * a, later.a * b + later.b}; }
};

// What a warp makes of its steps in rounds of 1, 2, … below `end`, if a lane takes in what comes from `offset` lanes down
// where takes(lane, offset). A lane without another one so far down gets its own.
// @param doubles  else each round's offset is one more than that of the round before
template <class Takes>
std::vector<unsigned> scanned(const std::vector<unsigned> &a,
                              const std::vector<unsigned> &b,
                              int end,
                              Takes takes,
                              bool doubles = true) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < a.size(); ++i)
    steps.push_back({a[i], b[i]});
  for (int offset = 1; offset < end; offset += doubles ? offset : 1)
    for (int lane = static_cast<int>(steps.size()) - 1; lane >= 0; --lane)
      if (takes(lane, offset)) {
        Step step = steps[lane >= offset && offset < 32 ? lane - offset : lane];
        step.then(steps[lane]);
        steps[lane] = step;
      }
  std::vector<unsigned> values;
  for (const Step &step : steps)
    values.push_back(step.b);
  return values;
}

std::optional<emu::Observation> check(int n, int block) {
  const auto h_a = checker::random_values<unsigned>(n, 2, ~0u);
  const auto h_b = checker::extreme_values<unsigned>(n);
  const auto d_a = checker::on_device(h_a), d_b = checker::on_device(h_b);
  const auto d_y = checker::poisoned<unsigned>(n);
  const std::string what = checker::counted(n, "step") + " in blocks of " + std::to_string(block);
  auto seen = checker::launch(what, [&] {
    recurrence<<<checker::enough_blocks(n, block), block>>>(d_a.data(), d_b.data(), n, d_y.data());
  });
  const auto got = d_y.download();
  std::vector<unsigned> expected(n), of_warps(n), backwards(n), twice(n);
  std::vector<Step> in_warp(n), in_block(n);
  Step reversed;
  for (int i = 0; i < n; ++i) {
    const Step mine{h_a[i], h_b[i]};
    if (i % block != 0)
      in_block[i] = in_block[i - 1];
    else
      reversed = {};
    if (i % block % 32 != 0)
      in_warp[i] = in_warp[i - 1];
    in_block[i].then(mine);
    in_warp[i].then(mine);
    Step later = mine; // first this step, then those before it
    later.then(reversed);
    reversed = later;
    expected[i] = in_block[i].b;
    of_warps[i] = in_warp[i].b;
    backwards[i] = reversed.b;
  }
  std::vector<unsigned> behind_first(n); // each warp hands on what its first lane alone comes to
  Step of_firsts;
  for (int i = 0; i < n; ++i) { // from the end of the own warp on, instead of its beginning
    const int last = i - i % block % 32 + 31;
    Step step = in_block[last < n ? last : n - 1];
    step.then(in_warp[i]);
    twice[i] = i % block < 32 && got[i] == expected[i] ? expected[i] : step.b;
    if (i % block == 0)
      of_firsts = {};
    step = of_firsts;
    step.then(in_warp[i]);
    behind_first[i] = step.b;
    if (i % block % 32 == 31)
      of_firsts.then({h_a[i - 31], h_b[i - 31]});
  }
  const auto is_by = [&](int end, auto &&takes) {
    return n > 1 && n <= 32 && got == scanned(h_a, h_b, end, takes);
  };
  bool own_again = false; // in any number of rounds
  for (int end : {4, 8, 16, 32, 64})
    own_again |= is_by(end, [](int, int) { return true; });
  const bool wrong = got != expected;
  checker::diagnose("new_a_taken",
                    wrong && n > 1 && block > 1 && got[1] != expected[1] &&
                        got[1] == h_b[1] + h_a[1] * h_a[0] * h_b[0],
                    what + ": element 1 is b1 + (a1 a0) b0: where two steps become one, the new a "
                           "stands where the old one belongs");
  checker::diagnose("warps_apart",
                    wrong && got == of_warps,
                    what + ": each warp begins with y = 0, not with what the warps before it have "
                           "come to");
  checker::diagnose("wrong_order",
                    wrong && got == backwards,
                    what + ": the steps were taken in reversed order: the last one first");
  checker::diagnose("own_warp_twice",
                    wrong && got == twice,
                    what +
                        ": each lane began with what its own warp comes to, and took the steps of "
                        "that warp once more");
  checker::diagnose("own_steps_again",
                    wrong && own_again,
                    what + ": where no lane is far enough down, a shuffle gives a lane its own "
                           "value, and those steps were taken once more");
  checker::diagnose("one_lane_left_out",
                    wrong && is_by(32, [](int lane, int offset) { return lane > offset; }),
                    what + ": in the round of 1 lane 1 takes nothing in, in that of 2 lane 2, and "
                           "so on: lane k has another one "
                           "k lanes down, too, which is lane 0");
  checker::diagnose(
      "offset_by_one",
      wrong && n > 1 && n <= 32 &&
          got == scanned(
                     h_a, h_b, 32, [](int lane, int offset) { return lane >= offset; }, false),
      what + ": the rounds are those of 1, 2, 3 … lanes down, and steps that a lane has taken "
             "already it takes again. What a lane has after a round of k are 2 k steps: the next "
             "round is that of 2 k");
  checker::diagnose("first_lane_handed_on",
                    wrong && got == behind_first,
                    what + ": what a warp hands on is its first step. All 32 of them are what its "
                           "last lane has come to, lane 31");
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
