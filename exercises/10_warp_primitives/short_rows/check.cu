// Checks short_rows.cu: every number of columns, each number read once, and five rounds.
#include "checker/checker.hpp"

#include <algorithm>
#include <climits>

__global__ void below_the_largest(const int *in, int rows, int cols, int *out);

namespace {

std::vector<int> short_by(const std::vector<int> &in, int cols, int at_least) {
  std::vector<int> result(in.size());
  for (std::size_t first = 0; first < in.size(); first += cols) {
    const int largest = std::max(at_least, *std::max_element(&in[first], &in[first] + cols));
    for (int col = 0; col < cols; ++col)
      result[first + col] = static_cast<int>(static_cast<unsigned>(largest) - in[first + col]);
  }
  return result;
}

// What shuffles down leave in each lane: the largest of its own number and those on its right.
std::vector<int> short_by_right(const std::vector<int> &in, int cols) {
  std::vector<int> result(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    result[i] = *std::max_element(&in[i], &in[i - i % cols] + cols) - in[i];
  return result;
}

std::optional<emu::Observation> check(int rows, int cols, int low, int high) {
  const auto h_in = checker::random_values<int>(rows * cols, low, high);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<int>(rows * cols);
  const std::string what = checker::elements(rows, "row") + " of " + std::to_string(cols) +
                           (high < 0 ? " negative numbers" : " numbers");
  checker::perhaps(cols == 32
                       ? "Here cols is 32, and 1u << 32 is not defined. A mask of all lanes is "
                         "0xffffffff, and lanes beyond the row bring what changes nothing"
                       : "",
                   "undefined_shift");
  auto seen = checker::launch(what, [&] {
    below_the_largest<<<checker::enough_blocks(rows, 4), 128>>>(
        d_in.data(), rows, cols, d_out.data());
  });
  const auto got = d_out.download(), expected = short_by(h_in, cols, low);
  checker::diagnose("zero_for_missing",
                    got != expected && got == short_by(h_in, cols, 0),
                    what + ": the largest of a row was taken to be 0, which is in no column");
  checker::diagnose("largest_for_missing",
                    got != expected && got == short_by(h_in, cols, INT_MAX),
                    what +
                        ": the largest of a row was taken to be INT_MAX, which is in no column. "
                        "What a lane without a column brings must never be the largest: INT_MIN");
  checker::diagnose("first_lane_only",
                    got != expected && got == short_by_right(h_in, cols),
                    what + ": each lane took the largest of the columns from its own on, so that "
                           "only lane 0 has that of the row. Every lane needs it");
  std::vector<int> of_parts(h_in); // by rounds that end with the largest of 16, 8, 4 or 2 lanes
  for (const int lanes : {16, 8, 4, 2}) {
    for (int i = 0; i < rows * cols; ++i) {
      const int col = i % cols, first = i - col % lanes;
      const int last = std::min(first + lanes, i - col + cols);
      of_parts[i] = *std::max_element(&h_in[first], &h_in[first] + (last - first)) - h_in[i];
    }
    checker::diagnose("rounds_missing",
                      got != expected && got == of_parts,
                      what + ": each lane knows the largest of " + std::to_string(lanes) +
                          " lanes: with 32 of them a round is missing for each time that this can "
                          "be doubled");
  }
  checker::expect_same(what, got, expected, {}, cols);
  return seen;
}

} // namespace

TEST_CASE("rows of 32") { check(9, 32, -1000, 1000); }

TEST_CASE("any number of columns") {
  for (int cols : {20, 31, 17, 16, 5, 2, 1})
    check(6, cols, -1000, 1000);
  check(0, 5, -1000, 1000);
}

TEST_CASE("none above zero") {
  for (int cols : {20, 3, 32})
    check(5, cols, -2000, -1000);
  check(5, 7, -2'000'000'000, -1'500'000'000); // far from every number that could be meant as "low"
}

TEST_CASE("each number is read once, in five rounds") {
  const auto seen = check(8, 20, -1000, 1000);
  if (!seen)
    return;
  const emu::AccessCounts loads = checker::total(*seen, emu::Access::global_load);
  checker::record("global_load.active_lanes", loads.active_lanes());
  checker::expect_at_most("global_load.requests_per_row",
                          static_cast<double>(loads.requests) / 8.0,
                          1.0,
                          "read_again",
                          "a warp needs one load for its row; the rest comes from other lanes");
  checker::expect_at_most("meetings_per_warp",
                          checker::meetings_per_warp(*seen),
                          6.0,
                          "too_many_shuffles",
                          "32 lanes have seen each other's numbers after five shuffles");
  checker::expect_lanes(*seen, emu::Access::global_load, 20.0);
  checker::expect_masks_named(*seen);
}
