/// \file
/// A warp that is followed, and what its requests cost.
#pragma once

#include "block_memory.hpp"
#include "flags.hpp"
#include "loops.hpp"
#include "values.hpp"

#include <algorithm>
#include <memory>

namespace model {

/// Lanes of a warp that are at the same instruction.
struct Group {
  int pc = 0;
  uint32_t lanes = 0;
  bool at_barrier = false;
};

struct Warp {
  std::vector<uint64_t> registers; // 32 of each
  std::vector<uint8_t> local; // of its 32 threads
  std::vector<Group> groups;
  std::vector<Step> steps;
  std::unique_ptr<LoopWatch> loops;
  std::unique_ptr<FlagWatch> flags;
  int number = 0;
  uint32_t members = 0;
  uint64_t *of(int reg) { return &registers[32 * static_cast<size_t>(reg)]; }
  bool waits() const {
    return std::all_of(groups.begin(), groups.end(), [](const Group &g) { return g.at_barrier; });
  }
};

/// Lanes that came to the same place go on together.
void merge(Warp &w);

/// Writes down what a request costs, by the space in which it turns out to lie.
void note(BlockTrace &trace,
          Step &step,
          const Lanes &address,
          size_t bytes,
          uint32_t active,
          Operation operation,
          bool asynchronous = false);

} // namespace model
