// Checks thirty_three.cu: every number, and that the warps that write are full.
#include "checker/checker.hpp"

void add_to_columns(const int *d_in, int rows, const int *d_added, int *d_out);

namespace {

constexpr int columns = 33;

std::optional<emu::Observation> check(int rows) {
  const int n = rows * columns;
  const auto h_in = checker::random_values<int>(n, -2'000'000'000, 2'000'000'000);
  const auto h_added = checker::random_values<int>(columns, 1, 999);
  std::vector<int> expected(n), of_thread(n);
  for (int i = 0; i < n; ++i)
    expected[i] = h_in[i] + h_added[i % columns];
  const auto d_in = checker::on_device(h_in), d_added = checker::on_device(h_added);
  const auto d_out = checker::poisoned<int>(n);
  const std::string what = "a matrix of " + std::to_string(rows) + " x 33";
  auto seen = checker::launch(
      what, [&] { add_to_columns(d_in.data(), rows, d_added.data(), d_out.data()); });
  const auto got = d_out.download();
  // Where the results begin to be what nobody has written; and the columns counted from each block on.
  int written = n;
  while (written > 0 && got[written - 1] == static_cast<int>(0xCDCDCDCD))
    --written;
  bool right_so_far = written > 0 || n < 1024;
  for (int i = 0; i < written; ++i)
    right_so_far = right_so_far && got[i] == expected[i];
  checker::diagnose("tail_missing",
                    written < n && right_so_far,
                    what + ": nobody has written " + checker::counted(n - written, "number") +
                        " at the end. How many blocks do " + checker::counted(n, "number") +
                        " need?");
  bool other_column = got != expected;
  for (int i = 0; i < n && other_column; ++i) {
    bool any = false;
    for (int added : h_added)
      any = any || got[i] == h_in[i] + added;
    other_column = any;
  }
  checker::diagnose("other_column",
                    other_column,
                    what + ": each number is there, but some got what belongs to another column. "
                           "The column follows from the place in the whole matrix");
  checker::expect_same(what, got, expected, {}, columns);
  return seen;
}

} // namespace

TEST_CASE("a row, and a few") {
  for (int rows : {1, 2, 7, 31, 32, 33, 100, 225}) // 225 * 33 is one more than a multiple of 256
    check(rows);
}

TEST_CASE("many rows") { check(1000); }

TEST_CASE("full warps") {
  const auto seen = check(64);
  if (seen)
    checker::expect_at_least(
        "lanes_at_work",
        checker::total(*seen, emu::Access::global_store).active_lanes(),
        31,
        "idle_lanes",
        "the results are right, but not all of a warp's 32 lanes have something to write. "
        "64 x 33 numbers fill 66 warps to the last lane");
  if (seen)
    checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
}
