// Checks pad_the_tile.cu: the sums, the loads, and one round of the banks for each request.
#include "checker/nasty.hpp"

__global__ void row_sums(const unsigned *in, int rows, unsigned *out);

namespace {

std::optional<emu::Observation> check(int rows) {
  const auto h_in = checker::extreme_values<unsigned>(static_cast<std::size_t>(rows) * 32);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(rows);
  std::vector<unsigned> expected(rows, 0), of_columns(rows, 0);
  for (int i = 0; i < rows * 32; ++i) {
    expected[i / 32] += h_in[i];
    const int column_as_row = i / 1024 * 32 + i % 32;
    if (column_as_row < rows)
      of_columns[column_as_row] += h_in[i];
  }

  const std::string what = checker::counted(rows, "row");
  const int blocks = checker::enough_blocks(rows, 32);
  auto seen =
      checker::launch(what, [&] { row_sums<<<blocks, 32>>>(d_in.data(), rows, d_out.data()); });
  const auto got = d_out.download();
  checker::diagnose("columns_added",
                    rows > 0 && got != expected && got == of_columns,
                    what + ": these are the sums of the columns of each 32 rows");
  checker::expect_same("sums of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("whole tiles") {
  check(32);
  check(128);
}

TEST_CASE("every number of rows") {
  for (int rows : {0, 1, 2, 31, 33, 63, 65, 100})
    check(rows);
}

TEST_CASE("one round for each request") {
  const auto seen = check(64);
  if (!seen)
    return;
  checker::expect_cost_at_most(*seen,
                               emu::Access::global_load,
                               4.0,
                               "uncoalesced",
                               "a row of 32 words is 4 sectors. The lanes have to load neighbours");
  checker::expect_cost_at_most(*seen,
                               emu::Access::shared_store,
                               1.0,
                               "conflict_in_stores",
                               "now it is the stores whose lanes meet in a bank");
  const auto loads = checker::total(*seen, emu::Access::shared_load);
  checker::expect_cost_at_most(
      *seen,
      emu::Access::shared_load,
      1.0,
      loads.max_conflict >= 32 ? "one_bank" : "bank_conflict",
      "up to " + std::to_string(loads.max_conflict) +
          " lanes wait for one bank; 32 banks can serve 32 lanes in one round");
  checker::expect_lanes_or_shuffles(*seen, emu::Access::shared_load, 30.0);
}
