// Checks shuffle_sum.cu: by registers, with one barrier, for any number of warps, and with the days in their order.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void dry_spell(const int *rain, int n, int *out);

namespace {

struct Days {
  int all, front, back, best;
};

/// What somebody may have done otherwise.
struct Slips {
  bool front_stays = false, back_stays = false, ends_always = false, days_not_counted = false;
  bool not_added = false, other_ends = false, best_of_a = false;
  int lane = 0; ///< whose days are taken for the warp's
};

Days join(Days a, Days b, Slips slips) {
  const int front = slips.ends_always || (a.front == a.all && !slips.front_stays) ? b.front : 0;
  const int back = slips.ends_always || (b.back == b.all && !slips.back_stays) ? a.back : 0;
  const int across = slips.not_added    ? std::max(a.back, b.front)
                     : slips.other_ends ? a.front + b.back
                                        : a.back + b.front;
  return {slips.days_not_counted ? a.all : a.all + b.all,
          a.front + front,
          b.back + back,
          std::max({a.best, slips.best_of_a ? 0 : b.best, across})};
}

/// What lane 0 has after rounds of these distances.
Days warp_days(std::vector<Days> lanes, const std::vector<int> &distances, Slips slips = {}) {
  for (int distance : distances) {
    const std::vector<Days> before = lanes;
    for (int lane = 0; lane < 32; ++lane) {
      const Days next = before[lane + distance < 32 ? lane + distance : lane];
      lanes[lane] = join(lanes[lane], next, slips);
    }
  }
  return lanes[slips.lane];
}

/// What a block would find out in such rounds.
int spell_by(const std::vector<bool> &dry,
             int block,
             const std::vector<int> &distances,
             Slips slips = {}) {
  std::vector<Days> warps(32, Days{0, 0, 0, 0});
  for (int warp = 0; warp < block / 32; ++warp) {
    std::vector<Days> lanes;
    for (std::size_t day = 32 * warp; day < 32 * warp + 32u; ++day) {
      const int is_dry = day < dry.size() && dry[day];
      lanes.push_back({1, is_dry, is_dry, is_dry});
    }
    warps[warp] = warp_days(lanes, distances, slips);
  }
  slips.lane = 0;
  return warp_days(warps, distances, slips).best;
}

int longest(const std::vector<bool> &dry) {
  int now = 0, best = 0;
  for (const bool is_dry : dry) {
    now = is_dry ? now + 1 : 0;
    best = std::max(best, now);
  }
  return best;
}

const std::vector<int> doubled = {1, 2, 4, 8, 16}, halved = {16, 8, 4, 2, 1},
                       once_more = {1, 2, 4, 8, 16, 32};

/// What may be wrong with blocks whose spells are `got`, where these days lie in them.
void explain(const std::string &what,
             const std::vector<int> &got,
             const std::vector<std::vector<bool>> &dry,
             int block) {
  std::vector<int> right;
  for (const auto &days : dry)
    right.push_back(longest(days));
  if (got == right)
    return;
  const auto wrong = std::ranges::mismatch(got, right).in1 - got.begin();
  const auto each = [&](auto spell_of) { return std::ranges::equal(got, dry, {}, {}, spell_of); };
  const auto by = [&](const std::vector<int> &distances, Slips slips) {
    return each([&](const auto &days) { return spell_by(days, block, distances, slips); });
  };
  const auto said = [&](const std::string &why) {
    return what + ": " + (got.size() > 1 ? "in block " + std::to_string(wrong) + " " : "") +
           "the longest dry spell has " + checker::counted(right[wrong], "day") + ", and " +
           std::to_string(got[wrong]) + " came out. " + why;
  };
  checker::diagnose("never_across",
                    got[wrong] == 1 && std::ranges::all_of(got, [](int s) { return s <= 1; }),
                    said("A day alone has a spell of at most 1, and it never grows: what lies "
                         "across the border, a's last dry days and b's first ones, is one spell"));
  checker::diagnose("joined_otherwise",
                    by(doubled, {.not_added = true}),
                    said("So it is if of a's last dry days and b's first ones only the more are "
                         "taken: they follow each other, and together they are one spell"));
  checker::diagnose("joined_otherwise",
                    by(doubled, {.other_ends = true}),
                    said("a's days lie ahead of b's, so a's back and b's front meet at the border, "
                         "and not a's front and b's back"));
  checker::diagnose("round_too_many",
                    got.size() > 4 && by(once_more, {}),
                    said("So it is if in a sixth round of distance 32 a warp's days are joined "
                         "once more with themselves: 1, 2, 4, 8 and 16 are all"));
  checker::diagnose(
      "out_of_order",
      by(halved, {}),
      said("So it is of days 0, 16, 8, 24, 4 …, which is how distances of 16, 8, 4 put them: lane "
           "0 joins lane 16's day to its own. A sum doesn't mind; here neighbours come first"));
  checker::diagnose(
      "first_warp_only",
      block > 32 && each([](const auto &days) {
        return longest(
            {days.begin(), days.begin() + std::min<std::ptrdiff_t>(32, days.end() - days.begin())});
      }),
      said("That is the first warp's"));
  checker::diagnose(
      "from_below",
      std::ranges::all_of(
          got, [](int spell) { return spell == 0 || spell == 32 * 32; }), // ten rounds with itself
      said("Lane 0 knows nothing of the others' days: __shfl_up_sync() asks lanes "
           "below it, and there are none"));
  checker::diagnose(
      "ends_stay",
      by(doubled, {.front_stays = true, .back_stays = true}) ||
          by(doubled, {.front_stays = true}) || by(doubled, {.back_stays = true}),
      said("Days without any rain have one spell, from their beginning to their end. What is "
           "joined to them makes that longer, at the front as well as at the back"));
  checker::diagnose("ends_always",
                    by(doubled, {.ends_always = true}),
                    said("b's first dry days are a's and b's first ones only where a had no rain "
                         "at all; and likewise at the back"));
  checker::diagnose("days_not_counted",
                    by(doubled, {.days_not_counted = true}),
                    said("How many days are a's and b's together? Whether some had no rain at all "
                         "is asked of that number"));
  checker::diagnose("other_lane",
                    by(doubled, {.lane = 31}),
                    said("So it is if lane 31 says what its warp knows. __shfl_down_sync() brings "
                         "days down to lane 0, which alone has all of them in the end"));
  checker::diagnose("half_a_warp",
                    each([](auto half) {
                      for (std::size_t day = 0; day < half.size(); ++day)
                        half[day] = half[day] && day % 32 < 16;
                      return longest(half);
                    }),
                    said("That is so if lanes 16 to 31 of each warp have no say: five rounds make "
                         "one of 32 lanes"));
  checker::diagnose("joined_otherwise",
                    got.size() > 4 && by(doubled, {.best_of_a = true}),
                    said("So it is if b's longest spell is forgotten: it may lie within b, and has "
                         "to come from the other lane as all the rest does"));
  checker::diagnose("other_days",
                    got.size() > 4 && each([](auto days) {
                      days.flip();
                      return longest(days);
                    }),
                    said("So many days in a row had rain: a day is dry where rain[day] is 0"));
  checker::diagnose("other_days",
                    each([&](auto days) {
                      days.resize(block, true);
                      return longest(days);
                    }),
                    said("So it is if threads behind the last day bring a dry one each"));
  checker::diagnose(
      "wrong_result",
      true,
      said("Does join() make (6, 0, 0, 3) of rain dry dry, which is (3, 0, 2, 2), and "
           "dry rain rain, (3, 1, 0, 1)? Then look at the rounds, and at what "
           "warps hand on"));
}

std::optional<emu::Observation>
check(const std::vector<bool> &dry, int block, const std::string &which = "") {
  const int n = static_cast<int>(dry.size());
  const auto amounts = checker::extreme_values<int>(n);
  std::vector<int> h_rain;
  for (int day = 0; day < n; ++day)
    h_rain.push_back(dry[day] ? 0 : std::max(1, amounts[day]));
  const auto d_rain = checker::on_device(h_rain);
  const unsigned grid = checker::enough_blocks(n, block);
  const auto d_out = checker::poisoned<int>(grid);
  const std::string what =
      checker::counted(n, "day") + which + " in blocks of " + std::to_string(block);
  checker::perhaps("A block of " + std::to_string(block) + " threads has " +
                       checker::counted(block / 32, "warp") +
                       ", and so many of s_days are written. A lane for which there is no warp "
                       "brings days that change nothing of what they are joined with",
                   "uninitialised",
                   "reads s_days");
  checker::perhaps("s_days has one place for each warp: the lane writes there that knows the days "
                   "of all 32, and no other one",
                   "shared_race",
                   "two threads write s_days");
  auto seen =
      checker::launch(what, [&] { dry_spell<<<grid, block>>>(d_rain.data(), n, d_out.data()); });
  const auto got = d_out.download();
  std::vector<int> expected;
  std::vector<std::vector<bool>> of_blocks;
  for (unsigned b = 0; b < grid; ++b) {
    const auto first = dry.begin() + std::min<std::ptrdiff_t>(n, std::ptrdiff_t{b} * block);
    of_blocks.emplace_back(first, first + std::min<std::ptrdiff_t>(block, dry.end() - first));
    expected.push_back(longest(of_blocks.back()));
  }
  if (got != expected)
    explain(what, got, of_blocks, block);
  checker::expect_same("longest dry spells of " + what, got, expected);
  if (seen)
    checker::expect_at_most(
        "barriers_per_block",
        checker::barriers_per_block(*seen),
        1.0,
        "too_many_barriers",
        what + ": one barrier is needed: between the warps' days being written and read");
  return seen;
}

/// Spells of 1 to `most` days, with some rain after each.
std::vector<bool> weather(int n, int most) {
  std::vector<bool> dry;
  for (int spell : checker::random_values<int>(n, 1, most)) {
    if (dry.size() >= static_cast<std::size_t>(n))
      break;
    dry.insert(dry.end(), spell, true);
    dry.insert(dry.end(), 1 + spell % 3, false);
  }
  dry.resize(n);
  return dry;
}

} // namespace

