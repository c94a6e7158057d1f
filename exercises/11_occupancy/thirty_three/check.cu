// Checks thirty_three.cu: every number, and that the warps that write are full and keep a column's number.
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>

void add_tables(const int *d_in, int rows, const int *d_of_column, const int *d_of_row, int *d_out);

namespace {

constexpr int columns = 33;

/// What is to be added: each row has a multiple of 1000, each column less than that.
struct Tables {
  std::vector<int> of_column = checker::random_values<int>(columns, 1, 999), of_row;

  explicit Tables(int rows) {
    for (int number : checker::random_values<int>(rows, 1, 1'000'000))
      of_row.push_back(1000 * number);
  }
};

/// Of the stores all but a few take a whole warp's lanes.
void expect_full_warps(const std::string &what, const emu::Observation &seen, int n) {
  unsigned rest = 0; // threads in the last warp of a block, if they do not fill it
  for (const emu::KernelReport &kernel : seen.kernels)
    rest = std::max(rest, kernel.block[0] * kernel.block[1] * kernel.block[2] % 32);
  const std::string full = std::to_string((n + 31) / 32);
  checker::expect_at_most(
      "stores",
      static_cast<double>(checker::total(seen, emu::Access::global_store).requests),
      std::floor(n / 31.0 + 2),
      "idle_lanes",
      what + ": the results are right, but " +
          (rest == 0 ? "not all of a warp's 32 lanes have something to write"
                     : "a block's threads are no multiple of 32, so that its last warp has " +
                           checker::counted(static_cast<int>(rest), "lane")) +
          ". " + std::to_string(n) + " numbers are for " + full + " warps");
}

std::uint64_t threads_of(const emu::Observation &seen) {
  std::uint64_t threads = 0;
  for (const emu::KernelReport &kernel : seen.kernels)
    threads += std::uint64_t{kernel.grid[0]} * kernel.grid[1] * kernel.grid[2] * kernel.block[0] *
               kernel.block[1] * kernel.block[2];
  return threads;
}

constexpr double most_loads = 2.5; // where two numbers of a thread take five

double loads_per_number(const emu::Observation &seen) {
  return static_cast<double>(checker::total(seen, emu::Access::global_load).requests) /
         static_cast<double>(checker::total(seen, emu::Access::global_store).requests);
}

std::optional<emu::Observation> check(int rows) {
  const int n = rows * columns;
  const auto h_in = checker::random_values<int>(n, -1'000'000'000, 1'000'000'000);
  const Tables tables(rows);
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i)
    expected[i] = h_in[i] + tables.of_column[i % columns] + tables.of_row[i / columns];
  const auto d_in = checker::on_device(h_in), d_of_column = checker::on_device(tables.of_column),
             d_of_row = checker::on_device(tables.of_row);
  const auto d_out = checker::poisoned<int>(n);
  const std::string what = "a matrix of " + std::to_string(rows) + " x 33";
  checker::perhaps(
      "A loop over the grid goes on by as many numbers as the grid has threads. With a smaller "
      "step a thread comes to numbers that others have",
      "global_race");
  checker::perhaps(
      "of_row has an element for each row, of_column has 33. Of a place in memory, what is "
      "place / 33, and what place % 33?",
      "out_of_bounds",
      "of_row[");
  auto seen = checker::launch(what, [&] {
    add_tables(d_in.data(), rows, d_of_column.data(), d_of_row.data(), d_out.data());
  });
  const auto got = d_out.download();
  // Where the results begin to be what nobody has written.
  int written = n;
  while (written > 0 && got[written - 1] == static_cast<int>(0xCDCDCDCD))
    --written;
  checker::diagnose(
      "rows_alone",
      written == rows,
      what + ": written are only as many numbers as there are rows. Does the loop end with "
             "the number of rows? Each has 33 numbers");
  checker::diagnose("tail_missing",
                    written < n && (written > 0 || n < 1024) &&
                        std::equal(got.begin(), got.begin() + written, expected.begin()),
                    what + ": nobody has written " + checker::counted(n - written, "number") +
                        " at the end. Which round of which thread takes the last one?");
  const auto launched = checker::detail::last_launch();
  const int stride = static_cast<int>(launched.threads * launched.blocks);
  bool first_round = stride < n; // is right, and only that of the others is wrong
  bool right_rows = true, right_columns = true; // what has been added, for each number
  bool by_rows = true; // as if the matrix had `rows` numbers in a row
  for (int i = 0; i < n; ++i) {
    const int added =
        static_cast<int>(static_cast<unsigned>(got[i]) - static_cast<unsigned>(h_in[i]));
    right_columns = right_columns && added % 1000 == tables.of_column[i % columns];
    right_rows = right_rows && added - added % 1000 == tables.of_row[i / columns];
    by_rows = by_rows && (added == tables.of_column[i / rows % columns] + tables.of_row[i % rows] ||
                          added == tables.of_column[i % columns] + tables.of_row[i % rows]);
    first_round = first_round && (i >= stride || got[i] == expected[i]);
  }
  checker::diagnose("divided_by_rows",
                    by_rows && rows > 1,
                    what + ": row or column is worked out with the number of rows. In memory a "
                           "row is 33 numbers, and the next one begins behind them");
  const std::string on = "The first number of each thread is right. From there it goes on by " +
                         std::to_string(stride) + ", as many as the grid has threads. ";
  checker::diagnose("other_column",
                    right_rows && !right_columns,
                    what +
                        ": each number got what belongs to its row, but some got what belongs "
                        "to another column. " +
                        (first_round ? on + "Is that one in the same column?"
                                     : "The column follows from the place in the whole matrix"));
  checker::diagnose("other_row",
                    right_columns && !right_rows,
                    what +
                        ": each number got what belongs to its column, but some got what "
                        "belongs to another row. " +
                        (first_round ? on + "In which row is that one?"
                                     : "The row follows from the place in the whole matrix"));
  checker::expect_same(what, got, expected, {}, columns);
  if (seen)
    expect_full_warps(what, *seen, n);
  return seen;
}

} // namespace

