// Checks bounds_test.cu: a twisted ring of any size, nothing read outside of it, and what rule 30 makes of a single cell.
#include "checker/nasty.hpp"

#include <algorithm>
#include <tuple>

__global__ void next_generation(const unsigned *now, int n, unsigned *next);

namespace {

using Cells = std::vector<unsigned>;

unsigned rule30(unsigned left, unsigned self, unsigned right) { return left ^ (self | right); }

enum class Beyond { twisted, closed, itself, nothing }; // what stands beyond an end

/// The next generation of cell i, where [first, end) are the cells that are beside it at all.
unsigned next_of(const Cells &now, int i, int first, int end, Beyond beyond) {
  const auto seen = [&](int across, int own) {
    return beyond == Beyond::twisted  ? ~now[across]
           : beyond == Beyond::closed ? now[across]
           : beyond == Beyond::itself ? now[own]
                                      : 0;
  };
  return rule30(
      i > first ? now[i - 1] : seen(end - 1, i), now[i], i + 1 < end ? now[i + 1] : seen(first, i));
}

Cells check(const Cells &h_now, int block = 64) {
  const int n = static_cast<int>(h_now.size());
  const auto d_now = checker::on_device(h_now);
  const auto d_next = checker::poisoned<unsigned>(n);
  const auto generation = [&](Beyond beyond, int piece) {
    Cells next;
    for (int i = 0; i < n; ++i)
      next.push_back(
          next_of(h_now, i, i / piece * piece, std::min(i / piece * piece + piece, n), beyond));
    return next;
  };
  const auto expected = generation(Beyond::twisted, n);
  const auto now_of = [&](int i) { return h_now[(i + n) % n]; };

  const std::string what = checker::counted(n, "cell");
  checker::perhaps("The first cell has no cell before it in memory: its left neighbour is the last "
                   "one, seen from the back. (If your index is a remainder: -1 % n is -1 in C++, "
                   "and not n - 1)",
                   "out_of_bounds",
                   "[-1]");
  const auto seen = checker::launch(what, [&] {
    next_generation<<<checker::enough_blocks(n, block), block>>>(d_now.data(), n, d_next.data());
  });
  const auto got = d_next.download();
  const bool middle_right =
      n > 2 && std::equal(got.begin() + 1, got.end() - 1, expected.begin() + 1);
  const bool wrong = got != expected; // else nobody asks what it looks like
  const auto comes_of = [&](Beyond beyond, int piece) {
    return wrong && got == generation(beyond, piece);
  };
  const auto mistake = [&](const char *diagnosis, bool holds, const std::string &text) {
    checker::diagnose(diagnosis, holds, what + ": " + text);
  };
  mistake("not_twisted",
          comes_of(Beyond::closed, n),
          "this is a ring, but without the twist. Across the seam each cell sees the other one "
          "with every bit turned over");
  mistake("not_closed",
          comes_of(Beyond::nothing, n),
          "this is a row with 0 beyond both ends. In a ring the neighbour that seems to be missing "
          "is the cell at the other end, each of its bits turned over by ~; ! makes a 0 of it");
  Cells all_turned;
  for (int i = 0; wrong && i < n; ++i)
    all_turned.push_back(rule30(~now_of(i - 1), h_now[i], ~now_of(i + 1)));
  mistake("all_turned",
          got == all_turned,
          "every neighbour was turned over. Only across the seam, between the last cell and the "
          "first, is it seen from the back");
  mistake("ends_left_out",
          middle_right && (lab::is_poison(got[0]) || lab::is_poison(got[n - 1])),
          "the first or the last cell was not written at all. Guard the reads, not the kernel");
  const bool first_right = got[0] == expected[0], last_right = got[n - 1] == expected[n - 1];
  mistake("ends_wrong",
          middle_right && first_right != last_right,
          first_right ? "all is right but the last cell. To its right lies the first one, with "
                        "every bit turned over"
                      : "all is right but the first cell. To its left lies the last one, with "
                        "every bit turned over");
  mistake("ends_wrong",
          middle_right,
          "all is right but the two ends. The neighbour that seems to be missing is the cell at "
          "the other end, with every bit turned over");
  for (const Beyond beyond : {Beyond::twisted, Beyond::closed, Beyond::nothing})
    mistake("ends_of_blocks",
            n > block && comes_of(beyond, block),
            "wrong are the first and the last cell of each block. A thread may read what belongs "
            "to another block: only the whole strip is closed to a ring");
  for (const auto &[front, end, where] : {std::tuple(true, true, "at both ends of each block"),
                                          std::tuple(true, false, "at the front of each block"),
                                          std::tuple(false, true, "at the end of each block")}) {
    Cells seams;
    for (int i = 0; wrong && i < n; ++i) {
      const bool left = i == 0 || (front && i % block == 0),
                 right = i + 1 == n || (end && (i + 1) % block == 0);
      seams.push_back(rule30(
          left ? ~h_now[n - 1] : now_of(i - 1), h_now[i], right ? ~h_now[0] : now_of(i + 1)));
    }
    mistake("ends_of_blocks",
            n > block && got == seams,
            std::string("there is a seam ") + where +
                ", and the ring has only one, between its last cell and its first. threadIdx.x "
                "begins anew in each block; which number tells a thread its cell in the ring?");
  }
  checker::expect_same(what, got, expected);
  if (seen && n > 3 * block)
    checker::expect_lanes(*seen, emu::Access::global_store, 16.0);
  return got;
}

void check(int n, int block = 64) { check(checker::extreme_values<unsigned>(n), block); }

} // namespace

TEST_CASE("a ring of 96") { check(checker::random_values<unsigned>(96, 1, 1u << 30), 32); }

TEST_CASE("any size, in any blocks") {
  checker::every_size(64, {96, 32, 47, 256}, [](int n, int block) {
    if (n > 2)
      check(n, block);
  });
}

TEST_CASE("two cells, and one") {
  checker::unless_failed_before();
  for (int n : {2, 1})
    check(n);
}

TEST_CASE("from a single cell") {
  checker::unless_failed_before();
  checker::unobserved([] {
    constexpr int n = 71, generations = 36;
    Cells now(n, 0);
    now[n / 2] = 1;
    std::vector<bool> cells;
    for (int generation = 0; generation < generations; ++generation, now = check(now))
      for (unsigned cell : now)
        cells.push_back(cell & 1);
    checker::note("A single cell, and below each other what your kernel makes of it. At both ends "
                  "something grows out of the seam:" +
                  checker::picture(cells, n));
  });
}
