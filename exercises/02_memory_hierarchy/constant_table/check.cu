// Checks constant_table.cu: the cloth and its dyes, parts of a table, and which tables are in constant memory.
#include "checker/nasty.hpp"

#include <cstring>

void design(int *shafts, int *treadles, int *lifted, int *dyes);
__global__ void weave(int rows, int cols, int *cloth);
__global__ void dye(int rows, int cols, int *dyes);
void set_up(const int *h_shaft_of,
            const int *h_lifts,
            const int *h_dye_of_col,
            const int *h_dye_of_row);
void press(const int *h_treadles, int first, int count);

namespace {

constexpr int most = 1024;
using Table = std::vector<int>;

/// A table into which so many bytes of these values were copied, from byte `offset` on.
Table copied(Table table, const Table &values, std::size_t offset, std::size_t bytes) {
  std::memcpy(reinterpret_cast<char *>(table.data()) + offset, values.data(), bytes);
  return table;
}

struct Loom {
  Table shaft_of = checker::random_values<int>(most, 0, 7);
  Table lifts = checker::random_values<int>(8, 1, 254);
  Table treadle_of = checker::random_values<int>(most, 1, 7);
  Table dye_of_col = checker::random_values<int>(most, 0, 15);
  Table dye_of_row = checker::random_values<int>(most, 0, 15);

  Table cloth(const Table &treadles, int rows, int cols) const {
    Table cells;
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < cols; ++col)
        cells.push_back(lifts[treadles[row] & 7] >> shaft_of[col] & 1);
    return cells;
  }
};

/// What weave() has made of the right tables, if it is one of the usual mistakes.
void expect_woven(
    const std::string &what, const Loom &loom, const Table &treadles, const Table &got, int cols) {
  const auto expect_not = [&](const char *diagnosis, const auto &cell, const std::string &text) {
    bool right = true, mistaken = true;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const int treadle = treadles[i / cols], shaft = loom.shaft_of[i % cols];
      right = right && got[i] == (loom.lifts[treadle] >> shaft & 1);
      mistaken = mistaken && got[i] == cell(treadle, shaft);
    }
    checker::expect(right || !mistaken, diagnosis, what + ": " + text);
  };
  expect_not(
      "nothing_woven",
      [](int, int) { return 0; },
      "0 everywhere: no column's yarn lies on top. Which shafts does a row's treadle lift, and is "
      "the column's one of them?");
  expect_not(
      "crosswise",
      [&](int treadle, int shaft) { return loom.lifts[shaft] >> treadle & 1; },
      "shafts and treadles have changed places: lifts[t] is of treadle t, and bit s of it is of "
      "shaft s");
  expect_not(
      "no_single_bit",
      [&](int treadle, int shaft) { return loom.lifts[treadle] >> shaft; },
      "bits of other shafts are left in the cloth, too. 1 or 0 is asked for: & 1");
}

/// What the host has done, if not what it was asked for: `values` for the rows from `first` on.
void expect_pressed(const std::string &what,
                    const Loom &loom,
                    const Table &values,
                    int first,
                    const Table &got,
                    int cols) {
  const int rows = static_cast<int>(got.size()) / cols;
  const std::size_t offset = first * sizeof(int), bytes = values.size() * sizeof(int);
  const auto with = [&](std::size_t at) { return copied(loom.treadle_of, values, at, bytes); };
  const std::string part = checker::counted(static_cast<long long>(values.size()), "row") +
                           " from row " + std::to_string(first) + " on";
  const auto expect_not =
      [&](const char *diagnosis, const Table &treadles, const std::string &text) {
        checker::expect(got == loom.cloth(with(offset), rows, cols) ||
                            got != loom.cloth(treadles, rows, cols),
                        diagnosis,
                        what + ": " + text);
      };
  expect_not("at_the_front",
             with(0),
             part + " were to get other treadles, and the first rows have got them. How does "
                    "cudaMemcpyToSymbol() know where in the table the copy begins?");
  expect_not("bytes_for_numbers",
             with(static_cast<std::size_t>(first)),
             "the copy of treadles for " + part + " begins at byte " + std::to_string(first) +
                 ", in the midst of another row's. Its offset counts bytes, as its size does");
  Table quarters = copied(Table(most, 0), loom.treadle_of, 0, most);
  expect_not("few_bytes",
             copied(quarters, values, offset, values.size()),
             "of the treadles that come in a quarter of the bytes arrived. How many has an int?");
  expect_not("old_table",
             loom.treadle_of,
             part + " have the treadles of the call before. Each call of press() brings others");
  expect_not("no_table",
             Table(most, 0),
             "all rows have treadle 0, as by a table that nothing was copied into. What the host "
             "writes under the name of a device variable, kernels never see");
}

