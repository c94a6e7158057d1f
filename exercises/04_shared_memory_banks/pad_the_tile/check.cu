// Checks pad_the_tile.cu: the pieces, the loads, and one round of the banks for each request.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void into_pieces(const unsigned *in, int rows, unsigned *out);

namespace {

/// The rows cut up into pieces of `height` rows by 32 / height columns.
std::vector<unsigned> pieces_of(const std::vector<unsigned> &in, int blocks, int height) {
  const int width = 32 / height;
  std::vector<unsigned> out;
  for (int i = 0; i < blocks * 256; ++i) {
    const int piece = i % 256 / 32, k = i % 32, across = 32 / width;
    const int row = i / 256 * 8 + piece / across * height + k / width;
    const std::size_t at = row * 32 + piece % across * width + k % width;
    out.push_back(at < in.size() ? in[at] : 0);
  }
  return out;
}

/// Whether each word of the pieces is one of the row that it belongs to.
bool of_their_rows(const std::vector<unsigned> &pieces, const std::vector<unsigned> &in) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t first = (i / 256 * 8 + i % 32 / 4) * 32;
    const auto begin = in.begin() + static_cast<std::ptrdiff_t>(std::min(first, in.size()));
    const auto end = in.begin() + static_cast<std::ptrdiff_t>(std::min(first + 32, in.size()));
    if (begin == end ? pieces[i] != 0 : std::find(begin, end, pieces[i]) == end)
      return false;
  }
  return true;
}

std::optional<emu::Observation> check(int rows) {
  const auto h_in = checker::extreme_values<unsigned>(static_cast<std::size_t>(rows) * 32);
  const auto d_in = checker::on_device(h_in);
  const int blocks = checker::enough_blocks(rows, 8);
  const auto d_out = checker::poisoned<unsigned>(static_cast<std::size_t>(blocks) * 256);
  const std::string what = checker::elements(rows, "row");
  auto seen =
      checker::launch(what, [&] { into_pieces<<<blocks, 32>>>(d_in.data(), rows, d_out.data()); });
  const auto got = d_out.download(), expected = pieces_of(h_in, blocks, 8);
  checker::diagnose("pieces_of_four_rows",
                    got != expected && got == pieces_of(h_in, blocks, 4),
                    what + ": these are pieces of 4 rows by 8 columns");
  checker::diagnose("another_column",
                    got != expected && of_their_rows(got, h_in),
                    what +
                        ": every word comes from the row that it should, and some from another "
                        "column. A piece has columns 4 * piece + lane % 4 of the rows lane / 4. If "
                        "a row is stored in another order, it is read in the same: what the "
                        "store adds for row r, the load adds for the row that it reads");
  checker::expect_same("pieces of " + what, got, expected);
  return seen;
}

/// "rows begin 33 words apart …": of a request that reads 4 words of each of 8 rows; empty if it does not.
std::string rows_that_meet(const emu::Observation &seen) {
  for (const emu::KernelReport &kernel : seen.kernels)
    for (const emu::LineReport &line : kernel.lines) {
      if (line.access != emu::Access::shared_load || line.worst.active != ~0u)
        continue;
      const auto word = [&](int lane) {
        return static_cast<long>(line.worst.address[lane] - line.worst.address[0]) / 4;
      };
      const long pitch = word(4);
      for (int lane = 0; lane < 32; ++lane)
        if (word(lane) != lane / 4 * pitch + lane % 4)
          return {};
      for (int row = 1; row < 8; ++row) {
        const long apart = std::min((row * pitch % 32 + 32) % 32, (32 - row * pitch % 32) % 32);
        if (apart < 4)
          return "rows begin " + std::to_string(pitch) +
                 " words apart, and a piece takes 4 neighbouring words of each: rows 0 and " +
                 std::to_string(row) + " meet in " + checker::counted(4 - apart, "bank");
      }
    }
  return {};
}

/// The most of a warp's lanes that meet in a bank, if rows begin `pitch` words apart.
double rounds_of_piece(int pitch, int height) {
  const int width = 32 / height;
  std::vector<int> lanes_of(32, 0);
  for (int lane = 0; lane < 32; ++lane)
    ++lanes_of[(lane / width * pitch + lane % width) % 32];
  return *std::max_element(lanes_of.begin(), lanes_of.end());
}

} // namespace

TEST_CASE("whole pieces") {
  check(8);
  check(64);
}

TEST_CASE("every number of rows") {
  for (int rows : {0, 1, 7, 9, 15, 17, 33, 100})
    check(rows);
}

TEST_CASE("one round for each request") {
  checker::record("rounds_of_four_rows_of_eight", rounds_of_piece(33, 4));
  const auto seen = check(32);
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
  const std::string meet = rows_that_meet(*seen);
  checker::expect_cost_at_most(
      *seen,
      emu::Access::shared_load,
      1.0,
      loads.max_conflict >= 8 ? "eight_in_a_bank" : "bank_conflict",
      meet.empty()
          ? "up to " + std::to_string(loads.max_conflict) +
                " lanes wait for one bank. A piece takes 4 neighbouring words of each of 8 "
                "rows: these have to begin 4 banks apart"
          : meet);
  checker::expect_lanes_or_shuffles(*seen, emu::Access::shared_load, 30.0);
}
