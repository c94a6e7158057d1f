// Checks eight_lanes.cu: the sums of rows of any length, and how much of what is read is used.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void row_sums(const unsigned *in, int rows, int cols, unsigned *out);

namespace {

constexpr unsigned untouched = 0xCDCDCDCDu; // lab::poison

std::optional<emu::Observation> check(int rows, int cols) {
  const auto h_in = checker::extreme_values<unsigned>(rows * cols);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(rows);
  const std::string what = checker::elements(rows, "row") + " of " + std::to_string(cols);
  auto seen = checker::launch(what, [&] {
    row_sums<<<checker::enough_blocks(rows, 16), 128>>>(d_in.data(), rows, cols, d_out.data());
  });
  const auto got = d_out.download();
  std::vector<unsigned> expected(rows, 0), heads(rows, 0), of_four(rows, 0), eightfold(rows, 0),
      of_one(rows, 0), of_half(rows, 0), of_32(rows, 0);
  for (int i = 0; i < rows * cols; ++i) {
    const int row = i / cols;
    expected[row] += h_in[i];
    heads[row] += i % cols < cols / 8 * 8 ? h_in[i] : 0;
    eightfold[row] += 8 * h_in[i];
    of_32[row] += i % cols % 32 < 8 ? h_in[i] : 0;
    of_one[row] += i % cols % 8 == 0 ? h_in[i] : 0;
    of_half[row] += i % cols % 8 < 4 ? h_in[i] : 0;
    for (int other = row / 4 * 4; other < rows && other < row / 4 * 4 + 4; ++other)
      of_four[other] += h_in[i];
  }
  const bool wrong = got != expected;
  bool first_eight = rows > 8; // of each 16, and no other, have got something
  for (int row = 0; row < rows; ++row)
    first_eight = first_eight && (got[row] != untouched) == (row % 16 < 8);
  checker::diagnose("lane_for_tile",
                    first_eight,
                    what +
                        ": of each 16 rows only the first 8 got a sum. thread_rank() is a lane's "
                        "number in its tile, 0 to 7; the tile's number among the block's 16 is "
                        "meta_group_rank(), and a row is a tile's");
  checker::diagnose("rows_left_out",
                    wrong && std::count(got.begin(), got.end(), untouched) > 0,
                    what + ": some rows got no sum at all: each tile has a lane that has to store");
  checker::diagnose("four_rows_together",
                    wrong && got == of_four,
                    what + ": each sum is that of four rows: 32 lanes were added up, not 8");
  checker::diagnose("steps_of_a_warp",
                    wrong && cols > 32 && got == of_32,
                    what + ": of each 32 columns only the first 8 are in the sums: the lanes of a "
                           "tile of 8 go on by 8, not by 32");
  checker::diagnose("tail_dropped",
                    wrong && got == heads,
                    what + ": the last columns are missing, where cols is no multiple of 8");
  checker::diagnose(
      "eight_times",
      wrong && got == eightfold,
      what + ": each sum is 8 times too large: every lane of a tile went along the whole row");
  checker::diagnose("lanes_apart",
                    wrong && cols > 8 && got == of_one,
                    what + ": each sum is what one lane of eight has added up. Nobody adds up the "
                           "sums of the lanes");
  checker::diagnose("half_a_tile",
                    wrong && cols > 8 && got == of_half,
                    what +
                        ": of each 8 columns the last 4 are missing: as many lanes as go along a "
                        "row have to be in a tile");
  checker::expect_same("sums of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("rows of 64") { check(64, 64); }

TEST_CASE("any number of columns") {
  checker::unless_failed_before();
  for (int cols : {8, 9, 7, 1, 33, 100})
    check(40, cols);
}

TEST_CASE("any number of rows") {
  checker::unless_failed_before();
  for (int rows : {1, 3, 16, 17, 31, 100, 0})
    check(rows, 20);
}

TEST_CASE("what is read is used") {
  const auto seen = check(64, 64);
  if (!seen) {
    const int rows = 1 << 21, cols = 64;
    const lab::DeviceBuffer<unsigned> d_in(std::size_t{rows} * cols), d_out(rows);
    LAB_CHECK(cudaMemset(d_in.data(), 1, d_in.bytes()));
    checker::expect_bandwidth(static_cast<double>(d_in.bytes()), lab::Ceiling::read, 0.4, [&] {
      row_sums<<<rows / 16, 128>>>(d_in.data(), rows, cols, d_out.data());
    });
    return;
  }
  const emu::AccessCounts loads = checker::total(*seen, emu::Access::global_load);
  checker::record("global_load.sectors_per_request", loads.sectors_per_request());
  checker::expect_at_least("global_load.bytes_used_percent",
                           loads.bytes_used_percent(),
                           100.0,
                           "uncoalesced",
                           "8 lanes side by side read 32 bytes, one whole sector, in each step");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  checker::expect_masks_named(*seen);
}
