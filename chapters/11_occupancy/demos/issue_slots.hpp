/// @file
/// Whose instruction each of a multiprocessor's four schedulers issues, cycle after cycle: drawn by the rule, not measured.
#pragma once

#include "calculator.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace occupancy {

/// Warps on one multiprocessor, each with chains of instructions that need the one before.
struct Waiting {
  int warps, chains;
  int cycles = 4; ///< from an instruction to the next one of its chain; 4: a multiply-add
};

/// The warps that one scheduler issues, of its own, that which has been ready for longest; -1: none is eligible.
inline std::vector<int> issued_by(int scheduler, const Waiting &waiting, int cycles) {
  struct Chain {
    int warp, ready; // from this cycle on
  };
  std::vector<Chain> chains;
  for (int chain = 0; chain < waiting.chains; ++chain)
    for (int warp = scheduler; warp < waiting.warps; warp += partitions)
      chains.push_back({warp, 0});
  std::vector<int> slots(static_cast<size_t>(cycles), -1);
  for (int cycle = 0; cycle < cycles && !chains.empty(); ++cycle) {
    const auto next = std::min_element(
        chains.begin(), chains.end(), [](Chain a, Chain b) { return a.ready < b.ready; });
    if (next->ready > cycle)
      continue;
    slots[static_cast<size_t>(cycle)] = next->warp;
    next->ready = cycle + waiting.cycles;
  }
  return slots;
}

/// A row for each scheduler, a letter for each warp, a dot for each lost slot, and the share that is used.
inline std::string slots_text(const Waiting &waiting) {
  constexpr int drawn = 48;
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
  const int cycles = (drawn + waiting.cycles - 1) / waiting.cycles * waiting.cycles; // whole turns
  std::string text = "cycle        0       8       16      24      32      40\n";
  long used = 0;
  for (int scheduler = 0; scheduler < partitions; ++scheduler) {
    const std::vector<int> slots = issued_by(scheduler, waiting, cycles);
    text += "scheduler " + std::to_string(scheduler) + "  ";
    for (int warp : slots)
      used += warp >= 0;
    for (int cycle = 0; cycle < drawn; ++cycle)
      text +=
          slots[static_cast<size_t>(cycle)] < 0 ? '.' : letters[slots[static_cast<size_t>(cycle)]];
    text += '\n';
  }
  char share[60];
  std::snprintf(share,
                sizeof share,
                "\nissue slots used: %.0f %%\n",
                100.0 * static_cast<double>(used) / (4.0 * cycles));
  return text + share;
}

} // namespace occupancy
