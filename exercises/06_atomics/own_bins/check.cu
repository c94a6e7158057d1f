// Checks own_bins.cu: each row's pieces, for any blocks, and how often global memory is asked for places.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

__global__ void into_rows(const unsigned *pieces, int n, unsigned *lists, int *ends);

namespace {

constexpr int rows = 40, cols = 64;
using Pieces = std::vector<unsigned>;

std::optional<emu::Observation> check(const Pieces &h_pieces, int block) {
  const int n = static_cast<int>(h_pieces.size());
  const auto d_pieces = checker::on_device(h_pieces);
  const auto d_lists = checker::poisoned<unsigned>(static_cast<std::size_t>(rows) * n);
  const auto d_ends = checker::on_device(std::vector<int>(rows, 0));
  Pieces expected = h_pieces; // row after row
  std::ranges::sort(expected);
  std::vector<int> ends(rows, 0);
  for (unsigned piece : h_pieces)
    ++ends[piece / cols];
  const auto asked = [&] { // if each piece asks for all of its block's
    std::vector<int> asked_for(rows, 0);
    for (int first = 0; first < n; first += block)
      for (int i = first; i < std::min(first + block, n); ++i)
        asked_for[h_pieces[i] / cols] += static_cast<int>(
            std::count_if(h_pieces.begin() + first,
                          h_pieces.begin() + std::min(first + block, n),
                          [&](unsigned piece) { return piece / cols == h_pieces[i] / cols; }));
    return asked_for;
  };
  const std::string what = checker::counted(n, "piece") + " in blocks of " + std::to_string(block);
  checker::perhaps("Each piece has to get a place of its own. Behind the places that other blocks "
                   "have got for this row come this block's, and there a piece's is behind those "
                   "of the block's pieces that were counted before it",
                   "global_race",
                   "two threads write lists[");
  checker::perhaps("All blocks ask `ends` for places: looking and moving on are one step, "
                   "atomicAdd(), which returns what stood there before",
                   "global_race",
                   "ends[");
  checker::perhaps("Three times all threads of the block have to wait: when the bins are set, when "
                   "all pieces are counted, and when it is known where the block's places begin",
                   "shared_race");
  checker::perhaps("All pieces of a row are counted in one bin, so looking and adding are one "
                   "step there: atomicAdd(), which returns how many were counted before",
                   "shared_race",
                   "and nothing orders them");
  checker::perhaps("There are 40 rows, 0 to 39, and row = piece / 64 says which; and a block may "
                   "have 1024 threads",
                   "out_of_bounds",
                   "variable of the block");
  checker::perhaps(
      "There are 40 rows, 0 to 39, and row = piece / 64 says which", "out_of_bounds", "of ends[");
  checker::perhaps("A piece's place lies behind the first of its block's in this row. Does each "
                   "thread know that one when it stores?",
                   "out_of_bounds");
  const int blocks = static_cast<int>(checker::enough_blocks(n, block));
  auto seen = checker::launch(what, [&] {
    into_rows<<<blocks, block>>>(d_pieces.data(), n, d_lists.data(), d_ends.data());
  });
  const auto got_ends = d_ends.download();
  const auto lists = d_lists.download();
  const auto wrong = std::ranges::mismatch(got_ends, ends).in1 - got_ends.begin();
  checker::diagnose("asked_too_often",
                    got_ends != ends && got_ends == asked(),
                    what + ": ends[" + std::to_string(wrong) +
                        "] is too large. Each piece has "
                        "asked for the places of all of its block's pieces in this row: one of "
                        "them asks, and tells the others");
  std::vector<int> threads(ends); // if those without a piece are counted as well
  threads[0] += static_cast<int>(checker::enough_blocks(n, block)) * block - n;
  checker::diagnose("counted_without_a_piece",
                    got_ends != ends && got_ends == threads,
                    what + ": ends[0] is too large. The last block has threads without a piece, "
                           "which are counted, too: they have to come to each barrier, but not to "
                           "count");
  checker::diagnose("asked_too_often",
                    got_ends != ends && std::ranges::equal(got_ends, ends, std::greater_equal<>()),
                    what + ": ends[" + std::to_string(wrong) +
                        "] is too large. A block asks for as many places as it has counted pieces "
                        "of the row, and each block asks once");
  checker::expect_same("ends of " + what, got_ends, ends);
  checker::diagnose("only_counted",
                    n > 0 &&
                        std::ranges::all_of(lists, [](unsigned at) { return at == 0xCDCDCDCDu; }),
                    what + ": the pieces are counted, and none of them is stored");
  checker::diagnose(
      "off_by_one_place",
      n > 0 &&
          [&] {
            for (int row = 0; row < rows; ++row)
              if (ends[row] > 0 && lists[static_cast<std::size_t>(row) * n] != 0xCDCDCDCDu)
                return false;
            return true;
          }(),
      what + ": the first place of each list is empty. What atomicAdd() returns was "
             "there before: 0 for the first one, whose place is 0");
  checker::diagnose(
      "only_columns",
      std::ranges::all_of(lists, [](unsigned at) { return at == 0xCDCDCDCDu || at < cols; }),
      what + ": the lists have the columns of pieces, or their places: a piece goes "
             "there as it is, pieces[i]");
  Pieces got;
  for (int row = 0; row < rows; ++row) {
    const auto begin = lists.begin() + static_cast<std::ptrdiff_t>(row) * n;
    got.insert(got.end(), begin, begin + ends[row]);
    std::sort(got.end() - ends[row], got.end());
  }
  checker::expect_same("lists of " + what + ", each sorted", got, expected);
  if (seen)
    checker::expect_at_most(
        "shared_loads_per_warp",
        checker::requests_per_warp(*seen, emu::Access::shared_load),
        48,
        "one_thread_counts",
        what + ": the lists are right, but one thread of a block counts for all. "
               "Each thread can count its own piece, by an atomic in shared memory");
  if (seen)
    checker::expect_at_most(
        "global_atomics_per_block",
        static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes) / blocks,
        rows,
        "too_many_global_atomics",
        what + ": a block has pieces for 40 rows, and can ask for all places of a row at once. Who "
               "is the block's first of its row, who the second, is counted in shared memory");
  return seen;
}

