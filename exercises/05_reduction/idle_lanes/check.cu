// Checks idle_lanes.cu: the same smaller and smaller pictures, by lanes that lie side by side.
#include "checker/nasty.hpp"

#include <functional>
#include <numeric>
#include <string>

__global__ void smaller_and_smaller(const unsigned *in, unsigned *out);

namespace {

using Cells = std::vector<unsigned>;

constexpr int edge = 16, cells = edge * edge, all_cells = 256 + 64 + 16 + 4 + 1;

/// All five pictures of each block. first(side, k) is which cell of a picture with rows of 2 * side is the first of the
/// four that become cell k.
template <class First> Cells made_by(const Cells &in, const First &first) {
  Cells out;
  for (std::size_t block = 0; block < in.size() / cells; ++block) {
    const auto begin = in.begin() + static_cast<std::ptrdiff_t>(block * cells);
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
  const unsigned blocks = static_cast<unsigned>(h_in.size() / cells);
  const std::string what = checker::counted(blocks, "block");
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(std::size_t{blocks} * all_cells);
  checker::perhaps(
      "A picture with rows of `side` cells has side * side of them, so that as many "
      "threads have work, and the others have none. Each cell is made by one thread, of "
      "four cells of the picture before, which nobody writes in this round");
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

/// Five pictures side by side, each with a character for a cell: the more light, the more ink.
std::string drawn(const Cells &pictures) {
  const std::string ink = " .:-=+*#%@";
  std::string text;
  for (int row = 0; row < edge; ++row) {
    std::string line;
    std::size_t at = 0;
    for (int side = edge; side > 1; side /= 2) {
      for (int col = 0; row < side && col < side; ++col) {
        const unsigned light = pictures[at + side * row + col] / (cells / side / side); // [0, 255]
        line += std::string(2, ink[std::min(light, 255u) * ink.size() / 256]);
      }
      at += side * side;
      line += std::string(row < side ? 2 : 2 * side + 2, ' ');
    }
    text += "\n" + line.substr(0, line.find_last_not_of(' ') + 1);
  }
  return text;
}

} // namespace

TEST_CASE("a picture, and many") {
  for (const int blocks : {1, 2, 7})
    check(checker::extreme_values<unsigned>(blocks * cells));
}

TEST_CASE("whole warps work") {
  auto picture = checker::extreme_values<unsigned>(cells);
  const auto [seen, pictures] = check(picture);
  if (seen) {
    using enum emu::Access;
    const bool shared = checker::total(*seen, shared_load).requests > 0;
    for (const emu::Access access : {shared ? shared_load : global_load, // else the pictures stand
                                     shared ? shared_store : global_store}) // where they end up
      checker::expect_lanes_or_shuffles(
          *seen,
          access,
          20.0,
          0.03, // one of 8 warps may make all cells: it has as many turns as all together
          "64 cells are made first, then 16, then 4: all lanes of two warps can make the 64, while "
          "the other six have none");
  }
  picture[5 * edge + 9] += 1;
  const Cells brighter = check(picture).pictures;
  checker::record(
      "cells_that_show_it",
      all_cells -
          std::transform_reduce(
              pictures.begin(), pictures.end(), brighter.begin(), 0, std::plus{}, std::equal_to{}));
}

TEST_CASE("a portrait") {
  checker::unless_failed_before();
  const std::string portrait = "     ######     "
                               "   ##########   "
                               "  ############  "
                               " ############## "
                               " ###++####++### "
                               "####  ####  ####"
                               "####  ####  ####"
                               "################"
                               "################"
                               "###-########-###"
                               "###= ###### =###"
                               " ###-      -### "
                               " #####=--=##### "
                               "  ############  "
                               "   ##########   "
                               "     ######     ";
  Cells h_in;
  for (const char cell : portrait)
    h_in.push_back(cell == '#'   ? 255
                   : cell == '+' ? 160
                   : cell == '=' ? 120
                   : cell == '-' ? 80
                                 : 0);
  checker::unobserved([&] {
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<unsigned>(all_cells);
    smaller_and_smaller<<<1, cells>>>(d_in.data(), d_out.data());
    checker::note("A portrait, as it was, and as your kernel has made it smaller and smaller:" +
                  drawn(d_out.download()));
  });
}
