// Checks idle_lanes.cu: the same smaller and smaller pictures, by lanes that lie side by side.
#include "checker/nasty.hpp"

#include <functional>
#include <numeric>
#include <string>

__global__ void smaller_and_smaller(const unsigned *in, unsigned *out);

namespace {

using Cells = std::vector<unsigned>;

constexpr int edge = 16, cells = edge * edge, all_cells = 256 + 64 + 16 + 4 + 1, of_block = 4;

/// All five sizes of each picture. first(side, k) is which cell of a picture with rows of 2 * side is the first of the
/// four that become cell k.
template <class First> Cells made_by(const Cells &in, const First &first) {
  Cells out;
  for (std::size_t picture = 0; picture < in.size() / cells; ++picture) {
    const auto begin = in.begin() + static_cast<std::ptrdiff_t>(picture * cells);
    Cells large(begin, begin + cells);
    out.insert(out.end(), large.begin(), large.end());
    for (int side = edge / 2; side > 0; side /= 2) {
      Cells small;
      for (int k = 0; k < side * side; ++k) {
        const int at = first(side, k);
        small.push_back(large[at] + large[at + 1] + large[at + 2 * side] +
                        large[at + 2 * side + 1]);
      }
      out.insert(out.end(), small.begin(), small.end());
      large = small;
    }
  }
  return out;
}

struct Run {
  std::optional<emu::Observation> seen;
  Cells pictures;
};

Run check(const Cells &h_in) {
  const unsigned blocks = static_cast<unsigned>(h_in.size() / cells / of_block);
  const std::string what = checker::counted(blocks, "block");
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(std::size_t{blocks} * of_block * all_cells);
  checker::perhaps(
      "Four pictures with rows of `side` cells have 4 * side * side of them, so that as many "
      "threads have work, and the others have none. Each cell is made by one thread, of four of "
      "the size before, which nobody writes in this round");
  Run run;
  run.seen = checker::launch(
      what, [&] { smaller_and_smaller<<<blocks, cells>>>(d_in.data(), d_out.data()); });
  run.pictures = d_out.download();
  const auto expected =
      made_by(h_in, [](int side, int k) { return 4 * side * (k / side) + 2 * (k % side); });
  const auto looks_like = [&](const auto &first) {
    return run.pictures != expected && run.pictures == made_by(h_in, first);
  };
  checker::diagnose("rows_overlap",
                    looks_like([](int, int k) { return 2 * k; }),
                    what + ": cell k was made of cells 2 * k and 2 * k + 1 and the two below. "
                           "That is so in a picture's first row; its second row begins two rows "
                           "further down in the larger one, not one");
  checker::diagnose(
      "turned_over",
      looks_like([](int side, int k) { return 4 * side * (k % side) + 2 * (k / side); }),
      what + ": each smaller picture is turned over its diagonal: rows have become "
             "columns");
  checker::expect_same("pictures of " + what, run.pictures, expected);
  return run;
}

/// Four pictures side by side, in this size, and then in the smaller ones, down to 2 x 2, each with two characters for a
/// cell: the more light, the more ink.
std::string drawn(const Cells &pictures, int side, int at) {
  const std::string ink = " .:-=+*#%@";
  std::string text;
  for (int row = 0; row < side; ++row) {
    std::string line;
    for (int picture = 0; picture < of_block; ++picture) {
      for (int col = 0; col < side; ++col) {
        const unsigned sum = pictures[picture * all_cells + at + side * row + col];
        const unsigned light = sum / (cells / side / side); // [0, 255]
        line += std::string(2, ink[std::min(light, 255u) * ink.size() / 256]);
      }
      line += std::string(18 - 2 * side, ' ');
    }
    text += "\n" + line.substr(0, line.find_last_not_of(' ') + 1);
  }
  return side > 2 ? text + drawn(pictures, side / 2, at + side * side) : text;
}

} // namespace

