// Checks pieces.cu: which ints each warp loads, in how many sectors and pieces they lie, and that one request brings them.
#include "checker/checker.hpp"

#include <algorithm>
#include <set>

struct Land {
  int heights[10];
};
Land land();
__global__ void draw(const int *in, const int *heights, const int *depths, int *out);

namespace {

constexpr int ints = 512, of_sector = 8, of_piece = 16;

/// What the warps shall touch, one after the other.
struct Columns {
  std::vector<int> heights, depths;

  void add(int sectors, int pieces) {
    heights.push_back(sectors);
    depths.push_back(pieces);
  }
  int size() const { return static_cast<int>(heights.size()); }
};

/// What they have touched.
struct Touched {
  std::vector<int> sectors, pieces, whole; ///< and of how many pieces both sectors
  std::optional<emu::Observation> seen;
};

Touched touched(const Columns &columns, const std::string &what) {
  auto h_in = checker::random_values<int>(ints, 1, 1 << 20);
  for (int i = 0; i < ints;
       ++i) // a number says where it stands, and none can be worked out from others
    h_in[i] = ints * h_in[i] + i;
  const auto d_in = checker::on_device(h_in);
  const auto d_heights = checker::on_device(columns.heights);
  const auto d_depths = checker::on_device(columns.depths);
  const auto d_out = checker::poisoned<int>(32 * static_cast<std::size_t>(columns.size()));
  Touched all;
  all.seen = checker::launch(what, [&] {
    draw<<<columns.size(), 32>>>(d_in.data(), d_heights.data(), d_depths.data(), d_out.data());
  });
  const std::vector<int> out = d_out.download();
  for (int col = 0; col < columns.size(); ++col) {
    std::set<int> places, sectors, pieces;
    for (int lane = 0; lane < 32; ++lane) {
      const int value = out[32 * col + lane], i = value & (ints - 1);
      checker::expect(
          h_in[i] == value,
          "not_loaded",
          what + ": what lane " + std::to_string(lane) + " of block " + std::to_string(col) +
              " leaves in out is none of the ints in `in`. Let each lane load one int, in[i], "
              "and store it as it is: places and sectors are told by it");
      places.insert(i);
      sectors.insert(i / of_sector);
      pieces.insert(i / of_piece);
    }
    checker::expect(places.size() == 32,
                    "same_int_again",
                    what + ": the 32 lanes of block " + std::to_string(col) +
                        ", which shall touch " + std::to_string(columns.heights[col]) +
                        " sectors, have loaded only " + std::to_string(places.size()) +
                        " different ints. A sector has eight, one for each of its lanes");
    all.sectors.push_back(static_cast<int>(sectors.size()));
    all.pieces.push_back(static_cast<int>(pieces.size()));
    all.whole.push_back(static_cast<int>(sectors.size() - pieces.size()));
  }
  return all;
}

/// Whether that is what rule(sectors, pieces) says, of each column.
template <class Rule>
bool as(const std::vector<int> &got, const Columns &columns, const Rule &rule) {
  for (int col = 0; col < columns.size(); ++col)
    if (got[col] != rule(columns.heights[col], columns.depths[col]))
      return false;
  return true;
}

std::string asked_for(const Columns &columns, int col) {
  return "Block " + std::to_string(col) + " shall touch " + std::to_string(columns.heights[col]) +
         " sectors in " + std::to_string(columns.depths[col]) + " pieces";
}

/// These are no numbers of an input, and which of them it would be says nothing.
void expect_count(const std::string &what, int got, int expected) {
  checker::expect_same(what, lab::compare_value(what.c_str(), got, expected, {}));
}

Touched check(const Columns &columns, const std::string &what) {
  Touched all = touched(columns, what);
  checker::diagnose("side_by_side",
                    as(all.sectors, columns, [](int, int) { return 4; }),
                    what + ": all warps touch 4 sectors, as if their ints lay side by side. How "
                           "many are asked for stands in `sectors`, from 4 to 32");
  checker::diagnose(
      "sectors_rounded",
      as(all.sectors, columns, [](int s, int) { return (32 + 32 / s - 1) / (32 / s); }),
      what + ": each sector has 32 / sectors lanes, rounded down. Five sectors for 32 lanes are 6 "
             "lanes each, and two lanes are left, which touch a sixth one. Multiply before you "
             "divide, or deal the sectors out in turn");
  checker::diagnose("a_sector_per_piece",
                    as(all.sectors, columns, [](int, int p) { return p; }),
                    what + ": each warp touches as many sectors as it shall touch pieces: one of "
                           "each. Some pieces have to be touched in both of their sectors: how "
                           "many?");
  checker::diagnose("whole_pieces",
                    as(all.sectors, columns, [](int, int p) { return std::min(2 * p, 32); }),
                    what + ": each piece is touched in both of its sectors. That is too many "
                           "sectors: of how many pieces are both wanted, and of how many one?");
  const auto of_block = [&](const char *name, int col) {
    return name + (" of block " + std::to_string(col)) + ", which shall touch " +
           std::to_string(columns.heights[col]) + " sectors in " +
           std::to_string(columns.depths[col]) + " pieces";
  };
  for (int col = 0; col < columns.size(); ++col)
    expect_count(of_block("sectors", col), all.sectors[col], columns.heights[col]);
  checker::diagnose("as_few_pieces",
                    as(all.pieces, columns, [](int s, int) { return (s + 1) / 2; }),
                    what +
                        ": the sectors are as many as they shall be, and side by side, so they "
                        "lie in as few pieces as can be. " +
                        asked_for(columns, columns.size() - 1));
  checker::diagnose("a_piece_each",
                    as(all.pieces, columns, [](int s, int) { return s; }),
                    what + ": the sectors are as many as they shall be, and each lies in a piece "
                           "of its own. Where fewer pieces are asked for, some bring two");
  checker::diagnose(
      "whole_for_single",
      as(all.pieces, columns, [](int s, int p) { return s - std::min(2 * p - s, s / 2); }),
      what +
          ": as many pieces bring one sector as were to bring two. 6 sectors in 5 pieces are one "
          "piece with both, and four with one");
  for (int col = 0; col < columns.size(); ++col)
    expect_count(of_block("pieces", col), all.pieces[col], columns.depths[col]);
  return all;
}

Columns all_columns() {
  Columns columns;
  for (int sectors = 4; sectors <= 32; ++sectors)
    for (int pieces = (sectors + 1) / 2; pieces <= sectors; ++pieces)
      columns.add(sectors, pieces);
  return columns;
}

} // namespace

