/// @file
/// Stands for the ladder where `tutor export` writes a step as one file: what a problem and a step need
/// of it. Nobody looks on.
#pragma once

#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/compare.hpp"
#include "common/device.hpp"
#include "common/random.hpp"
#include "common/timer.hpp"
#include "ladder/case.hpp"

#include <cstdio>
#include <vector>

namespace lab {

class Demo;
template <class Problem> class Ladder;

inline bool can_observe() { return false; }
inline bool being_observed() { return false; }
inline bool being_modelled() { return false; }
inline bool at_full_size() { return !on_emulator(); }

/// Runs a step at each size and says whether its result is right. A nonzero block is the step's own.
/// \return the program's exit code
template <class Problem>
int check_step(const std::vector<std::size_t> &sizes,
               int block,
               void (*before)(Problem &),
               void (*run)(Problem &),
               Verdict (*check)(Problem &)) {
  bool right = true;
  for (const std::size_t n : sizes) {
    Problem problem(Case{n, block});
    problem.prepare();
    if (before)
      before(problem);
    run(problem);
    LAB_CHECK(cudaDeviceSynchronize());
    const Verdict verdict = check(problem);
    right = right && verdict.ok;
    std::printf("n = %-10zu %s\n", n, verdict.ok ? "right" : verdict.message.c_str());
  }
  return right ? 0 : 1;
}

} // namespace lab
