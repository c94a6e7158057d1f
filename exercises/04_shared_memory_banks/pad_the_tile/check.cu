// Checks pad_the_tile.cu: the pieces of every height, and one round of the banks for each request.
#include "checker/nasty.hpp"

#include <algorithm>

int words_apart(int height);
__global__ void into_pieces(const unsigned *in, int rows, int height, unsigned *out);

namespace {

constexpr int heights[] = {8, 4, 2, 16, 32, 1};

std::string of_height(int height) {
  return "pieces of " + checker::counted(height, "row") + " by " + std::to_string(32 / height);
}

std::optional<emu::Observation> check(int rows, int height) {
  const auto h_in = checker::extreme_values<unsigned>(static_cast<std::size_t>(rows) * 32);
  const auto d_in = checker::on_device(h_in);
  const int blocks = static_cast<int>(checker::enough_blocks(rows, height)), width = 32 / height;
  const int words = blocks * height * 32;
  const auto d_out = checker::poisoned<unsigned>(static_cast<std::size_t>(words));
  std::vector<unsigned> expected;
  for (int i = 0; i < words; ++i) {
    const int piece = i / 32 % height, row = i / 32 / height * height + i % 32 / width;
    const std::size_t at = row * 32 + piece * width + i % width;
    expected.push_back(at < h_in.size() ? h_in[at] : 0);
  }
  const std::string what = of_height(height) + ", of " + checker::elements(rows, "row");
  const int apart = words_apart(height);
  checker::expect(apart >= 32,
                  "rows_overlap",
                  what + ": rows begin " + checker::counted(apart, "word") +
                      " apart, and a row has 32 words. The next one may not begin before it ends");
  checker::expect(apart <= 64,
                  "no_room",
                  what + ": rows begin " + std::to_string(apart) +
                      " words apart. There is room for 32 rows of 64");
  auto seen = checker::launch(
      what, [&] { into_pieces<<<blocks, 32>>>(d_in.data(), rows, height, d_out.data()); });
  checker::expect_same(what, d_out.download(), expected);
  return seen;
}

/// How many rows of a piece lie in each bank, if rows begin so far apart.
std::vector<int> bricks_in_banks(int apart, int height) {
  std::vector<int> bricks(32, 0);
  for (int lane = 0; lane < 32; ++lane)
    ++bricks[(lane / (32 / height) * apart + lane % (32 / height)) % 32];
  return bricks;
}

int rounds_of(int apart, int height) {
  const auto bricks = bricks_in_banks(apart, height);
  return *std::max_element(bricks.begin(), bricks.end());
}

/// A character for each bank: how many words of a piece lie there, a dash for none.
std::string piled_up(int apart, int height) {
  std::string line;
  for (const int words : bricks_in_banks(apart, height))
    line += words == 0 ? '-' : words < 10 ? static_cast<char>('0' + words) : '#';
  return line;
}

/// The bricks of a piece, of which none lies on another one, from bank 0 to bank 31.
std::string course_of(int apart, int height) {
  const int width = 32 / height;
  std::string line(32, '|');
  for (int row = 0; row < height && width > 1; ++row) {
    std::string brick(width, '_');
    brick.front() = '[';
    brick.back() = ']';
    if (width > 2)
      brick[width / 2] = static_cast<char>('0' + row);
    line.replace(row * apart % 32, width, brick);
  }
  return line;
}

/// "rows 0 and 1 meet in 3 banks": of the first two that do; empty if none do.
std::string rows_that_meet(int apart, int height) {
  const int width = 32 / height;
  for (int row = 1; row < height; ++row) {
    const int from = row * apart % 32, between = std::min(from, 32 - from);
    if (between < width)
      return "rows 0 and " + std::to_string(row) + " meet in " +
             checker::counted(width - between, "bank");
  }
  return {};
}

} // namespace

TEST_CASE("pieces of every height") {
  for (int height : heights)
    check(2 * height, height);
}

TEST_CASE("every number of rows") {
  for (int rows : {0, 1, 7, 9, 15, 17, 33, 100})
    check(rows, 8);
  for (int rows : checker::own_sizes(1, 500, 700))
    check(rows, 8);
}

TEST_CASE("one round for each request") {
  checker::record("rounds_of_four_rows_of_eight", rounds_of(33, 4));
  for (int height : heights) {
    const auto seen = check(72, height); // by 36 blocks, too, more than a warp has lanes
    if (!seen)
      return;
    using enum emu::Access;
    checker::expect_cost_at_most(*seen,
                                 shared_store,
                                 1.0,
                                 "conflict_in_stores",
                                 "now it is the stores whose lanes meet in a bank");
    const int apart = words_apart(height);
    const std::string meet = rows_that_meet(apart, height);
    checker::expect_cost_at_most(
        *seen,
        shared_load,
        1.0,
        apart == 32 ? "all_in_a_bank" : "bank_conflict",
        of_height(height) + ": " +
            (meet.empty() ? "some lanes meet in a bank"
                          : "rows begin " + std::to_string(apart) + " words apart, so " + meet +
                                ". So many words of a piece lie in the banks from 0 to 31: " +
                                piled_up(apart, height)));
    checker::expect(
        rounds_of(apart, height) == 1 || checker::total(*seen, shared_load).requests > 0,
        "past_shared_memory",
        of_height(height) +
            ": nothing goes through shared memory any more, and words_apart() is as it "
            "was. How many words apart do rows begin so that no brick lies on another?");
    checker::expect_lanes_or_shuffles(*seen, shared_load, 30.0);
  }
}

TEST_CASE("walls") {
  checker::unless_failed_before();
  std::string text;
  for (int height : {1, 2, 4, 8, 16, 32}) {
    const int apart = words_apart(height);
    if (rounds_of(apart, height) > 1)
      return; // by another way than this one
    const std::string rows = std::to_string(height);
    text += "\n  " + course_of(apart, height) + "  " + std::string(2 - rows.size(), ' ') + rows +
            (height == 1 ? " row" : " rows") + ", " + std::to_string(apart) + " words apart";
  }
  checker::note("Your wall, a course for each height and a column for each bank, with the rows' "
                "numbers. No hole, and no brick on another one:" +
                text);
}
