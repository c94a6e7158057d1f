// Checks one_for_all.cu: where the numbers from a limit on are, each place once, by one atomic for the 128 numbers of a warp.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>

__global__ void where(const unsigned *in, int n, unsigned limit, int *out, int *found);

namespace {

constexpr int of_warp = 128, of_block = 512; // numbers

std::optional<emu::Observation>
check(const std::vector<unsigned> &h_in, unsigned limit, const std::string &what) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<int>(n);
  const auto d_found = checker::on_device(std::vector<int>{0});
  std::vector<int> expected;
  for (int i = 0; i < n; ++i)
    if (h_in[i] >= limit)
      expected.push_back(i);
  checker::perhaps(
      "Two warps, or two lanes of one, have taken the same place. What a warp draws is known to "
      "the lane that has drawn it, and to no other one until it is told (__shfl_sync). From there "
      "on a round's answers come behind those of the rounds before, and a lane's behind those of "
      "the lanes below it",
      "global_race");
  auto seen = checker::launch(what, [&] {
    where<<<checker::enough_blocks(n, of_block), 128>>>(
        d_in.data(), n, limit, d_out.data(), d_found.data());
  });
  if (const emu::Hazard *absent = seen ? seen->find("absent_lanes") : nullptr)
    checker::expect(
        false,
        "lanes_left_out",
        what + ": the call in line " + std::to_string(absent->here.where.line) +
            " names all 32 lanes, and some of them do not come to it. Who has no answer in a "
            "round still has to vote, 0, and may have one in the next: vote where all lanes come, "
            "before any if");
  const int of_warps = (n + of_warp - 1) / of_warp * of_warp;
  const int of_blocks = (n + of_block - 1) / of_block * of_block;
  checker::diagnose("a_place_for_each_pixel",
                    d_found.at(0) == of_warps || d_found.at(0) == of_blocks,
                    what + ": *found has grown by 128 for each warp, as many as it looks at. Only "
                           "stars need a place: how many have its four votes found?");
  checker::diagnose("at_the_limit",
                    d_found.at(0) ==
                        std::ranges::count_if(h_in, [&](unsigned one) { return one > limit; }),
                    what + ": only those above the limit are counted. A star is as bright as the "
                           "limit, or brighter");
  checker::expect_same("*found of " + what, d_found.at(0), static_cast<int>(expected.size()));
  auto got = d_out.download();
  got.resize(expected.size());
  checker::diagnose("places_begin_with_1",
                    !got.empty() && lab::is_poison(got[0]) &&
                        std::ranges::count_if(got, lab::is_poison<int>) == 1,
                    what + ": nothing was put into the first place, and all answers stand one "
                           "place too far behind. A lane's place follows those of the lanes below "
                           "it: the bits below its own, without its own");
  // Of the answers; without where the warp begins; and if the vote was of begin + 4 * lane + k.
  std::vector<int> values, in_warps, in_fours;
  for (int i : expected) {
    values.push_back(static_cast<int>(h_in[i]));
    in_warps.push_back(i % of_warp);
    in_fours.push_back(i / of_warp * of_warp + i % 4 * 32 + i % of_warp / 4);
  }
  for (auto *list : {&got, &values, &in_warps, &in_fours})
    std::sort(list->begin(), list->end());
  checker::diagnose("other_answers",
                    got != expected && got == values,
                    what +
                        ": the list has the numbers themselves, and is to say where they are: i, "
                        "and not in[i]");
  checker::diagnose("other_answers",
                    got != expected && got == in_warps,
                    what + ": the list says where stars are among the 128 of their warp, and is to "
                           "say where they are in the photograph: begin is missing");
  checker::diagnose("other_answers",
                    got != expected && got == in_fours,
                    what + ": as many answers as there are, but of other numbers. In round k a "
                           "lane looks at number begin + 32 * k + lane, and that is what it "
                           "answers with");
  checker::expect_same("answers, sorted, of " + what, got, expected);
  return seen;
}

