// Checks tickets.cu: each height once, and one atomic addition for each slot of a warp.
#include "checker/checker.hpp"

#include <algorithm>

__global__ void tickets(const unsigned *slots, int n, unsigned *filled, unsigned *out);

namespace {

constexpr unsigned jumped_off = 0xffffffff;

// Slots of which the balls of a warp run into so many different ones, mixed; one in eight jumps off.
std::vector<unsigned> slots_of(int n, unsigned different) {
  const auto which = checker::random_values<unsigned>(n, 0, different - 1);
  const auto first = checker::random_values<unsigned>((n + 31) / 32, 0, 255);
  const auto jumps = checker::random_values<unsigned>(n, 0, 7);
  std::vector<unsigned> slots(n);
  for (int i = 0; i < n; ++i) { // the first lanes go to one each, so that none is left out
    const bool leads = i % 32 < int(different);
    slots[i] = (first[i / 32] + 61 * (leads ? i % 32 : which[i])) % 256;
    if (!leads && jumps[i] == 0)
      slots[i] = 256 + which[i] * 40000;
  }
  return slots;
}

// The heights, slot after slot, those of a slot from the lowest on.
std::vector<unsigned> by_slot(const std::vector<unsigned> &slots, std::vector<unsigned> heights) {
  std::vector<std::vector<unsigned>> of_slot(256);
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i] < 256)
      of_slot[slots[i]].push_back(heights[i]);
  heights.clear();
  for (auto &in_one : of_slot) {
    std::sort(in_one.begin(), in_one.end());
    heights.insert(heights.end(), in_one.begin(), in_one.end());
  }
  return heights;
}