TEST_CASE("warps whose spells tell slips from each other") { check(weather(32 * 24, 14), 32); }

TEST_CASE("a block of 64 threads") {
  if (const auto seen = check(weather(64, 20), 64))
    checker::record("shuffles_of_64_threads", checker::meetings_per_warp(*seen));
}

TEST_CASE("short spells, and such that warps share") {
  for (int most : {6, 50, 200})
    check(weather(1024, most), 1024);
}

TEST_CASE("no rain, and nothing else") {
  for (int block : {32, 96, 1024}) {
    check(std::vector<bool>(block, true), block, " without rain");
    check(std::vector<bool>(block, false), block, " of rain");
  }
}

TEST_CASE("every size, by any number of warps") {
  checker::every_size(128, {32, 64, 96, 320, 992, 1024}, [](int n, int block) {
    if (n <= 65536) // more days would take as long as all the rest
      check(weather(n, 40), block);
  });
}

TEST_CASE("registers, and one barrier") {
  const auto seen = check(weather(1024, 100), 1024);
  if (!seen)
    return;
  checker::expect_at_most(
      "shared_store.requests_per_block",
      static_cast<double>(checker::total(*seen, emu::Access::shared_store).requests),
      4 * 32.0,
      "too_much_shared",
      "32 warps leave four numbers each. Everything else stays in registers");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  checker::expect_at_least("meetings_per_warp",
                           checker::meetings_per_warp(*seen),
                           1.0,
                           "no_shuffles",
                           "the lanes of a warp have to hand each other their days, in registers");
  checker::expect_masks_named(*seen);
  checker::expect_at_most("shared_load.requests_per_warp",
                          checker::requests_per_warp(*seen, emu::Access::shared_load),
                          8,
                          "through_shared",
                          "the spells are right, but one thread goes through what all have left in "
                          "shared memory. The lanes of a warp join their days first, and then the "
                          "first warp joins what 32 warps know");
}