constexpr int sky_rows = 31,
              sky_cols = 62; // of the photograph, whose pixels are twice as high as wide

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

/// What was found in all photographs, with lines between stars of one figure, and, by its number, in which one something was
/// found that the others do not have.
std::string drawn(const std::vector<std::vector<bool>> &nights) {
  std::string sky(nights[0].size(), ' ');
  std::vector<int> found(sky.size()); // in so many of them
  for (const auto &night : nights)
    for (std::size_t i = 0; i < sky.size(); ++i)
      found[i] += night[i];
  for (std::size_t i = 0; i + 1 < std::size(stars); ++i) {
    const int from = pixel_of(stars[i]), to = pixel_of(stars[i + 1]);
    if (!stars[i].line_to_next || !found[from] || !found[to])
      continue;
    const int rows = to / sky_cols - from / sky_cols, cols = to % sky_cols - from % sky_cols;
    const int steps = std::max(std::abs(rows), std::abs(cols));
    const char ink = 3 * std::abs(rows) < std::abs(cols) ? '-'
                     : std::abs(cols) < std::abs(rows)   ? '|'
                     : rows * cols > 0                   ? '\\'
                                                         : '/';
    for (int k = 1; k < steps; ++k) {
      const long row = from / sky_cols + std::lround(1.0 * k * rows / steps);
      sky[row * sky_cols + from % sky_cols + std::lround(1.0 * k * cols / steps)] = ink;
    }
  }
  for (std::size_t i = 0; i < sky.size(); ++i)
    sky[i] = found[i] > 1 ? '.' : sky[i];
  for (const Star &star : stars)
    if (found[pixel_of(star)])
      sky[pixel_of(star)] = '*';
  for (std::size_t night = 0; night < nights.size(); ++night)
    for (std::size_t i = 0; i < sky.size(); ++i)
      if (nights[night][i] && found[i] == 1)
        sky[i] = static_cast<char>('1' + night);
  std::string text;
  for (int row = 0; row < sky_rows; ++row) {
    const std::string line = sky.substr(static_cast<std::size_t>(row) * sky_cols, sky_cols);
    text += "\n" + line.substr(0, line.find_last_not_of(' ') + 1);
  }
  return text;
}

} // namespace