/// Presses treadles for all rows, then for a part of them anew.
std::optional<emu::Observation> check(int rows, int cols, int high) {
  const Loom loom;
  const int first = 1 + checker::random_values<int>(1, 0, 4)[0];
  const int count = std::max(1, std::min(rows - first, 9));
  const Table values = checker::random_values<int>(count, 0, 7);
  checker::goes_in(loom.shaft_of);
  checker::goes_in(loom.treadle_of);
  const auto d_cloth = checker::poisoned<int>(static_cast<std::size_t>(rows) * cols);
  const auto d_dyes = checker::poisoned<int>(static_cast<std::size_t>(rows) * cols);
  const auto set_all = [&] {
    set_up(loom.shaft_of.data(), loom.lifts.data(), loom.dye_of_col.data(), loom.dye_of_row.data());
    press(loom.treadle_of.data(), 0, most);
    press(values.data(), first, count);
  };
  set_all();
  if (cudaGetLastError() != cudaSuccess)
    checker::observe("set_up() and press()", [&] { // who looks on can name the call
      set_all();
      LAB_CHECK(cudaGetLastError());
    });
  const std::string what = checker::shape(rows, cols);
  const dim3 grid(checker::enough_blocks(cols, 32), checker::enough_blocks(rows, high));
  const dim3 dye_grid(checker::enough_blocks(cols, 1), checker::enough_blocks(rows, 32));
  auto seen = checker::launch(what, [&] {
    weave<<<grid, dim3(32, high)>>>(rows, cols, d_cloth.data());
    dye<<<dye_grid, dim3(1, 32)>>>(rows, cols, d_dyes.data());
  });
  const auto got = d_cloth.download();
  expect_woven(what,
               loom,
               copied(loom.treadle_of, values, first * sizeof(int), count * sizeof(int)),
               got,
               cols);
  if (cols > 0)
    expect_pressed(what, loom, values, first, got, cols);
  checker::expect_same(
      "a cloth of " + what,
      got,
      loom.cloth(
          copied(loom.treadle_of, values, first * sizeof(int), count * sizeof(int)), rows, cols),
      {},
      cols);
  Table dyes;
  for (int col = 0; col < cols; ++col)
    for (int row = 0; row < rows; ++row)
      dyes.push_back(16 * loom.dye_of_col[col] + loom.dye_of_row[row]);
  checker::expect_same("the dyes of " + what, d_dyes.download(), dyes, {}, rows);
  return seen;
}

/// A line with such accesses whose lanes have all the same address, or not; null: none.
const emu::LineReport *line_of(const emu::Observation &seen, emu::Access access, bool same) {
  for (const emu::KernelReport &kernel : seen.kernels)
    for (const emu::LineReport &line : kernel.lines) {
      if (line.access != access || line.worst.active == 0)
        continue;
      // Most lanes of most requests have one word, if not all of the worst.
      if (same && access == emu::Access::global_load && 8 * line.counts.touched < line.counts.bytes)
        return &line;
      const auto &at = line.worst.address;
      bool one = true;
      for (std::size_t lane = 1; lane < at.size(); ++lane)
        one = one && (line.worst.active >> lane & 1) == 1 && at[lane] == at[0];
      if (one == same)
        return &line;
    }
  return nullptr;
}

} // namespace