Pieces any(int n) { return checker::random_values<unsigned>(n, 0, rows * cols - 1); }

/// Cells of a postcard: the sun above two mountains by the sea.
bool on_the_card(int row, int col) {
  const int x = col - 46, y = row - 9;
  const bool sun = x * x + y * y <= 30;
  const int near_top = 12 + std::abs(col - 20), far_top = 17 + std::abs(col - 38);
  const bool mountain = row < 29 && (row == near_top || (row == far_top && row < near_top) ||
                                     (row > near_top && row < 18 && (row + col) % 3 != 0));
  const bool water = row >= 30 && row % 3 == 0 && std::sin(0.5 * col + row) > -0.2;
  const bool rim = row == 0 || row == rows - 1 || col == 0 || col == cols - 1;
  return sun || mountain || water || rim;
}

} // namespace

TEST_CASE("every size, in any blocks") {
  checker::every_size(128, {64, 32, 47, 512, 1024}, [](int n, int block) { check(any(n), block); });
}

TEST_CASE("one row alone") {
  checker::unless_failed_before();
  for (int block : {64, 512})
    check(Pieces(300, 39 * cols + 5), block);
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] { check(any(300), 64); });
}

TEST_CASE("global memory is asked once for each row of a block") {
  const auto seen = check(any(2048), 512);
  if (!seen)
    return;
  checker::record("pieces_from_which_bins_pay", rows + 1);
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
}

TEST_CASE("a postcard") {
  checker::unless_failed_before();
  Pieces pieces;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      if (on_the_card(row, col))
        pieces.push_back(row * cols + col);
  const auto order = checker::random_values<unsigned>(pieces.size(), 0u, ~0u);
  for (std::size_t i = pieces.size() - 1; i > 0; --i)
    std::swap(pieces[i], pieces[order[i] % (i + 1)]);
  checker::unobserved([&] {
    const int n = static_cast<int>(pieces.size());
    const auto d_pieces = checker::on_device(pieces);
    const auto d_lists = checker::poisoned<unsigned>(static_cast<std::size_t>(rows) * n);
    const auto d_ends = checker::on_device(std::vector<int>(rows, 0));
    into_rows<<<checker::enough_blocks(n, 128), 128>>>(
        d_pieces.data(), n, d_lists.data(), d_ends.data());
    const auto lists = d_lists.download();
    const auto ends = d_ends.download();
    std::vector<bool> cells(rows * cols);
    for (int row = 0; row < rows; ++row)
      for (int k = 0; k < std::min(ends[row], n); ++k)
        cells[row * cols + lists[static_cast<std::size_t>(row) * n + k] % cols] = true;
    checker::note("A postcard of " + checker::counted(n, "piece") +
                  ", each row of it from the list that your blocks have made:" +
                  checker::picture(cells, cols));
  });
}