TEST_CASE("four pictures, and many") {
  for (const int blocks : {1, 4})
    if (const auto seen = check(checker::extreme_values<unsigned>(blocks * of_block * cells)).seen)
      checker::expect_lanes(*seen, emu::Access::global_load, 8.0, {}, 0.3);
  for (const int blocks : checker::own_sizes(1, 12, 16))
    check(checker::extreme_values<unsigned>(blocks * of_block * cells));
}

TEST_CASE("whole warps work") {
  constexpr int blocks = 9;
  auto pictures = checker::extreme_values<unsigned>(blocks * of_block * cells);
  const auto [seen, made] = check(pictures);
  if (seen) {
    using enum emu::Access;
    const bool shared = checker::total(*seen, shared_load).requests > 0;
    for (const emu::Access access : {shared ? shared_load : global_load, // else the pictures stand
                                     shared ? shared_store : global_store}) { // where they end up
      const double lanes = checker::total(*seen, access).active_lanes();
      checker::expect(
          lanes < 20 || lanes >= 28,
          "a_warp_for_each",
          "the lanes of a picture lie side by side now, and that is 20 turns of a warp. "
          "But each picture has warps of its own: where one has 4 cells left, its other "
          "28 lanes have nothing to do, and so it is with three more");
      checker::expect_lanes_or_shuffles(
          *seen,
          access,
          28.0,
          0.03, // one of 8 warps may make all cells: it has as many turns as all together
          "256 cells are made first, then 64, 16 and 4, in four pictures: they fill 8 warps, 2, a "
          "half, and 4 lanes of one");
    }
    if (!shared)
      checker::expect_at_most("loads_per_thread",
                              checker::accesses_per_thread(*seen, global_load),
                              24,
                              "loaded_again",
                              "the pictures are right, but cells are made of more than the four of "
                              "the size before: lanes that load for nothing are no less idle");
    if (shared)
      checker::expect_at_most(
          "stores_into_shared",
          static_cast<double>(checker::total(*seen, shared_store).requests) / blocks,
          32 + 8 + 2 + 1 + 1 + 4,
          "stored_again",
          "the pictures are right, but warps store more often than 12 turns do, behind the 32 for "
          "what comes in. Lanes that store for nothing are no less idle",
          checker::busiest_line(*seen, shared_store));
    if (shared) {
      const auto turns = checker::total(*seen, shared_store).requests / blocks - 32;
      checker::note("Turns of warps that make the smaller pictures:\n  before  " +
                    std::string(28, '#') + " 28\n  yours   " + std::string(turns, '#') + ' ' +
                    std::to_string(turns));
    }
  }
  pictures[5 * edge + 9] += 1;
  const Cells brighter = check(pictures).pictures;
  checker::record(
      "cells_that_show_it",
      blocks * of_block * all_cells -
          std::transform_reduce(
              made.begin(), made.end(), brighter.begin(), 0, std::plus{}, std::equal_to{}));
}

TEST_CASE("faces") {
  checker::unless_failed_before();
  const std::string face = "     ######     "
                           "   ##########   "
                           "  ############  "
                           " ############## "
                           " ###ll####rr### "
                           "####ll####rr####"
                           "################"
                           "################"
                           "################"
                           "################"
                           "##ssffmmmmffss##"
                           " #ssffmmmmffss# "
                           "  ffssnnnnssff  "
                           "  ffssnnnnssff  "
                           "   ##########   "
                           "     ######     ";
  const std::string dark[of_block] = {"lrfm", "lrmn", "lsn", "lrsn"}; // eyes and mouth of each
  Cells h_in;
  for (const std::string &of_face : dark)
    for (const char cell : face)
      h_in.push_back(cell == ' ' || of_face.find(cell) != std::string::npos ? 0 : 255);
  checker::unobserved([&] {
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<unsigned>(of_block * all_cells);
    smaller_and_smaller<<<1, cells>>>(d_in.data(), d_out.data());
    checker::note("Four faces, as your kernel has made them smaller and smaller. How far away can "
                  "you tell who is glad?" +
                  drawn(d_out.download(), edge / 2, cells));
  });
}
