// Checks one_for_all.cu: where something has come and gone, each place of both lists once, by one atomic for a warp.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>

__global__ void
where(const int *changes, int n, int limit, int *come, int *gone, unsigned long long *found);

namespace {

using Counts = unsigned long long; ///< of both lists
using Places = std::vector<int>;

/// Numbers of the answers, lowest first.
struct Answers {
  Places come, gone;

  Answers(const std::vector<int> &changes, int limit) {
    for (int i = 0; i < static_cast<int>(changes.size()); ++i) {
      if (changes[i] >= limit)
        come.push_back(i);
      if (changes[i] <= -limit)
        gone.push_back(i);
    }
  }
  Counts counts() const { return static_cast<Counts>(gone.size()) << 32 | come.size(); }
};

std::string of_both(Counts found) {
  return std::to_string(found & 0xffffffff) + " and " + std::to_string(found >> 32);
}

void expect_list(const std::string &name,
                 const std::string &what,
                 const std::vector<int> &changes,
                 const Places &expected,
                 Places got) {
  got.resize(expected.size());
  checker::diagnose("places_begin_with_1",
                    !got.empty() && lab::is_poison(got[0]) &&
                        std::count_if(got.begin(), got.end(), lab::is_poison<int>) == 1,
                    what + ": nothing was put into the first place of " + name +
                        ", and all answers stand one place too far behind. A lane's place follows "
                        "those of the lanes below it: the bits below its own, without its own");
  Places values, in_warps; // of the answers; without where the warp begins
  for (int i : expected) {
    values.push_back(changes[i]);
    in_warps.push_back(i % 32);
  }
  for (auto *list : {&got, &values, &in_warps})
    std::sort(list->begin(), list->end());
  checker::diagnose("other_answers",
                    got != expected && got == values,
                    what + ": " + name +
                        " has the changes themselves, and is to say where they are: i");
  checker::diagnose("other_answers",
                    got != expected && got == in_warps,
                    what + ": " + name +
                        " says which lane has found an answer, and is to say which pixel it is: i");
  checker::expect_same("answers in " + name + ", sorted, of " + what, got, expected);
}

std::optional<emu::Observation>
check(const std::vector<int> &changes, int limit, const std::string &what) {
  const int n = static_cast<int>(changes.size());
  const auto d_changes = checker::on_device(changes);
  const auto d_come = checker::poisoned<int>(n), d_gone = checker::poisoned<int>(n);
  const auto d_found = checker::on_device(std::vector<Counts>{0});
  checker::perhaps(
      "Two warps, or two lanes of one, have taken the same place of a list. What a warp draws is "
      "known to the lane that has drawn it, and to no other one until it is told (__shfl_sync), in "
      "all 64 bits. From there on a lane's answers come behind those of the lanes below it",
      "global_race");
  auto seen = checker::launch(what, [&] {
    where<<<checker::enough_blocks(n, 128), 128>>>(
        d_changes.data(), n, limit, d_come.data(), d_gone.data(), d_found.data());
  });
  if (const emu::Hazard *absent = seen ? seen->find("absent_lanes") : nullptr)
    checker::expect(
        false,
        "lanes_left_out",
        what + ": the call in line " + std::to_string(absent->here.where.line) +
            " names all 32 lanes, and some of them do not come to it. Who has no answer for one "
            "list still has to vote, 0, and may have one for the other: vote where all lanes come, "
            "before any if");
  const Answers expected(changes, limit);
  const Counts found = d_found.at(0);
  checker::expect_same(
      "lower half of *found, of " + what, found & 0xffffffff, expected.counts() & 0xffffffff);
  checker::expect_same("upper half of *found, of " + what, found >> 32, expected.counts() >> 32);
  expect_list("come", what, changes, expected.come, d_come.download());
  expect_list("gone", what, changes, expected.gone, d_gone.download());
  if (!seen || n == 0)
    return seen;
  const unsigned warps = checker::enough_blocks(n, 128) * 4;
  checker::expect_at_most(
      "atomics_per_warp",
      static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes) / warps,
      1.0,
      "too_many_atomics",
      what + ": a warp may make one. Its lanes can tell each other, before anybody draws, how many "
             "places they need; and both counts are parts of one number, *found");
  checker::expect_at_most("loads_per_warp",
                          checker::requests_per_warp(*seen, emu::Access::global_load),
                          8,
                          "read_by_all",
                          what + ": the answers are right, but each lane reads the numbers of all. "
                                 "Votes tell it what the others have found");
  return seen;
}

