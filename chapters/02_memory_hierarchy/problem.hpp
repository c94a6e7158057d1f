/// @file
/// The chapter's problem: the sum of the squares of n ints, and what all steps share.
#pragma once

#include "ladder/chapter.hpp"

#include <cstddef>
#include <vector>

using std::size_t;

/// Squares here are at most 30000², so 64 bits hold the sum of any number of them that fits into a
/// memory. Nothing is rounded: any two correct programs agree in every bit.
using Sum = unsigned long long;
inline constexpr int largest_value = 30000;

/// One input, the sum of its squares as the host knows it, and room for what the threads find.
struct SumOfSquares {
  explicit SumOfSquares(const lab::Case &c);

  /// Poisons the partial sums, so that those of an earlier step can't pass for this step's.
  void prepare();
  /// The host adds up the partial sums that the step left. Not part of the step's time.
  lab::Verdict check();

  size_t n;
  std::vector<int> h_in;
  Sum expected; // from a plain loop that shares nothing with any kernel
  Sum host_result = 0;

  lab::DeviceBuffer<int> d_in;
  lab::DeviceBuffer<Sum> d_partials;
  size_t partials = 0; // how many of them the step wrote
};

__host__ __device__ inline Sum square(int value) {
  return static_cast<Sum>(static_cast<long long>(value) * value);
}

/// As many blocks of this many threads as the whole device holds at a time.
inline unsigned blocks_to_fill(unsigned threads) {
  return static_cast<unsigned>(lab::choose_device().resident_blocks(static_cast<int>(threads)));
}

/// The sum that all others are held against: one after the other.
Sum sum_on_host(const std::vector<int> &values);

void run_host_loop(SumOfSquares &p);
lab::Verdict check_host_loop(SumOfSquares &p);

/// Adds the mistakes and what there is to see besides the table to the ladder.
void register_traps(lab::Ladder<SumOfSquares> &ladder);
void register_demos(lab::Ladder<SumOfSquares> &ladder);
