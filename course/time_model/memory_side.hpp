/// \file
/// The memory system behind an SM's warps: its L1, its share of the way to the L2, and of the memory.
#pragma once

#include "simulate.hpp"
#include "sm_warp.hpp"

#include <unordered_map>
#include <unordered_set>

namespace model {

/// A sector in the L1.
struct Cached {
  uint64_t used = 0; // after how many fills
  double arrives = 0;
};

/// What a block has in the L1, and what came to the L2 for it.
struct BlockCache {
  std::unordered_map<uint64_t, Cached> l1; // by sector
  std::unordered_set<uint64_t> fetched; // sectors
  std::unordered_set<uint64_t> pairs; // pieces of 64 bytes
  std::unordered_map<uint64_t, const void *>
      in_part; // sectors, and the warp that stored a part first
  std::unordered_set<uint64_t> shared_lines; // with sectors of which several warps stored parts
  uint64_t fills = 0;
};

class MemorySide {
public:
  /// \param result  gets the cycles that each part is at work
  MemorySide(const LaunchTrace &launch,
             const Device &device,
             const Traffic &traffic,
             Simulated &result);

  /// When what a request asks for arrives, and how many of its lines were not in the L1.
  struct Loaded {
    double arrives = 0;
    int missed_lines = 0;
  };
  Loaded load(
      BlockCache &cache, const BlockTrace &block, const Step &step, const Lowered &l, double begin);
  void store(BlockCache &cache,
             const BlockTrace &block,
             const SmWarp &warp,
             const Step &step,
             const Lowered &l,
             double begin);
  /// Into local memory, which stays in the L2: blocks that follow have the same places.
  void store_local(const Step &step, double begin);

  double l2_free = 0, dram_free = 0, atomic_free = 0; // until when they are at work
  /// Of an SM's share where atomics are made.
  double atomic_cycles(const Step &step) const {
    return d_.atomic_ns(step.wavefronts, step.whole) * atomic_cycles_per_ns_;
  }

private:
  /// How many lines that other warps began to store in part the L2 has to fill from memory: it may need their places
  /// before the last part comes.
  double fills(BlockCache &cache,
               const BlockTrace &block,
               const SmWarp &warp,
               const Step &step,
               double begin);
  /// For a store to so many sectors. \return when it begins
  double take_l2(const Step &step, double sectors, double begin);
  /// The L2's slices and the way to them are at work for so many cycles, beside each other.
  void keep_l2(double way, double slices, double begin, double weight);

  const Device &d_;
  const Traffic traffic_;
  Simulated &result_;
  uint64_t l1_sectors_ = 0; // of a block
  double read_cycles_ = 0, write_cycles_ = 0, l2_cycles_ = 0, partial_cycles_ = 0; // of a sector
  double turn_cycles_ = 0; // of a slice of the L2
  double atomic_cycles_per_ns_ = 0; // of one home's work
  double way_free_ = 0, slices_free_ = 0; // until when they are at work, both of the L2
  double way_work_ = 0, slices_work_ = 0;
  double dram_work_ = 0;
  double sectors_ = 0; // that have come to the L2 anew
  double fill_cycles_ = 0,
         fills_per_rate_ = 0; // of a line; for each sector that comes anew in a cycle
  std::vector<Cached *> filled_; // of one request
};

} // namespace model
