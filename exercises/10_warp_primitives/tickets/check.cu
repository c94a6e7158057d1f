// Checks tickets.cu: piles without gaps, and one atomic addition for each slot of a warp.
#include "checker/checker.hpp"

#include <algorithm>
#include <set>

__global__ void
tickets(const unsigned *slots, const unsigned *sizes, int n, unsigned *filled, unsigned *out);

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

struct Ball {
  unsigned bottom, size;
};

/// From the lowest on; of every slot.
std::vector<std::vector<Ball>> piles(const std::vector<unsigned> &slots,
                                     const std::vector<unsigned> &sizes,
                                     const std::vector<unsigned> &heights) {
  std::vector<std::vector<Ball>> of_slot(256);
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i] < 256)
      of_slot[slots[i]].push_back({heights[i], sizes[i]});
  for (auto &pile : of_slot)
    std::sort(
        pile.begin(), pile.end(), [](const Ball &a, const Ball &b) { return a.bottom < b.bottom; });
  return of_slot;
}

/// Whether each ball lies as if all of its warp on its left (or right) that lie below it were as large as itself.
bool by_own_size(const std::vector<unsigned> &slots,
                 const std::vector<unsigned> &sizes,
                 const std::vector<unsigned> &heights,
                 bool right) {
  const std::size_t n = slots.size();
  const auto begin = [&](std::size_t i) { // of its group's room, if so
    const auto first = slots.begin() + i / 32 * 32, self = slots.begin() + i;
    const auto end = slots.begin() + std::min(n, i / 32 * 32 + 32);
    const auto below = std::count(right ? self + 1 : first, right ? end : self, slots[i]);
    return heights[i] - static_cast<unsigned>(below) * sizes[i];
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i / 32 * 32; j < i; ++j)
      if (slots[i] < 256 && slots[j] == slots[i] && begin(i) != begin(j))
        return false;
  return true;
}

void expect_one_for_a_slot(const std::string &what,
                           const emu::Observation &seen,
                           const std::vector<unsigned> &slots) {
  std::size_t different = 0; // of each warp
  for (std::size_t first = 0; first < slots.size(); first += 32) {
    const auto begin = slots.begin() + first;
    std::set<unsigned> of_warp(begin, begin + std::min<std::size_t>(32, slots.size() - first));
    of_warp.erase(of_warp.lower_bound(256), of_warp.end());
    different += of_warp.size();
  }
  checker::expect_at_most(
      "atomic_additions",
      static_cast<double>(checker::total(seen, emu::Access::global_atomic).lanes),
      static_cast<double>(different),
      "too_many_atomics",
      what + ": a warp needs one atomic addition for each slot that its balls run into");
}

void expect_room(const std::string &what,
                 const std::vector<unsigned> &h_slots,
                 const std::vector<unsigned> &h_sizes,
                 const std::vector<unsigned> &filled) {
  const int n = static_cast<int>(h_slots.size());
  // How high each slot is filled; how many balls are in it; and what is asked for if a group's first lane knows its own
  // ball alone, if all are taken to be as large as the first or the last one, or each of a group asks for all of it.
  std::vector<unsigned> high(256, 0), balls(256, 0), first_alone(256, 0), as_first(256, 0),
      as_last(256, 0), for_all(256, 0);
  for (int first = 0; first < n; first += 32) {
    std::vector<unsigned> here(256, 0), sum(256, 0), of_first(256, 0), of_last(256, 0);
    for (int i = first; i < n && i < first + 32; ++i)
      if (const unsigned slot = h_slots[i]; slot < 256) {
        of_first[slot] = here[slot]++ == 0 ? h_sizes[i] : of_first[slot];
        of_last[slot] = h_sizes[i];
        sum[slot] += h_sizes[i];
      }
    for (int slot = 0; slot < 256; ++slot) {
      high[slot] += sum[slot];
      balls[slot] += here[slot];
      first_alone[slot] += of_first[slot];
      as_first[slot] += here[slot] * of_first[slot];
      as_last[slot] += here[slot] * of_last[slot];
      for_all[slot] += here[slot] * sum[slot];
    }
  }
  checker::diagnose("drawn_by_all",
                    filled != high && filled == for_all,
                    what + ": every ball asked for the room of its whole group. One of them is to "
                           "ask");
  checker::diagnose("one_for_a_group",
                    filled != high && filled == first_alone,
                    what + ": of each group the room of its first ball was asked for, and of no "
                           "other one");
  checker::diagnose("balls_counted",
                    filled != high && filled == balls,
                    what + ": the room asked for is the number of balls. They are 1, 2 or 3 high");
  checker::diagnose("as_large_as_one",
                    filled != high && (filled == as_first || filled == as_last),
                    what +
                        ": of each group the room asked for is the number of its balls times the "
                        "size of the one that asks. Each ball has a size of its own: add them up, "
                        "for the room and for each height");
  checker::expect_same("heights of the piles of " + what, filled, high);
}

