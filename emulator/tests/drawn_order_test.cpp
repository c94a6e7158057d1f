// The orders that seeds draw: the engine's, without anything that stands on it.
#include "engine/drawn_order.hpp"

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

using namespace emu;

TEST_CASE("a drawn schedule runs every block once, in another order, the same for the same seed") {
  for (const uint64_t blocks : {1, 2, 7, 64, 1000}) {
    std::vector<int> runs(blocks);
    bool moved = false;
    const DrawnOrder drawn(12345);
    for (uint64_t i = 0; i < blocks; ++i) {
      REQUIRE(drawn.block(i, blocks) < blocks);
      ++runs[drawn.block(i, blocks)];
      moved = moved || drawn.block(i, blocks) != i;
    }
    CHECK(std::count(runs.begin(), runs.end(), 1) == static_cast<long>(blocks));
    CHECK((moved || blocks <= 2));
  }
  CHECK(DrawnOrder(0).block(5, 7) == 5);
  DrawnOrder a(7), b(7), c(8);
  const uint64_t first = a.below(1 << 30);
  CHECK(first == b.below(1 << 30));
  CHECK(first != c.below(1 << 30));
}
