/// @file
/// What the checkers of sums per block share.
#pragma once

#include "checker/checker.hpp"

/// The kernel that several exercises of this chapter ask for.
__global__ void block_sum(const unsigned *in, int n, unsigned *out);

/// One run of it: what went in, what should come out, and what came.
struct BlockSums {
  std::vector<unsigned> in, expected, got;
  int per_block; ///< elements
  std::string what; ///< "33 elements in blocks of 128"
  std::optional<emu::Observation> seen;

  /// The sums if only those elements counted for which `counts(i)` holds.
  template <class Counts> std::vector<unsigned> sums_of(Counts counts) const {
    std::vector<unsigned> sums(expected.size(), 0);
    for (int i = 0; i < static_cast<int>(in.size()); ++i)
      if (counts(i))
        sums[i / per_block] += in[i];
    return sums;
  }

  /// Whether the sums are wrong in just this way.
  bool are_instead(const std::vector<unsigned> &wrong) const {
    return got != expected && got == wrong;
  }

  void expect_right() const { checker::expect_same("sums of " + what, got, expected); }
};

/// Runs it on n random elements; each block sums up per_thread * block of them.
inline BlockSums run_block_sum(int n, int block, int per_thread = 1) {
  BlockSums run;
  run.per_block = per_thread * block;
  run.what = std::to_string(n) + " elements in blocks of " + std::to_string(block);
  run.in = checker::random_values<unsigned>(n, 1, 1u << 20);
  const unsigned grid = n > 0 ? (n + run.per_block - 1) / run.per_block : 1;
  run.expected.resize(grid);
  run.expected = run.sums_of([](int) { return true; });

  const auto d_in = checker::on_device(run.in);
  const auto d_out = checker::poisoned<unsigned>(grid);
  run.seen = checker::observe(run.what, [&] {
    block_sum<<<grid, block>>>(d_in.data(), n, d_out.data());
    LAB_CHECK_LAUNCH();
  });
  run.got = d_out.download();
  return run;
}