std::optional<emu::Observation> check(const std::vector<unsigned> &h_slots,
                                      const std::string &slots) {
  const int n = static_cast<int>(h_slots.size());
  const auto h_sizes = checker::random_values<unsigned>(n, 1, 3);
  const auto d_slots = checker::on_device(h_slots), d_sizes = checker::on_device(h_sizes);
  const auto d_filled = checker::on_device(std::vector<unsigned>(256, 0));
  const auto d_out = checker::poisoned<unsigned>(n);
  const std::string what = checker::counted(n, "ball") + ", " + slots;
  auto seen = checker::launch(what, [&] {
    tickets<<<checker::enough_blocks(n, 128), 128>>>(
        d_slots.data(), d_sizes.data(), n, d_filled.data(), d_out.data());
  });
  expect_room(what, h_slots, h_sizes, d_filled.download());

  const auto out = d_out.download();
  for (int i = 0; i < n; ++i)
    if (h_slots[i] >= 256 && out[i] != jumped_off)
      checker::expect(false,
                      "in_no_slot",
                      what + ": ball " + std::to_string(i) + " has jumped off (slot " +
                          std::to_string(h_slots[i]) + "), and gets the height " +
                          std::to_string(out[i]) + " instead of jumped_off");
  bool fits = true, on_itself = true;
  std::string same, overlap, gap;
  const auto got = piles(h_slots, h_sizes, out);
  for (std::size_t slot = 0; slot < got.size(); ++slot) {
    unsigned top = 0;
    for (const Ball &ball : got[slot]) {
      if (fits && ball.bottom != top) {
        fits = false;
        const std::string one = "a ball of size " + std::to_string(ball.size) + " lies at " +
                                std::to_string(ball.bottom) + " in slot " + std::to_string(slot);
        const bool twice =
            std::ranges::count(got[slot], ball.bottom, [](const Ball &b) { return b.bottom; }) > 1;
        (twice               ? same
         : ball.bottom < top ? overlap
                             : gap) =
            one + ", where the pile below it is " + std::to_string(top) + " high";
      }
      top += ball.size;
    }
    std::vector<Ball> lower = got[slot];
    for (Ball &ball : lower)
      ball.bottom -= ball.size;
    std::sort(lower.begin(), lower.end(), [](const Ball &a, const Ball &b) {
      return a.bottom < b.bottom;
    });
    top = 0;
    for (const Ball &ball : lower) {
      on_itself = on_itself && ball.bottom == top;
      top += ball.size;
    }
  }
  checker::expect(fits || !on_itself || n == 0,
                  "on_itself",
                  what + ": every ball lies too high by its own size. Of its group a lane counts "
                         "those on its left, and not itself");
  checker::expect(fits || !(by_own_size(h_slots, h_sizes, out, false) ||
                            by_own_size(h_slots, h_sizes, out, true)),
                  "heights_as_large_as_one",
                  what +
                      ": as much room as balls need was asked for, but each ball lies as high as "
                      "if all balls of its warp below it were as large as itself. Each has a "
                      "size of its own");
  checker::expect(same.empty(),
                  "same_height",
                  what + ": as much room as balls need was asked for, but " + same +
                      ", as does another one");
  checker::expect(overlap.empty(),
                  "overlap",
                  what + ": as much room as balls need was asked for, but " + overlap);
  checker::expect(gap.empty(), "wrong_result", what + ": " + gap);
  if (seen)
    expect_one_for_a_slot(what, *seen, h_slots);
  return seen;
}

} // namespace

TEST_CASE("four slots in a warp") { check(slots_of(1024, 4), "4 slots in each warp"); }

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(slots_of(n, 3), "3 slots in each warp");
}

TEST_CASE("one slot, and slots all over") {
  const auto seen = check(std::vector<unsigned>(1000, 7), "one slot");
  if (seen)
    checker::record("additions_of_1000_balls", (1000 + 31) / 32);
  check(checker::random_values<unsigned>(1024, 0, 255), "any slot");
}

TEST_CASE("one atomic addition for each slot of a warp") {
  const auto seen = check(slots_of(1024, 4), "4 slots in each warp");
  if (!seen)
    return;
  checker::expect_each_loaded_once(*seen, 2 * 1024);
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  checker::expect_masks_named(*seen);
  checker::expect_no_shared(*seen);
}

TEST_CASE("all jump off") { check(std::vector<unsigned>(100, 256), "which all jump off"); }

TEST_CASE("a board of 15 rows of pins") {
  checker::unobserved([] {
    constexpr int balls = 64, slots = 16;
    std::vector<unsigned> h_slots(balls, 0); // how often a ball runs to the right
    for (int pin = 0; pin < slots - 1; ++pin) {
      const auto right = checker::random_values<unsigned>(balls, 0, 1);
      for (int i = 0; i < balls; ++i)
        h_slots[i] += right[i];
    }
    const auto h_sizes = checker::random_values<unsigned>(balls, 1, 3);
    const auto d_slots = checker::on_device(h_slots), d_sizes = checker::on_device(h_sizes);
    const auto d_filled = checker::on_device(std::vector<unsigned>(256, 0));
    const auto d_out = checker::poisoned<unsigned>(balls);
    tickets<<<checker::enough_blocks(balls, 128), 128>>>(
        d_slots.data(), d_sizes.data(), balls, d_filled.data(), d_out.data());
    const auto height = d_out.download();
    const unsigned rows = std::min(40u, std::ranges::max(d_filled.download()));
    std::vector<bool> cells(rows * 4 * slots);
    for (int i = 0; i < balls; ++i)
      for (unsigned up = 0; up < h_sizes[i]; ++up)
        for (unsigned across = 0; across < h_sizes[i] && height[i] + up < rows; ++across)
          cells[(rows - 1 - height[i] - up) * 4 * slots + 4 * h_slots[i] + across +
                (h_sizes[i] == 1)] = true;
    checker::note("64 balls below 15 rows of pins, where your kernel has laid them, each as wide "
                  "as it is high:" +
                  checker::picture(cells, 4 * slots));
  });
}

TEST_CASE("whoever comes in between") {
  checker::unless_failed_before();
  checker::in_drawn_orders([] { check(slots_of(600, 3), "3 slots in each warp"); });
}