std::optional<emu::Observation> check(const std::vector<unsigned> &h_slots,
                                      const std::string &slots) {
  const int n = static_cast<int>(h_slots.size());
  const auto d_slots = checker::on_device(h_slots);
  const auto d_filled = checker::on_device(std::vector<unsigned>(256, 0));
  const auto d_out = checker::poisoned<unsigned>(n);
  const std::string what = checker::counted(n, "ball") + ", " + slots;
  checker::perhaps(
      "filled has the slots 0 to 255. Balls that have jumped off have larger numbers, and "
      "nobody asks for a height for them",
      "out_of_bounds");
  auto seen = checker::launch(what, [&] {
    tickets<<<checker::enough_blocks(n, 128), 128>>>(
        d_slots.data(), n, d_filled.data(), d_out.data());
  });
  // How many balls run into each slot; the groups of them in one warp; and what is asked for if each of a
  // group asks for all of it.
  std::vector<unsigned> balls(256, 0), groups(256, 0), for_all(256, 0);
  for (int first = 0; first < n; first += 32) {
    std::vector<unsigned> here(256, 0);
    for (int i = first; i < n && i < first + 32; ++i)
      if (h_slots[i] < 256)
        ++here[h_slots[i]];
    for (int slot = 0; slot < 256; ++slot) {
      balls[slot] += here[slot];
      groups[slot] += here[slot] > 0;
      for_all[slot] += here[slot] * here[slot];
    }
  }
  const auto filled = d_filled.download();
  checker::diagnose(
      "drawn_by_all",
      filled != balls && filled == for_all,
      what + ": every ball asked for the heights of its whole group. One of them is to ask");
  checker::diagnose("one_for_a_group",
                    filled != balls && filled == groups,
                    what + ": one height was taken for each group, however many balls it has");
  checker::expect_same("balls in the slots of " + what, filled, balls);

  const auto out = d_out.download();
  for (int i = 0; i < n; ++i)
    checker::expect(h_slots[i] < 256 || out[i] == jumped_off,
                    "in_no_slot",
                    what + ": ball " + std::to_string(i) + " has jumped off (slot " +
                        std::to_string(h_slots[i]) + "), and gets the height " +
                        std::to_string(out[i]) + " instead of jumped_off");
  const auto got = by_slot(h_slots, out);
  std::vector<unsigned> expected;
  for (unsigned count : balls)
    for (unsigned height = 0; height < count; ++height)
      expected.push_back(height);
  bool one_more = !got.empty() && got != expected;
  for (std::size_t i = 0; i < got.size(); ++i)
    one_more = one_more && got[i] == expected[i] + 1;
  checker::diagnose("one_too_high",
                    one_more,
                    what + ": every ball lies at one height too many, and the lowest of each slot "
                           "at 1. Of its group a lane counts those ahead of it, and not itself");
  bool by_lane = got != expected; // two balls of a warp in one slot are as far apart as their lanes
  for (int i = 0; i < n; ++i)
    for (int other = i - i % 32; other < i; ++other)
      by_lane = by_lane && (h_slots[other] != h_slots[i] || h_slots[i] > 255 ||
                            out[i] - out[other] == static_cast<unsigned>(i - other));
  checker::diagnose("counted_by_lane",
                    by_lane,
                    what +
                        ": a group's heights go up with the lane, also past lanes whose balls are "
                        "in other slots. Only lanes of one's own slot are to be counted");
  bool leaders = got != expected; // all but the first of each group have counted from 0
  for (int i = 0; i < n; ++i) {
    unsigned ahead = 0;
    for (int other = i - i % 32; other < i; ++other)
      ahead += h_slots[other] == h_slots[i];
    leaders = leaders && (h_slots[i] > 255 || ahead == 0 || out[i] == ahead);
  }
  checker::diagnose(
      "nobody_told",
      leaders,
      what + ": the lane that has asked is right, and the others of its group count their "
             "heights from 0, not from where the group's begin: it has to tell them");
  bool twice = false;
  for (std::size_t i = 1; i < got.size(); ++i) // a new slot begins with 0
    twice = twice || (got[i] == got[i - 1] && expected[i] != 0);
  checker::diagnose("same_height",
                    twice,
                    what +
                        ": as many heights as balls were taken, but two balls of a slot have the "
                        "same one");
  checker::expect_same("sorted heights of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("four slots in a warp") { check(slots_of(1024, 4), "4 slots in each warp"); }

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(slots_of(n, 3), "3 slots in each warp");
}

TEST_CASE("one slot, and slots all over") {
  check(std::vector<unsigned>(500, 7), "one slot");
  check(checker::random_values<unsigned>(1024, 0, 255), "any slot");
}

TEST_CASE("one atomic addition for each slot of a warp") {
  const auto seen = check(slots_of(1024, 4), "4 slots in each warp");
  if (!seen)
    return;
  checker::expect_at_most(
      "atomics_per_warp",
      static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes) / 32.0,
      4.0,
      "too_many_atomics",
      "a warp whose balls run into 4 different slots needs 4 atomic additions");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  checker::expect_each_loaded_once(*seen, 1024);
  checker::expect_masks_named(*seen);
}

TEST_CASE("all jump off") { check(std::vector<unsigned>(100, 256), "which all jump off"); }

TEST_CASE("a board of 15 rows of pins") {
  checker::unobserved([] {
    constexpr int balls = 160, slots = 16;
    std::vector<unsigned> h_slots(balls, 0); // how often a ball runs to the right
    for (int pin = 0; pin < slots - 1; ++pin) {
      const auto right = checker::random_values<unsigned>(balls, 0, 1);
      for (int i = 0; i < balls; ++i)
        h_slots[i] += right[i];
    }
    const auto d_slots = checker::on_device(h_slots);
    const auto d_filled = checker::on_device(std::vector<unsigned>(256, 0));
    const auto d_out = checker::poisoned<unsigned>(balls);
    tickets<<<checker::enough_blocks(balls, 128), 128>>>(
        d_slots.data(), balls, d_filled.data(), d_out.data());
    const auto height = d_out.download();
    std::vector<int> in_slot(slots, 0);
    for (const unsigned slot : h_slots)
      ++in_slot[slot];
    const int rows = std::ranges::max(in_slot);
    std::vector<bool> cells(rows * 4 * slots);
    for (int i = 0; i < balls; ++i)
      for (int part = 0; part < 3; ++part)
        if (height[i] < unsigned(rows))
          cells[(rows - 1 - height[i]) * 4 * slots + 4 * h_slots[i] + part] = true;
    checker::note("160 balls below 15 rows of pins, where your kernel has laid them:" +
                  checker::picture(cells, 4 * slots));
  });
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] { check(slots_of(600, 3), "3 slots in each warp"); });
}