TEST_CASE("a piece of cloth") { check(40, 64, 8); }

TEST_CASE("any cloth, in any blocks") {
  for (const auto &[rows, cols, high] : {std::tuple(33, 33, 4),
                                         std::tuple(7, 100, 1),
                                         std::tuple(64, 5, 32),
                                         std::tuple(9, 1, 3),
                                         std::tuple(0, 5, 8)})
    check(rows, cols, high);
  for (int n : checker::own_sizes(1, most, 2000)) {
    check(n, 5, 8);
    check(5, n, 8);
  }
}

TEST_CASE("which tables are in constant memory") {
  checker::unless_failed_before();
  const auto seen = check(64, 64, 8);
  if (!seen)
    return;
  const emu::LineReport *line = line_of(*seen, emu::Access::global_load, true);
  checker::expect_at_most("global_loads_of_one_word",
                          line ? static_cast<double>(line->counts.requests) : 0.0,
                          0.0,
                          "one_word_for_all",
                          "the cloth is right, but in line " +
                              std::to_string(line ? line->where.line : 0) +
                              " all lanes of a warp fetch the same word from global memory. That "
                              "is what constant memory is faster at",
                          line);
  line = line_of(*seen, emu::Access::constant, false);
  checker::expect_at_most("constant_loads_of_many_words",
                          line ? static_cast<double>(line->counts.requests) : 0.0,
                          0.0,
                          "columns_in_turn",
                          "the cloth is right, but in line " +
                              std::to_string(line ? line->where.line : 0) +
                              " the 32 lanes of a warp want 32 words of constant memory, which "
                              "hands out one after the other. From global memory they get them all "
                              "at once",
                          line);
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
}

TEST_CASE("100 by 100") {
  checker::unless_failed_before();
  if (const auto seen = check(100, 100, 8))
    checker::record("constant_requests_for_100_by_100",
                    static_cast<double>(checker::total(*seen, emu::Access::constant).requests));
}

TEST_CASE("your cloth") {
  constexpr int cols = 72, rows = 32;
  checker::unless_failed_before();
  Table shafts(8), treadles(8), lifts(8), dyes(8);
  design(shafts.data(), treadles.data(), lifts.data(), dyes.data());
  checker::unobserved([&] {
    Table shaft_of, treadle_of, dye_of;
    for (int i = 0; i < most; ++i) {
      shaft_of.push_back(shafts[i % 8] & 7);
      treadle_of.push_back(treadles[i % 8] & 7);
      dye_of.push_back(dyes[i % 8] & 15);
    }
    Table turned; // in the lower half
    for (int row = 16; row < rows; ++row)
      turned.push_back(treadle_of[31 - row]);
    set_up(shaft_of.data(), lifts.data(), dye_of.data(), dye_of.data());
    press(treadle_of.data(), 0, most);
    press(turned.data(), 16, rows - 16);
    const auto d_cloth = checker::poisoned<int>(rows * cols);
    const auto d_dyes = checker::poisoned<int>(rows * cols);
    weave<<<dim3(3, 4), dim3(32, 8)>>>(rows, cols, d_cloth.data());
    dye<<<dim3(cols, 1), dim3(1, 32)>>>(rows, cols, d_dyes.data());
    const auto cloth = d_cloth.download();
    const auto both = d_dyes.download();
    std::vector<bool> dark;
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < cols; ++col) {
        const int of_both = both[col * rows + row];
        dark.push_back((cloth[row * cols + col] == 1 ? of_both / 16 : of_both % 16) > 0);
      }
    checker::note("Your cloth. In the lower half your press() has brought the treadles in reverse "
                  "order, so that it is woven the other way. Now change design(): other treadles, "
                  "other dyes, and look again." +
                  checker::picture(dark, cols));
  });
}
