// Checks vectors_of_three.cu: every size, in place, each float loaded once, by neighbours, and no barrier.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void red_for_blue(float *colours, int n);

namespace {

constexpr int row = 128; // pixels

/// In each row, float k of its `here` ones comes from from(k, here).
template <class From> std::vector<float> rows_of(const std::vector<float> &colours, From &&from) {
  std::vector<float> out;
  const int n = static_cast<int>(colours.size());
  for (int first = 0; first < n; first += 3 * row)
    for (int k = 0, here = std::min(3 * row, n - first); k < here; ++k)
      out.push_back(colours[first + from(k, here)]);
  return out;
}

std::vector<float> turned(const std::vector<float> &colours) {
  return rows_of(colours, [](int k, int here) { return here - 1 - k; });
}

bool same_bits(const std::vector<float> &one, const std::vector<float> &other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](float a, float b) {
    return std::bit_cast<unsigned>(a) == std::bit_cast<unsigned>(b);
  });
}

/// What a wrong picture is: a diagnosis, and words.
void name_it(const std::string &what,
             const std::vector<float> &before,
             const std::vector<float> &got) {
  const auto is = [&](auto &&from) { return same_bits(got, rows_of(before, from)); };
  checker::expect(!is([](int k, int) { return k - k % 3 + 2 - k % 3; }),
                  "not_mirrored",
                  what + ": red and blue have changed places, but the writing is still mirrored: a "
                         "row's first pixel has to be its last");
  checker::expect(!is([](int k, int here) { return here - 3 - k + k % 3 + k % 3; }),
                  "colours_kept",
                  what + ": the pixels are turned left for right, but each has the colours that it "
                         "had: red and blue have to change places");
  checker::expect(!is([](int k, int here) {
    const bool middle = here % 2 == 1 && k / 3 == here / 6;
    return middle ? k : here - 1 - k;
  }),
                  "middle_kept",
                  what +
                      ": a row of an odd number of pixels has one in the middle. It stays there, "
                      "but its red and blue change places, too");
  checker::expect(!same_bits(got, {before.rbegin(), before.rend()}),
                  "rows_turned",
                  what +
                      ": the picture is turned as a whole, and its last row has come first. Each "
                      "row stays where it is");
}

std::optional<emu::Observation> check(int n) {
  const auto before = checker::extreme_values<float>(3 * static_cast<std::size_t>(n));
  const auto d_colours = checker::on_device(before);
  const std::string what = checker::elements(n, "pixel");
  checker::perhaps("n counts pixels, of three floats each, and the last row ends with the last of "
                   "them: it may be shorter than 128 pixels",
                   "out_of_bounds");
  checker::perhaps(
      "What one thread overwrites, another still has to load, or has brought already. "
      "Which floats have to change hands, then, for none to be touched by two threads?",
      "global_race");
  auto seen = checker::launch(
      what, [&] { red_for_blue<<<checker::enough_blocks(n, row), row>>>(d_colours.data(), n); });
  const auto got = d_colours.download();
  const auto wanted = turned(before);
  if (n > 1 && !same_bits(got, wanted))
    name_it(what, before, got);
  checker::expect_same_bits(what, got, wanted);
  return seen;
}

void expect_by_neighbours(const emu::Observation &seen, double sectors) {
  for (const auto access : {emu::Access::global_load, emu::Access::global_store})
    checker::expect_cost_at_most(
        seen,
        access,
        sectors,
        "uncoalesced",
        "32 neighbouring floats lie in 4 sectors. Let each lane load, and store, the float beside "
        "its neighbour's, whatever colour that is");
}

void expect_no_barrier(const std::string &what, const emu::Observation &seen) {
  checker::expect_at_most(
      "barriers_per_block",
      checker::barriers_per_block(seen),
      0.0,
      "too_many_barriers",
      what + ": threads wait for each other, as one needs what another has brought. Let "
             "each thread do what needs no other one: where does a row's float 0 go, and "
             "what goes there?");
}

} // namespace

TEST_CASE("full blocks") {
  check(128);
  check(512);
}

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n);
}

TEST_CASE("a last block of every kind") {
  checker::unless_failed_before();
  for (int n : {2, 42, 43, 85, 86, 127, 129, 170, 171})
    check(n);
}

TEST_CASE("neighbouring lanes have neighbouring floats") {
  const auto seen = check(128); // one block of 4 warps
  if (!seen)
    return;
  checker::expect_lanes(*seen, emu::Access::global_load, 20.0);
  expect_by_neighbours(*seen, 4.0);
  checker::expect_at_most("global_load.requests",
                          checker::total(*seen, emu::Access::global_load).requests,
                          12.0,
                          "loaded_twice",
                          "a block of 4 warps has 384 floats: 12 requests of 32 floats load each "
                          "of them once");
}

TEST_CASE("nobody waits") {
  const auto seen = check(9 * row);
  if (!seen)
    return;
  expect_no_barrier("full rows", *seen);
  expect_by_neighbours(*seen, 4.0);
  checker::expect_lanes(*seen, emu::Access::global_load, 20.0);
}

TEST_CASE("short rows") {
  checker::unless_failed_before();
  for (const int n : {171, 50}) {
    const auto seen = check(n);
    if (!seen)
      return;
    expect_no_barrier(checker::counted(n, "pixel"), *seen);
    expect_by_neighbours(*seen, 5.0); // what ends anywhere does not begin with a sector
    if (n == 50)
      checker::record("requests_of_50_pixels",
                      checker::total(*seen, emu::Access::global_load).requests);
  }
}

TEST_CASE("a red glass") {
  const std::vector<std::string> hidden = {
      "                                                       ",
      " #   # ##### #     #           ####  #####  ###  ####  ",
      " #   # #     #     #           #   # #     #   # #   # ",
      " #   # #     #     #           #   # #     #   # #   # ",
      " # # # ####  #     #           ####  ####  ##### #   # ",
      " # # # #     #     #           # #   #     #   # #   # ",
      " ## ## #     #     #           #  #  #     #   # #   # ",
      " #   # ##### ##### #####       #   # ##### #   # ####  ",
      "                                                       ",
      "                                                       "};
  const int cols = static_cast<int>(hidden[0].size()), rows = static_cast<int>(hidden.size());
  const int n = rows * row;
  std::vector<float> colours = checker::random_values<float>(3 * n, 0.0f, 1.0f);
  for (int i = 0; i < n; ++i) { // two pixels are as wide as one is high
    const int col = (row - 1 - i % row) / 2 - (row / 2 - cols) / 2;
    const bool lit = col >= 0 && col < cols && hidden[i / row][col] == '#';
    colours[3 * i + 2] = lit ? 1.0f : 0.0f;
  }
  const auto d_colours = checker::on_device(colours);
  red_for_blue<<<checker::enough_blocks(n, row), row>>>(d_colours.data(), n);
  LAB_CHECK_LAUNCH();
  const auto got = d_colours.download();
  checker::expect_same("a picture", got, turned(colours));
  const auto through = [&](int colour, const std::vector<float> &seen) {
    std::vector<bool> cells;
    for (int i = 0; i < n; i += 2)
      cells.push_back(seen[3 * i + colour] > 0.5f);
    return checker::picture(cells, row / 2);
  };
  checker::note("A picture through a red glass, as it came:" + through(0, colours) +
                "\nthrough a blue one:" + through(2, colours) +
                "\nand through the red one after your kernel:" + through(0, got));
}