// Before the instruments tell of two lanes in one place: what *found and the list say of how that has come about.
TEST_CASE("what a warp draws") {
  constexpr int n = 4096;
  const auto h_in = checker::random_values<unsigned>(n, 0, 99);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<int>(32 * n); // whoever draws too many has room, too
  const auto d_found = checker::on_device(std::vector<int>{0});
  checker::unobserved([&] {
    where<<<n / of_block, 128>>>(d_in.data(), n, 50, d_out.data(), d_found.data());
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaDeviceSynchronize());
  });
  int longest_rounds = 0, rounds_with_any = 0; // answers of each warp's longest round, added up
  int answers = 0, drawn_by_all = 0, drawn_by_each = 0, of_first_warps = 0, of_last_rounds = 0;
  std::vector<bool> leads(n); // of lanes that may be the one to draw
  for (int warp = 0; warp < n; warp += of_warp) {
    int count = 0, leader = -1, of_round[4] = {};
    for (int i = warp; i < warp + of_warp; ++i)
      if (h_in[i] >= 50) {
        ++count;
        ++of_round[i % of_warp / 32];
        leader = leader < 0 ? i % 32 : leader;
        of_last_rounds += i % of_warp / 32 == 3 ? 1 : 0;
      }
    for (int i = warp; i < warp + of_warp; ++i)
      leads[i] = i % 32 == 0 || i % 32 == leader;
    longest_rounds += *std::max_element(of_round, of_round + 4);
    rounds_with_any += static_cast<int>(4 - std::count(of_round, of_round + 4, 0));
    answers += count;
    drawn_by_all += 32 * count;
    drawn_by_each += count * count;
    of_first_warps += warp % of_block == 0 ? count : 0;
  }
  const int found = d_found.at(0);
  const std::string what = "4096 numbers with " + checker::counted(answers, "answer") + ": ";
  checker::expect(found != n / of_warp,
                  "one_place_drawn",
                  what + "*found has grown by one for each warp. One lane draws the places of all "
                         "the warp's answers, as many as the four votes have bits: __popc()");
  checker::expect(found != of_first_warps,
                  "lane_of_the_block",
                  what + "only the first warp of each block has drawn places. Lanes are counted in "
                         "each warp anew: thread 32 is lane 0");
  const bool last_alone = found == of_last_rounds;
  checker::expect(!last_alone && found != answers - of_last_rounds,
                  "votes_left_out",
                  what + "*found ends as " + std::to_string(found) +
                      ", the answers of each warp's " +
                      (last_alone ? "last round. The other three count, too"
                                  : "first three rounds. The fourth counts, too"));
  checker::expect(found != drawn_by_all && found != drawn_by_each,
                  "all_draw",
                  what + "*found ends as " + std::to_string(found) +
                      ": each lane has drawn places for its whole warp. Only one lane is to draw");
  const auto out = d_out.download();
  const bool only_leaders =
      std::all_of(out.begin() + of_warp, out.begin() + answers, [&](int place) {
        return lab::is_poison(place) || (place >= 0 && place < n && leads[place]);
      });
  checker::expect(found != answers || !only_leaders,
                  "draw_not_told",
                  what +
                      "enough places were drawn, and only the lanes that have drawn use them: the "
                      "others go on with what stood in their own variable before. A lane gets "
                      "the leader's by __shfl_sync(), of the lane that has drawn");
  const auto first = std::find_if(
      out.begin(), out.begin() + answers - 1, [](int place) { return !lab::is_poison(place); });
  const int its_warp = std::clamp(*first, 0, n - 1) / of_warp * of_warp;
  const auto of_its_round = std::count_if(h_in.begin() + its_warp,
                                          h_in.begin() + its_warp + 32,
                                          [](unsigned one) { return one >= 50; });
  checker::expect(found != answers || first - out.begin() != of_its_round,
                  "first_places_empty",
                  what +
                      "enough places were drawn, and the first ones are empty. A round's answers "
                      "begin behind those of the rounds before it, of which there are none in "
                      "the first: `place` grows only when a round has stored its own");
  const auto used =
      std::count_if(out.begin(), out.end(), [](int place) { return !lab::is_poison(place); });
  checker::expect(found != answers || used != longest_rounds,
                  "rounds_in_one_place",
                  what + "enough places were drawn, but the four rounds of a warp store their "
                         "answers in the same ones. A round's begin behind those of the rounds "
                         "before it");
  checker::expect(found != answers || used != rounds_with_any,
                  "lanes_in_one_place",
                  what + "enough places were drawn, but all answers of a round go to one of them. "
                         "A lane's place is behind those of the lanes below it that have one, too: "
                         "how many bits has the vote below its own?");
}

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(checker::extreme_values<unsigned>(n), 1u << 31, checker::counted(n, "number"));
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders(
      [] { check(checker::random_values<unsigned>(1000, 0, ~0u), 1u << 30, "1000 numbers"); });
}

// Before the instruments tell of a place that nobody has drawn.
TEST_CASE("an answer in one round") {
  std::vector<unsigned> one_each(of_block, 8); // warp w has its answer in round w
  for (int warp = 0; warp < of_block / of_warp; ++warp)
    one_each[warp * of_warp + 32 * warp + 7] = 9;
  const auto d_each = checker::on_device(one_each);
  const auto d_drawn = checker::on_device(std::vector<int>{0});
  const auto d_out = checker::poisoned<int>(of_block);
  checker::unobserved([&] {
    where<<<1, 128>>>(d_each.data(), of_block, 9, d_out.data(), d_drawn.data());
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaDeviceSynchronize());
  });
  checker::expect(d_drawn.at(0) != 1,
                  "nobody_draws",
                  "512 numbers, and each of the four warps has one answer, in another round: only "
                  "one warp has drawn. A vote of 0 names no lane: who draws may not hang on the "
                  "vote of one round. Lane 0 can draw for others, even if it has no answer");
}