TEST_CASE("a season") {
  const auto dry = weather(256, 30);
  check(dry, 256);
  std::vector<int> h_rain;
  for (const auto is_dry : dry)
    h_rain.push_back(is_dry ? 0 : 5);
  checker::unobserved([&] {
    const auto d_rain = checker::on_device(h_rain);
    const auto d_out = checker::poisoned<int>(5);
    dry_spell<<<1, 256>>>(d_rain.data(), 256, d_out.data());
    dry_spell<<<4, 64>>>(d_rain.data(), 256, d_out.data() + 1);
    const auto best = d_out.download();
    int end = 0;
    for (int now = 0; now < best[0] && end < 256; ++end)
      now = dry[end] ? now + 1 : 0;
    std::string text;
    for (int day = 0; day < 256; ++day) {
      text += day % 64 == 0 ? "\n" : "";
      text += !dry[day] ? "▒" : end - best[0] <= day && day < end ? "█" : "·";
      if (day % 64 == 63)
        text += "  " + std::to_string(best[1 + day / 64]);
    }
    checker::note(
        "A season's 256 days, ▒ with rain, and behind each row of 64 the longest dry spell "
        "that a block of yours has found in it. A block of 256 found one of " +
        std::to_string(best[0]) + " days, █:" + text);
  });
}
