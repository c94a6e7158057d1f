/// \file
/// What switching between two stacks costs, by the means there are.
#pragma once

#include <vector>

struct SwitchCost {
  const char *name;
  double nanoseconds; // one switch
};

/// The emulator's own switch, ucontext, and Boost.Context where it was found at configure time.
std::vector<SwitchCost> measure_switch_costs();