TEST_CASE("five sectors, and more") {
  Columns columns;
  columns.add(5, 4);
  columns.add(20, 13);
  const Touched all = check(columns, "5 sectors in 4 pieces, and 20 in 13");
  checker::record("whole_pieces_of_13", all.whole[1]);
}

TEST_CASE("whatever is asked for") {
  const Columns columns = all_columns();
  const Touched all = check(columns, "each number of sectors in each number of pieces");
  if (!all.seen)
    return;
  checker::expect_lanes(*all.seen, emu::Access::global_store, 30.0);
  unsigned long long looked_at = 0; // blocks, each of one warp
  for (const emu::KernelReport &kernel : all.seen->kernels)
    looked_at += kernel.blocks_traced;
  const emu::AccessCounts loads = checker::total(*all.seen, emu::Access::global_load);
  checker::expect_at_most(
      "loads_per_warp",
      static_cast<double>(loads.requests) / std::max(looked_at, 1ull),
      3.0,
      "more_requests",
      "the ints are the right ones, but a warp makes several requests for them. "
      "Beside the two that bring sectors and pieces there is one: first work "
      "out i, by ?: for instance, then load in one line, all lanes together");
}

TEST_CASE("mountains and a lake") {
  checker::unless_failed_before();
  constexpr int of_place = 6, cols = 9 * of_place, up = 30, down = 18;
  const auto rough = checker::random_values<int>(cols, -1, 1);
  const Land mine = land();
  Columns columns;
  for (int col = 0; col < cols; ++col) {
    const int place = col / of_place, on = col % of_place; // towards the next place
    const auto height = [&](int i) { return std::clamp(mine.heights[i], 4, up); };
    const int even =
        (height(place) * (of_place - on) + height(place + 1) * on + of_place / 2) / of_place;
    const int sectors = std::clamp(even + (on == 0 ? 0 : rough[col]), 4, up);
    columns.add(sectors, std::min((sectors + 1) / 2 + col * col % 3, std::min(sectors, down)));
  }
  checker::unobserved([&] {
    const Touched all = touched(columns, "the mountains");
    std::vector<bool> cells;
    for (int row = 0; row < up + down; ++row)
      for (int col = 0; col < cols; ++col) {
        const int high = up - 1 - row, deep = row - up;
        const bool dotted = (row + col) % 2 == 0; // snow, and what the water shows
        cells.push_back(deep < 0 ? high < all.sectors[col] && (dotted || high < 20)
                                 : deep < all.pieces[col] && dotted);
      }
    checker::note("Drawn by what your loads touch: a mountain is as high as its warp has touched "
                  "sectors, and its image in the lake as deep as they lie in pieces of DRAM's. "
                  "Raise your own mountains, in land():" +
                  checker::picture(cells, cols));
  });
}