TEST_CASE("a row, and a few") {
  for (int rows : {1, 2, 7, 31, 32, 33, 100, 225}) // 225 * 33 is one more than a multiple of 256
    check(rows);
}

TEST_CASE("many rows") {
  checker::unless_failed_before();
  check(1000);
  for (int rows : checker::own_sizes(1, 3199, 300))
    check(rows);
}

TEST_CASE("full warps") {
  checker::record("lanes_for_40_columns", 40 / 2.0); // of two warps for each block
  checker::unless_failed_before();
  const auto seen = check(6400);
  if (!seen)
    return;
  const auto stores = checker::total(*seen, emu::Access::global_store);
  const std::uint64_t threads = threads_of(*seen);
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
  checker::expect(
      checker::detail::last_launch().blocks > 1,
      "one_block",
      "the results are right, by a single block: all multiprocessors but one have nothing "
      "to do. A loop over the grid is for several blocks");
  checker::expect_at_most(
      "loads_per_number",
      loads_per_number(*seen),
      most_loads,
      "column_again",
      "the results are right, but what belongs to a column is loaded again and again. A matrix of "
      "6400 x 33 needs no more than two loads for a number, and one for each thread" +
          std::string(3 * threads > 6400 * columns
                          ? ". There are " + std::to_string(threads) + " threads for " +
                                std::to_string(6400 * columns) +
                                " numbers: each has too few to load its column's once for many"
                          : ""));
  // With fewer rows more threads may come, each of which loads its column's once, too.
  for (int rows : checker::own_sizes(3200, 6399, 9000))
    if (const auto other = check(rows)) {
      const double share = static_cast<double>(threads_of(*other)) / (rows * columns);
      checker::expect_at_most(
          "loads_per_number",
          loads_per_number(*other),
          std::max(most_loads, 2 + 1.1 * std::min(share, 1.0)),
          "column_again",
          "a matrix of " + std::to_string(rows) +
              " x 33: the results are right, but what belongs to a column is loaded again and "
              "again. With 6400 rows it is not. Here are " +
              std::to_string(threads_of(*other)) + " threads, which need it once each");
    }
  const auto lanes = [](double at_work) {
    const auto busy = static_cast<std::size_t>(std::lround(at_work));
    return "\n" + std::string(busy, '#') + std::string(32 - busy, '.');
  };
  checker::note(
      "Lanes at work (#) as numbers are stored, by the two warps of a row before:" + lanes(32) +
      lanes(1) + "\nand by one of your warps, on average:" + lanes(stores.active_lanes()));
}

TEST_CASE("full warps at another size") {
  checker::unless_failed_before();
  if (const auto seen = check(1000))
    checker::expect_lanes(*seen, emu::Access::global_store, 30.0, "33000 numbers fill 1032 warps");
}

TEST_CASE("a scan") {
  constexpr int rows = 33, n = rows * columns;
  const Tables tables(rows);
  std::vector<int> scan, sheet;
  for (int i = 0; i < n; ++i) {
    const int x = i % columns - 16, y = i / columns - 16, away = x * x + y * y;
    const bool eye = std::abs(std::abs(x) - 6) < 2 && -9 < y && y < -2;
    const bool mouth = 80 < away && away < 130 && y > 3;
    sheet.push_back(away < 250 && !eye && !mouth);
    scan.push_back(sheet.back() - tables.of_column[i % columns] - tables.of_row[i / columns]);
  }
  checker::unobserved([&] {
    const auto d_in = checker::on_device(scan), d_of_column = checker::on_device(tables.of_column),
               d_of_row = checker::on_device(tables.of_row);
    const auto d_out = checker::poisoned<int>(n);
    add_tables(d_in.data(), rows, d_of_column.data(), d_of_row.data(), d_out.data());
    const auto got = d_out.download();
    checker::expect_same("a scan", got, sheet, {}, columns);
    std::vector<bool> cells;
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < columns; ++col) // light, as it came in
        cells.push_back(scan[row * columns + col] > -500'000'000);
      cells.resize(cells.size() + 6);
      for (int col = 0; col < columns; ++col)
        cells.push_back(got[row * columns + col] > 0);
    }
    checker::note("A scan, as it came in, and as your kernel has put it right:" +
                  checker::picture(cells, 2 * columns + 6));
  });
}
