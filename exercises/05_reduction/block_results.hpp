/// @file
/// What the checkers of kernels with a result per block share.
#pragma once

#include "checker/nasty.hpp"

/// One run: what should come out, and what came.
/// @tparam Fold  fold(result, i) is what a result becomes with element i; without any it is T{}
template <class T, class Fold> struct BlockRun {
  Fold fold;
  int n, per_block; ///< elements
  std::string what; ///< "33 elements in blocks of 128"
  std::vector<T> expected, got;
  std::optional<emu::Observation> seen;

  /// The results if only those elements counted for which `counts(i)` holds.
  template <class Counts> std::vector<T> results_of(Counts counts) const {
    std::vector<T> results(n > 0 ? (n + per_block - 1) / per_block : 1);
    for (int i = 0; i < n; ++i)
      if (counts(i))
        results[i / per_block] = fold(results[i / per_block], i);
    return results;
  }

  /// Whether the results are wrong in just this way.
  bool are_instead(const std::vector<T> &wrong) const { return got != expected && got == wrong; }

  /// @param results  how they are called
  void expect_right(const std::string &results) const {
    checker::expect_same(results + " of " + what, got, expected);
  }
};

/// Has `launch(grid, out)` leave the results of n elements; each block has per_thread * block of them.
template <class T, class Fold, class Launch>
BlockRun<T, Fold> run_blocks(int n, int block, int per_thread, Fold fold, Launch launch) {
  BlockRun<T, Fold> run{fold, n, per_thread * block, {}, {}, {}, {}};
  run.what = checker::counted(n, "element") + " in blocks of " + std::to_string(block);
  run.expected = run.results_of([](int) { return true; });
  const auto d_out = checker::poisoned<T>(run.expected.size());
  run.seen = checker::launch(
      run.what, [&] { launch(static_cast<unsigned>(run.expected.size()), d_out.data()); });
  run.got = d_out.download();
  return run;
}