TEST_CASE("all, none, and one of a warp") {
  check(std::vector<unsigned>(1300, 8), 9, "1300 numbers, none from the limit on");
  std::vector<unsigned> few(1280, 8);
  for (int warp = 0; warp < 10; ++warp)
    few[warp * of_warp + warp * 13 + 4] = 9;
  check(few, 9, "1280 numbers, one of each warp from the limit on");
  if (const auto seen = check(std::vector<unsigned>(2000, 8), 8, "2000 numbers, all found"))
    checker::record("atomics_of_2000", checker::total(*seen, emu::Access::global_atomic).lanes);
}

TEST_CASE("one atomic for 128 numbers") {
  const auto seen = check(checker::random_values<unsigned>(4096, 0, 99), 50, "4096 numbers");
  if (!seen)
    return;
  checker::expect_at_most(
      "atomics_per_warp",
      static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes) * of_warp / 4096,
      1.0,
      "too_many_atomics",
      "one lane of a warp can draw all places that its warp needs, in all four rounds: first "
      "count, then draw, then store");
  checker::expect_lanes(*seen, emu::Access::global_store, 10.0);
}

TEST_CASE("a comet") {
  checker::unless_failed_before();
  constexpr int n = sky_rows * sky_cols, nights = 5;
  auto h_sky = checker::random_values<unsigned>(n, 0, 90);
  for (const int pixel : checker::random_values<int>(90, 0, n - 1))
    h_sky[pixel] = 100;
  for (const Star &star : stars)
    h_sky[pixel_of(star)] = 200;
  const auto from =
      checker::random_values<float>(2, 0.15f, 0.85f); // of the left edge, and the right one
  const bool to_the_left = checker::random_values<int>(1, 0, 1)[0] == 1;
  std::vector<std::vector<bool>> found(nights, std::vector<bool>(n));
  int draws = 0, before = 0;
  for (int night = 0; night < nights; ++night) {
    auto h_in = h_sky;
    const float way = (static_cast<float>(night) + 0.5f) / nights; // of the comet
    const int row = static_cast<int>(sky_rows * (from[0] + (from[1] - from[0]) * way));
    int col = static_cast<int>(sky_cols * (to_the_left ? 1 - way : way));
    while (h_sky[row * sky_cols + col] >= 100)
      ++col; // not in front of a star
    h_in[row * sky_cols + col] = 150;
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::on_device(std::vector<int>(n, 0));
    const auto d_found = checker::on_device(std::vector<int>{0});
    const auto seen = checker::launch("a photograph", [&] {
      where<<<checker::enough_blocks(n, of_block), 128>>>(
          d_in.data(), n, 100, d_out.data(), d_found.data());
    });
    const auto answers = d_out.download();
    const int count = std::clamp(d_found.at(0), 0, n);
    for (int i = 0; i < count; ++i)
      if (answers[i] >= 0 && answers[i] < n)
        found[night][answers[i]] = true;
    before += count;
    draws += seen ? static_cast<int>(checker::total(*seen, emu::Access::global_atomic).lanes) : 0;
  }
  checker::note("Your lists of five nights, laid over each other (each --seed has another comet). "
                "What is there every night is a star; what has a night's number is on its way: you "
                "have found a comet" +
                (draws > 0 ? ", with " + std::to_string(draws) + " draws in place of " +
                                 std::to_string(before)
                           : std::string()) +
                ". The Plough above points at the Pole Star in the middle; the Dragon winds to the "
                "right, and below stand Cepheus and Cassiopeia." +
                drawn(found));
}