std::vector<int> random_changes(int n) { return checker::random_values<int>(n, -99, 99); }

/// Noise, and the answers of each warp: so many of one kind.
std::vector<int> one_of_each_warp(int n, int value) {
  auto changes = checker::random_values<int>(n, -5, 5);
  for (int warp = 0; warp < n / 32; ++warp)
    changes[32 * warp + 7 * warp % 32] = value;
  return changes;
}

constexpr int sky_rows = 23,
              sky_cols = 46; // of the photograph, whose pixels are twice as high as wide

struct Star {
  bool line_to_next;
  float ascension, declination; // in degrees (J2000)
};

// The sky from 49 degrees on, as one sees it on a spring evening: the Plough, the Little Bear, Cassiopeia, Cepheus and
// the Dragon.
constexpr Star stars[] = {
    {true, 206.9f, 49.3f}, {true, 201.0f, 54.9f}, {true, 193.5f, 56.0f},  {true, 183.9f, 57.0f},
    {true, 165.9f, 61.8f}, {true, 165.5f, 56.4f}, {true, 178.5f, 53.7f},  {false, 183.9f, 57.0f},
    {true, 38.0f, 89.3f},  {true, 263.1f, 86.6f}, {true, 251.5f, 82.0f},  {true, 236.0f, 77.8f},
    {true, 222.7f, 74.2f}, {true, 230.2f, 71.8f}, {true, 244.4f, 75.8f},  {false, 236.0f, 77.8f},
    {true, 2.3f, 59.2f},   {true, 10.1f, 56.5f},  {true, 14.2f, 60.7f},   {true, 21.5f, 60.2f},
    {false, 28.6f, 63.7f}, {true, 354.8f, 77.6f}, {true, 322.2f, 70.6f},  {true, 319.6f, 62.6f},
    {true, 332.7f, 58.2f}, {true, 342.4f, 66.2f}, {false, 354.8f, 77.6f}, {true, 172.9f, 69.3f},
    {true, 188.4f, 69.8f}, {true, 211.1f, 64.4f}, {true, 231.2f, 59.0f},  {true, 240.5f, 58.6f},
    {true, 246.0f, 61.5f}, {true, 257.2f, 65.7f}, {true, 275.3f, 72.7f},  {true, 288.1f, 67.7f},
    {true, 268.4f, 56.9f}, {true, 269.2f, 51.5f}, {true, 262.6f, 52.3f},  {false, 268.4f, 56.9f}};

int pixel_of(const Star &star) {
  const float angle = (star.ascension - 180.0f) * 3.14159265f / 180.0f;
  const float from_pole = (90.0f - star.declination) / 41.0f * (sky_rows / 2);
  const int row = static_cast<int>(std::lround(sky_rows / 2 - from_pole * std::cos(angle)));
  const int col = static_cast<int>(std::lround(sky_cols / 2 + 2 * from_pole * std::sin(angle)));
  return row * sky_cols + col;
}

/// The sky, with lines between stars of one figure, and the way of what has come to and gone from places night after night.
std::string drawn(const std::vector<int> &way) {
  std::string sky(sky_rows * sky_cols, ' ');
  const auto line = [&](int from, int to, char ink) {
    const int rows = to / sky_cols - from / sky_cols, cols = to % sky_cols - from % sky_cols;
    const int steps = std::max(std::abs(rows), std::abs(cols));
    for (int k = 1; k < steps; ++k) {
      const long row = from / sky_cols + std::lround(1.0 * k * rows / steps);
      sky[row * sky_cols + from % sky_cols + std::lround(1.0 * k * cols / steps)] = ink;
    }
  };
  for (std::size_t i = 0; i + 1 < std::size(stars); ++i)
    if (stars[i].line_to_next)
      line(pixel_of(stars[i]), pixel_of(stars[i + 1]), '.');
  for (const Star &star : stars)
    sky[pixel_of(star)] = '*';
  for (std::size_t night = 0; night + 1 < way.size(); ++night)
    line(way[night], way[night + 1], '=');
  for (std::size_t night = 0; night < way.size(); ++night)
    sky[way[night]] = static_cast<char>('1' + night);
  std::string text;
  for (int row = 0; row < sky_rows; ++row) {
    const std::string one = sky.substr(static_cast<std::size_t>(row) * sky_cols, sky_cols);
    text += "\n" + one.substr(0, one.find_last_not_of(' ') + 1);
  }
  return text;
}

} // namespace

