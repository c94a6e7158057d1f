// Checks transpose_any.cu: every size, in place, both sides coalesced, one barrier, no bank conflict.
#include "checker/nasty.hpp"

__global__ void transpose(float *a, int n);

namespace {

using Matrix = std::vector<float>;

/// The matrix whose element (row, col) is that of `in` which `from` names.
template <class From> Matrix moved(const Matrix &in, int n, From from) {
  Matrix out;
  for (int row = 0; row < n; ++row)
    for (int col = 0; col < n; ++col) {
      const auto [r, c] = from(row, col);
      out.push_back(in[static_cast<std::size_t>(r) * n + c]);
    }
  return out;
}
using Place = std::pair<int, int>;

void diagnose_moves(const std::string &what, const Matrix &in, const Matrix &got, int n) {
  const auto mistake = [&](const char *diagnosis, auto from, const char *text) {
    checker::diagnose(diagnosis, n > 32 && got == moved(in, n, from), what + ": " + text);
  };
  checker::diagnose("nothing_moved", got == in, what + ": every element is where it was");
  mistake(
      "tiles_in_place",
      [](int r, int c) { return Place(r / 32 * 32 + c % 32, c / 32 * 32 + r % 32); },
      "each tile is turned, and put where it came from. The tiles have to change places, too");
  mistake(
      "not_turned",
      [](int r, int c) { return Place(c / 32 * 32 + r % 32, r / 32 * 32 + c % 32); },
      "the tiles have changed places, and are not turned. What comes in as a row of shared memory "
      "has to leave as a column");
  for (const bool below : {true, false})
    for (const bool diagonal : {true, false}) // turned
      mistake(
          "one_not_turned",
          [=](int r, int c) {
            const bool turned = r / 32 == c / 32 ? diagonal
                                : below          ? r / 32 < c / 32
                                                 : r / 32 > c / 32;
            return turned ? Place(c, r) : Place(c / 32 * 32 + r % 32, r / 32 * 32 + c % 32);
          },
          "of two tiles that change places one is turned, and the other one is not. What comes in "
          "as a row of shared memory has to leave as a column, in both");
  mistake(
      "diagonal_left",
      [](int r, int c) { return r / 32 == c / 32 ? Place(r, c) : Place(c, r); },
      "all is right but the tiles on the diagonal, which are as they were. They change places with "
      "nobody, and have to be turned");
  for (const bool below : {true, false})
    mistake(
        "one_way",
        [below](int r, int c) {
          const bool stays = below ? r / 32 > c / 32 : r / 32 < c / 32;
          return stays ? Place(r, c) : Place(c, r);
        },
        below ? "what has come above the diagonal is right, and below it nothing has changed. Of "
                "two tiles that change places both have to be stored"
              : "what has come below the diagonal is right, and above it nothing has changed. Of "
                "two tiles that change places both have to be stored");
}

std::optional<emu::Observation> check(int n, const Matrix &h_a) {
  auto d_a = checker::on_device(h_a);
  const std::string what = checker::shape(n, n);
  checker::perhaps("Blocks come in any order. Which two of them want these two tiles, and which of "
                   "the two can have both?",
                   "global_race");
  checker::perhaps(n % 32 == 0
                       ? "A tile has 32 rows, and the block 8 rows of threads: each has several"
                       : "Of two tiles that change places each has rim and test of its own: what "
                         "is tested where a tile comes in has to hold of the same tile's elements",
                   "uninitialised");
  const unsigned tiles = checker::enough_blocks(n, 32);
  auto seen =
      checker::launch(what, [&] { transpose<<<dim3(tiles, tiles), dim3(32, 8)>>>(d_a.data(), n); });
  const auto got = d_a.download();
  const auto turned = moved(h_a, n, [](int r, int c) { return Place(c, r); });
  if (n > 1 && got != turned)
    diagnose_moves(what, h_a, got, n);
  checker::expect_same_bits(what + ", turned", got, turned, n);
  return seen;
}

std::optional<emu::Observation> check(int n) {
  return check(n, checker::extreme_values<float>(static_cast<std::size_t>(n) * n));
}

void expect_cheap(const std::string &what, const emu::Observation &seen, double sectors) {
  checker::expect_cost_at_most(
      seen,
      emu::Access::global_load,
      sectors,
      "uncoalesced",
      what + ": a row of a tile is 4 sectors, or 5 where it does not begin with one. "
             "The loads do not run along rows");
  checker::expect_cost_at_most(
      seen,
      emu::Access::global_store,
      sectors,
      "uncoalesced",
      what + ": a row of a tile is 4 sectors, or 5 where it does not begin with one. "
             "The stores do not run along rows");
  checker::expect_cost_at_most(
      seen,
      emu::Access::shared_load,
      1.0,
      "bank_conflict",
      what + ": 33 words per row: a column of the tile lies in 32 banks, so one round is "
             "enough");
  checker::expect_at_most(
      "barriers_per_block",
      checker::barriers_per_block(seen),
      1.0,
      "too_many_barriers",
      what + ": one barrier between the loads of both tiles and their stores is enough");
  checker::expect_lanes(seen,
                        emu::Access::global_load,
                        sectors > 4 ? 20.0 : 30.0,
                        {},
                        0.3); // blocks below the diagonal go home
  checker::expect_lanes(seen, emu::Access::global_store, sectors > 4 ? 20.0 : 30.0, {}, 0.3);
}

} // namespace

