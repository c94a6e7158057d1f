/// \file
/// Warps and blocks on the simulated SM.
#pragma once

#include "memory_side.hpp"

#include <algorithm>

namespace model {

/// Where a warp is in what it did.
struct SmWarp {
  int slot = 0;
  const std::vector<Step> *steps = nullptr;
  size_t next = 0;
  double time = 0; // of the next issue, at the earliest
  double extra = 0; // cycles of iterations that were not written down
  double last_copy = 0; // when all copies begun so far have arrived
  double last_weight = 1, last_time = 0;
  std::vector<double> committed; // arrivals of groups of copies
  std::vector<double> ready; // by register
  std::vector<uint8_t> from_memory; // what a register waits for: 0 arithmetic, 1 long, 2 short
};

/// A block on its SM.
struct SmSlot {
  std::vector<int> warps;
  const BlockTrace *block = nullptr;
  int alive = 0, arrived = 0;
  double barrier_time = 0, began = 0;
  double last = 0; // when it would end, with all iterations
  std::vector<int> waiting;
  BlockCache cache;
};

/// When all groups of copies but the last few have arrived.
inline double copies_arrive(const SmWarp &w, int may_go_on) {
  double time = 0;
  const auto count = static_cast<long>(w.committed.size()) - may_go_on;
  for (long i = 0; i < count; ++i)
    time = std::max(time, w.committed[static_cast<size_t>(i)]);
  return time;
}

/// What the time since the last instruction stands for.
inline void account(SmWarp &w, double now, double weight) {
  w.extra += (w.last_weight - 1) * (now - w.last_time);
  w.last_weight = weight;
  w.last_time = now;
}

/// That a quarter of an SM needs for a warp's turn at a unit.
inline double cycles_of_turn(const Device &d, Unit unit) {
  switch (unit) {
  case Unit::alu:
    return 128 / d.int32_per_cycle;
  case Unit::fma:
    return 128 / d.fp32_per_cycle;
  case Unit::imad:
    return 128 / d.imad_per_cycle;
  case Unit::fp64:
    return 128 / d.fp64_per_cycle;
  case Unit::special:
    return 2;
  default:
    return 1;
  }
}

} // namespace model
