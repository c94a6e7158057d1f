// Checks bounds_test.cu: a closed ring of any size, nothing read outside of it, and what rule 30 makes of a single cell.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void next_generation(const unsigned *now, int n, unsigned *next);

namespace {

unsigned rule30(unsigned left, unsigned self, unsigned right) { return left ^ (self | right); }

/// The next generation where [first, end) are the cells that are beside cell i at all. \param closed  to a ring
unsigned next_of(const std::vector<unsigned> &now, int i, int first, int end, bool closed) {
  const unsigned beyond[2] = {closed ? now[end - 1] : 0, closed ? now[first] : 0};
  return rule30(i > first ? now[i - 1] : beyond[0], now[i], i + 1 < end ? now[i + 1] : beyond[1]);
}

std::vector<unsigned> check(const std::vector<unsigned> &h_now, int block = 64) {
  const int n = static_cast<int>(h_now.size());
  const auto d_now = checker::on_device(h_now);
  const auto d_next = checker::poisoned<unsigned>(n);
  std::vector<unsigned> expected, open, by_block, rings;
  for (int i = 0; i < n; ++i) {
    const int first = i / block * block, end = std::min(first + block, n);
    expected.push_back(next_of(h_now, i, 0, n, true));
    open.push_back(next_of(h_now, i, 0, n, false));
    by_block.push_back(next_of(h_now, i, first, end, false));
    rings.push_back(next_of(h_now, i, first, end, true));
  }

  const std::string what = checker::counted(n, "cell");
  checker::perhaps(
      "(Is it a remainder? -1 % n is -1 in C++, and not n - 1)", "out_of_bounds", "[-1]");
  checker::launch(what, [&] {
    next_generation<<<checker::enough_blocks(n, block), block>>>(d_now.data(), n, d_next.data());
  });
  const auto got = d_next.download();
  const bool middle_right =
      n > 2 && std::equal(got.begin() + 1, got.end() - 1, expected.begin() + 1);
  checker::diagnose("not_closed",
                    got == open,
                    what + ": this is a row with 0 beyond both ends. In a ring the neighbour that "
                           "seems to be missing is the cell at the other end");
  checker::diagnose(
      "ends_left_out",
      middle_right && (lab::is_poison(got[0]) || lab::is_poison(got[n - 1])),
      what +
          ": the first or the last cell was not written at all. Guard the reads, not the kernel");
  checker::diagnose(
      "unsigned_remainder",
      middle_right && got[0] == rule30(h_now[~0u % n], h_now[0], h_now[1]),
      what + ": the left neighbour of cell 0 is taken to be cell " + std::to_string(~0u % n) +
          ". In unsigned numbers 4294967295 comes below 0, and that is its remainder by " +
          std::to_string(n) + ". Only where n is a power of two it is n - 1");
  const auto masked = [&](bool to_left, bool to_right) { // & (n - 1) for % n
    for (int i = 0; i < n; ++i)
      if (got[i] != rule30(h_now[to_left ? (i - 1) & (n - 1) : (i + n - 1) % n],
                           h_now[i],
                           h_now[to_right ? (i + 1) & (n - 1) : (i + 1) % n]))
        return false;
    return got != expected;
  };
  checker::diagnose("and_for_remainder",
                    masked(true, true) || masked(true, false) || masked(false, true),
                    what +
                        ": the neighbours are those of & (n - 1), which is a remainder by n "
                        "only where n is a power of two, and " +
                        std::to_string(n) + " is none");
  checker::diagnose("ends_wrong",
                    middle_right,
                    what + ": all is right but the two ends. In a ring the neighbour that seems to "
                           "be missing is the cell at the other end");
  checker::diagnose("ends_of_blocks",
                    n > block && got == by_block,
                    what + ": wrong are exactly the first and the last cell of each block. A "
                           "thread may read what belongs to another block: only the whole ring is "
                           "closed");
  checker::diagnose("ring_of_a_block",
                    n > block && got == rings,
                    what + ": each block is a ring of its own here. The neighbour of its last cell "
                           "is the first of the next block; only the whole ring is closed");
  checker::expect_same(what, got, expected);
  return got;
}

void check(int n, int block = 64) { check(checker::extreme_values<unsigned>(n), block); }

} // namespace

TEST_CASE("a ring of 96") { check(96, 32); }

TEST_CASE("any size, in any blocks") {
  checker::every_size(64, {96, 32, 47, 256}, [](int n, int block) {
    if (n > 2)
      check(n, block);
  });
}

TEST_CASE("two cells, and one") {
  for (int n : {2, 1})
    check(n);
}

TEST_CASE("from a single cell") {
  checker::unobserved([] {
    constexpr int n = 71, generations = 36;
    std::vector<unsigned> now(n, 0);
    now[n / 2] = 1;
    std::vector<bool> cells;
    for (int generation = 0; generation < generations; ++generation, now = check(now))
      cells.insert(cells.end(), now.begin(), now.end());
    checker::note("A single cell, and below each other what your kernel makes of it:" +
                  checker::picture(cells, n));
  });
}