// Before the instruments tell of two lanes in one place: what *found and the lists say of how that has come about.
TEST_CASE("what a warp draws") {
  constexpr int n = 4096;
  const auto changes = random_changes(n);
  const Answers right(changes, 50);
  const auto d_changes = checker::on_device(changes);
  const auto d_come = checker::poisoned<int>(32 * n), // whoever draws too many has room, too
      d_gone = checker::poisoned<int>(32 * n);
  const auto d_found = checker::on_device(std::vector<Counts>{0});
  checker::unobserved([&] {
    where<<<n / 128, 128>>>(d_changes.data(), n, 50, d_come.data(), d_gone.data(), d_found.data());
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaDeviceSynchronize());
  });
  const auto of_warps = [](const Places &list, auto of) {
    Counts sum = 0;
    for (int warp = 0; warp < n / 32; ++warp)
      sum += of(warp, static_cast<Counts>(std::count_if(list.begin(), list.end(), [&](int i) {
                  return i / 32 == warp;
                })));
    return sum;
  };
  const Counts found = d_found.at(0), come = right.come.size(), gone = right.gone.size();
  const std::string what =
      "4096 numbers with " + of_both(right.counts()) + " answers: *found ends as " + of_both(found);
  constexpr Counts warps = n / 32;
  checker::expect(found != warps && found != (warps << 32 | warps),
                  "one_place_drawn",
                  what +
                      ": it has grown by one for each warp. One lane draws the places of all the "
                      "warp's answers, as many as the votes have bits: __popc()");
  const auto first_warp = [](int warp, Counts count) { return warp % 4 == 0 ? count : 0; };
  checker::expect(
      found != (of_warps(right.gone, first_warp) << 32 | of_warps(right.come, first_warp)),
      "lane_of_the_block",
      what + ": only the first warp of each block has drawn places. Lanes are counted in "
             "each warp anew: thread 32 is lane 0");
  checker::expect(found != Answers(changes, 51).counts(),
                  "at_the_limit",
                  what + ": only changes beyond the limit are counted. One that is as large as the "
                         "limit counts, too");
  checker::expect(found != come + gone,
                  "all_in_one_half",
                  what +
                      ": both lists' answers are counted in the lower half, and nobody draws "
                      "places in gone. One of the two numbers belongs 32 bits further up, and is "
                      "to have 64 bits before it is shifted there");
  checker::expect(found != (gone << 32 | come) << 5,
                  "all_draw",
                  what +
                      ": each lane has drawn places for its whole warp. Only one lane is to draw");
  const auto come_out = d_come.download(), gone_out = d_gone.download();
  const auto used = [](const Places &out) {
    return static_cast<Counts>(
        std::count_if(out.begin(), out.end(), [](int place) { return !lab::is_poison(place); }));
  };
  const auto any = [](int, Counts count) { return static_cast<Counts>(count > 0); };
  checker::expect(found != right.counts() || used(come_out) != of_warps(right.come, any),
                  "lanes_in_one_place",
                  what +
                      ", which is right, but all answers of a warp go to one place. A lane's place "
                      "is behind those of the lanes below it that have one, too: how many bits "
                      "has the vote below its own?");
  checker::expect(
      found != right.counts() || used(come_out) < come || used(gone_out) > 32,
      "upper_half_lost",
      what + ", which is right, but all warps put what has gone into the first places of "
             "their list. What was drawn has 64 bits: is it kept in a variable of so many, "
             "and handed on as one?");
  checker::expect(found != right.counts() || used(come_out) >= come || used(come_out) > warps + 32,
                  "draw_not_told",
                  what +
                      ", so enough places were drawn, but only the lanes that have drawn use them: "
                      "the others go on with what stood in their own variable before. A lane gets "
                      "the leader's by __shfl_sync(), of the lane that has drawn");
}

