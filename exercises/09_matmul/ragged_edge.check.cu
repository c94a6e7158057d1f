// Checks ragged_edge.cu: every shape, the ragged ones first of all.
#include "products.hpp"

TEST_CASE("shapes that fit the tiles") {
  check(16, 16, 16);
  check(32, 48, 64);
}

TEST_CASE("shapes that do not fit") {
  check(17, 33, 16);
  check(16, 16, 20);
  check(37, 21, 43);
  check(1, 1, 1);
}

TEST_CASE("one edge at a time") {
  check(21, 16, 16);
  check(16, 21, 16);
  check(16, 16, 21);
  check(5, 16, 32);
  check(32, 5, 16);
  check(16, 32, 5);
}

TEST_CASE("what is loaded in vain") {
  const auto seen = check(20, 20, 20);
  if (seen)
    checker::record("global_load.active_lanes",
                    checker::total(*seen, emu::Access::global_load).active_lanes());
}
