/// \file
/// Finds the loops of a running warp that repeat themselves, and how many iterations can be skipped.
#pragma once

#include "machine.hpp"

#include <deque>
#include <map>

namespace model {

/// What of a function decides where its warps go and what they touch; the same for all of them.
struct ControlSlice {
  explicit ControlSlice(const Function &function);

  std::vector<int>
      carried; // registers with several definitions that addresses or branches depend on
  std::vector<bool> decides; // by instruction: comparisons that a branch depends on
  /// Comparisons that the branch at `pc` depends on.
  const std::vector<int> &of_branch(int pc) const;

private:
  std::map<int, std::vector<int>> of_branch_;
};

/// The loops that one warp is in.
class LoopWatch {
public:
  LoopWatch(const Function &function, const ControlSlice &slice)
      : function_(&function), slice_(&slice) {}

  /// A comparison that decides, with its operands.
  void compared(int pc, const Lanes &a, const Lanes &b);
  /// A branch back to `header` was taken by `active`. Returns how many iterations were skipped: the
  /// registers have been advanced by them, and the weights of the last steps say so.
  uint64_t went_back(int latch,
                     int header,
                     uint32_t active,
                     std::vector<uint64_t> &registers,
                     std::vector<Step> &steps);

private:
  struct Compared {
    int times = 0; // in the running iteration
    std::deque<std::pair<Lanes, Lanes>> operands; // of the iterations, the last one first
  };
  struct Loop {
    uint32_t active = 0;
    bool given_up = false;
    uint64_t iterations = 0;
    std::deque<std::vector<Lanes>> carried; // by iteration, the last one first
    std::deque<size_t> begins; // step with which an iteration began, the last one first
    std::map<int, Compared> compared;
  };

  uint64_t iterations_left(int latch, int header, const Loop &loop, size_t period) const;
  size_t find_period(const Loop &loop) const;

  const Function *function_;
  const ControlSlice *slice_;
  std::map<std::pair<int, int>, Loop> loops_; // by header and latch
};

} // namespace model