TEST_CASE("two tiles by two") { check(64, checker::random_values<float>(64 * 64, 1.0f, 2.0f)); }

TEST_CASE("every size") {
  checker::unless_failed_before();
  for (int n : {32, 96, 65, 33, 31, 5, 1, 0})
    check(n);
  for (int n : checker::own_sizes(1, 150, 200))
    check(n);
  if (!lab::on_emulator())
    check(2500); // not all blocks at once: those that race are wrong then
}

TEST_CASE("what it costs") {
  if (const auto seen = check(64))
    expect_cheap(checker::shape(64, 64), *seen, 4.0);
}

TEST_CASE("100 by 100") {
  checker::unless_failed_before();
  const auto seen = check(100);
  if (!seen)
    return;
  expect_cheap(checker::shape(100, 100), *seen, 5.0); // not each row begins with a sector
  double barriers = 0;
  for (const auto &kernel : seen->kernels)
    barriers += static_cast<double>(kernel.barriers);
  checker::record("barriers_of_100", barriers);
}

TEST_CASE("a city on its side") {
  constexpr int n = 36, apart = 2, cols = 2 * n + apart;
  checker::unless_failed_before();
  const auto drawn = checker::random_values<int>(2 * n, 0, 99);
  Matrix h_a(n * n, 0.0f);
  for (int house = 0, at = 0; at < n; ++house) { // along the rows, and high to the left
    const int wide = 4 + drawn[house] % 4, high = 10 + drawn[n + house] % 25;
    for (int row = at; row < std::min(at + wide, n); ++row)
      for (int col = n - high; col < n; ++col)
        h_a[row * n + col] = row == at || ((row - at) % 2 == 0 && (n - col) % 4 == 2) ? 0.0f : 1.0f;
    at += wide;
  }
  checker::unobserved([&] {
    const auto d_a = checker::on_device(h_a);
    transpose<<<dim3(2, 2), dim3(32, 8)>>>(d_a.data(), n);
    const auto got = d_a.download();
    std::vector<bool> cells(n * cols);
    for (int row = 0; row < n; ++row)
      for (int col = 0; col < n; ++col) {
        cells[row * cols + col] = h_a[row * n + col] > 0.5f;
        cells[row * cols + n + apart + col] = got[row * n + col] > 0.5f;
      }
    checker::note("A city lay on its side, and your kernel has set it up, where it lay:" +
                  checker::picture(cells, cols));
  });
}
