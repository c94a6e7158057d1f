/// @file
/// Ways to do the same that differ in one thing: checked, and on a GPU timed in turn.
#pragma once

#include "problem.hpp"

struct Way {
  const char *key; // of its time in the results
  const char *text;
  void (*run)(Reduction &);
  void (*before)(Reduction &); // not timed
};

/// Checks each way at the problem's size. On a GPU, and not in quick runs, times them in turn.
void compare_ways(lab::Demo &demo, Reduction &p, const std::vector<Way> &ways);

/// Steps as ways, with their names as keys and texts.
std::vector<Way> ways_of_trees(); // v0 to v5
std::vector<Way> ways_of_shares(); // v6 to v12

/// Which share v1's two changes have: shared memory, and neighbours in id.
void show_shares_of_v1(lab::Demo &demo);

/// Which share v6's two changes have: the fixed grid, and the loads written out.
void show_shares_of_v6(lab::Demo &demo);

/// v0 to v7 with 128 threads per block.
void show_blocks_of_128(lab::Demo &demo);
