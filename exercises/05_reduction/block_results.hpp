/// @file
/// What the checkers of kernels with a result per block share.
#pragma once

#include "checker/nasty.hpp"

#include <algorithm>

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

/// Names elements of a run's first block, if it is a whole one, that are added nowhere or more than once: "of the 96 elements
/// of a block 32 are added nowhere (2, 5, 8, 11, …)". Says nothing if that does not make the wrong sum.
/// @param digit   digit(k) is what counts 16^k in a sum
/// @param launch  launch(in, n, out): one block for n elements
template <class T, class Fold, class Digit, class Launch>
void diagnose_not_each_once(const BlockRun<T, Fold> &run, Digit digit, Launch launch) {
  const int block = run.per_block;
  if (run.n < block || run.got[0] == run.expected[0])
    return;
  constexpr int digits = 2 * sizeof(T);
  T made = 0;
  std::vector<std::string> none, several;
  for (int first = 0; first < block; first += digits) {
    std::vector<unsigned> numbers(block);
    const int end = std::min(first + digits, block);
    for (int i = first; i < end; ++i)
      numbers[i] = digit(i - first);
    const lab::DeviceBuffer<unsigned> d_numbers(numbers);
    const auto d_sum = checker::poisoned<T>(1);
    launch(d_numbers.data(), block, d_sum.data());
    const T sum = d_sum.at(0);
    for (int i = first; i < end; ++i) {
      const T times = sum >> 4 * (i - first) & 15;
      made += times * run.fold(T{}, i);
      if (times != 1)
        (times == 0 ? none : several).push_back(std::to_string(i));
    }
  }
  const auto told = [](const std::vector<std::string> &places, const std::string &how) {
    std::string text = std::to_string(places.size()) + (places.size() == 1 ? " is" : " are") +
                       " added " + how + " (";
    for (std::size_t i = 0; i < std::min<std::size_t>(places.size(), 4); ++i)
      text += (i > 0 ? ", " : "") + places[i];
    return text + (places.size() > 4 ? ", …)" : ")");
  };
  const bool of_these = made == run.got[0] && none.size() < static_cast<std::size_t>(block);
  checker::diagnose("not_each_once",
                    of_these && none.size() + several.size() > 0,
                    run.what + ": of the " + std::to_string(block) + " elements of a block " +
                        (none.empty() ? "" : told(none, "nowhere")) +
                        (none.empty() || several.empty() ? "" : ", and ") +
                        (several.empty() ? "" : told(several, "more than once")));
}

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