// Before the instruments tell of a place that nobody has drawn.
TEST_CASE("an answer in one list") {
  for (const int value : {9, -9}) {
    const auto d_changes = checker::on_device(one_of_each_warp(128, value));
    const auto d_come = checker::poisoned<int>(128), d_gone = checker::poisoned<int>(128);
    const auto d_found = checker::on_device(std::vector<Counts>{0});
    checker::unobserved([&] {
      where<<<1, 128>>>(d_changes.data(), 128, 9, d_come.data(), d_gone.data(), d_found.data());
      LAB_CHECK_LAUNCH();
      LAB_CHECK(cudaDeviceSynchronize());
    });
    checker::expect(d_found.at(0) != 0,
                    "nobody_draws",
                    std::string("128 numbers, and each of the four warps has an answer for ") +
                        (value > 0 ? "come" : "gone") +
                        " alone: no warp has drawn. A vote of 0 names no lane: who draws may not "
                        "hang on one list's vote. Lane 0 can draw for others, even if it has no "
                        "answer");
  }
}

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(checker::extreme_values<int>(n), 1 << 30, checker::counted(n, "number"));
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] { check(random_changes(1000), 30, "1000 numbers"); });
}

TEST_CASE("all, none, and one of a warp") {
  check(std::vector<int>(1300, -8), 9, "1300 numbers, none of them an answer");
  check(one_of_each_warp(1280, 9), 9, "1280 numbers, one of each warp for come");
  check(one_of_each_warp(1280, -9), 9, "1280 numbers, one of each warp for gone");
  checker::once([] {
    auto many = one_of_each_warp(129 * 128, 9); // more blocks than a block has threads
    for (std::size_t i = 0; i < many.size(); ++i)
      if (i / 32 % 3 > 0) // one for gone, beside the other one or alone
        many[i] = i % 32 == 3 ? -9 : i / 32 % 3 == 1 ? many[i] : std::min(many[i], 5);
    check(many, 9, "16512 numbers, one or two of each warp");
  });
  if (const auto seen = check(std::vector<int>(2000, 8), 8, "2000 numbers, all for come"))
    checker::record("atomics_of_2000", checker::total(*seen, emu::Access::global_atomic).lanes);
}

TEST_CASE("one atomic for both lists") {
  const auto seen = check(random_changes(1024), 50, "1024 numbers");
  if (!seen)
    return;
  checker::expect_lanes(*seen, emu::Access::global_store, 5.0);
}

TEST_CASE("a comet") {
  checker::unless_failed_before();
  constexpr int n = sky_rows * sky_cols, nights = 6;
  const auto from =
      checker::random_values<float>(2, 0.15f, 0.85f); // of the left edge, and the right one
  const bool to_the_left = checker::random_values<int>(1, 0, 1)[0] == 1;
  std::vector<int> at; // where the comet is each night
  for (int night = 0; night < nights; ++night) {
    const float way = (static_cast<float>(night) + 0.5f) / nights;
    const int row = static_cast<int>(sky_rows * (from[0] + (from[1] - from[0]) * way));
    at.push_back(row * sky_cols + static_cast<int>(sky_cols * (to_the_left ? 1 - way : way)));
  }
  std::vector<int> way;
  checker::unobserved([&] {
    for (int night = 0; night + 1 < nights; ++night) {
      auto changes = checker::random_values<int>(n, -90, 90);
      changes[at[night]] = -150;
      changes[at[night + 1]] = 150;
      const auto d_changes = checker::on_device(changes);
      const auto d_come = checker::poisoned<int>(n), d_gone = checker::poisoned<int>(n);
      const auto d_found = checker::on_device(std::vector<Counts>{0});
      where<<<checker::enough_blocks(n, 128), 128>>>(
          d_changes.data(), n, 100, d_come.data(), d_gone.data(), d_found.data());
      if (night == 0)
        way.push_back(std::clamp(d_gone.at(0), 0, n - 1));
      way.push_back(std::clamp(d_come.at(0), 0, n - 1));
    }
  });
  checker::note(
      "Six nights: your lists say where something has gone and where it has come, a comet "
      "on its way from 1 to 6. The stars are drawn in, which your kernel has not listed: "
      "the Plough above, which points at the Pole Star in the middle, the Dragon, Cepheus "
      "and Cassiopeia. Each --seed has another comet." +
      drawn(way));
}
