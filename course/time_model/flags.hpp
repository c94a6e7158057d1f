/// \file
/// Finds the loops of a running warp that wait for what another block will tell, and ends them.
#pragma once

#include "machine.hpp"

#include <map>

namespace model {

/// By register: whether it is made of what other blocks may tell, which volatile loads read.
std::vector<bool> told_registers(const Function &function);

/// The waiting loops that one warp is in.
class FlagWatch {
public:
  FlagWatch(const Function &function, const std::vector<bool> &told)
      : function_(&function), told_(&told) {}

  /// Where to go on instead of back to a loop's begin, as `active` would do at `latch`; -1: back. What ends it is read
  /// again and again and does not change: it is left as if what it waits for had been there at the first look,
  /// and the steps of the other looks are taken out. So is a loop around it that walks on to other blocks until
  /// one has told everything.
  int leaves(int latch, uint32_t active, std::vector<Step> &steps);

  /// Where it looked; Look::warp is not set.
  const std::vector<Look> &looks() const { return looks_; }

private:
  struct Waiting {
    int turns = 0;
    size_t first_turn = 0; // the steps when it was over
  };
  int way_out(int header, int latch) const;

  const Function *function_;
  const std::vector<bool> *told_;
  std::map<int, Waiting> waiting_; // by the last instruction of a loop
  std::vector<Look> looks_;
};

} // namespace model
