/// \file
/// From what was recorded to what is told: lines instead of addresses, sums per line.
#pragma once

#include <set>

#include "counters.hpp"
#include "symbols.hpp"

namespace emu {

/// What was counted in the launches of one kernel, in one shape, from one part of the program.
struct CountedKernel {
  std::string name;
  std::string part;
  LaunchConfig config;
  uint64_t blocks_traced = 0;
  uint64_t launches = 1;
  std::map<Counters::Key, Counters::Counted> accesses;
  std::unordered_map<uint32_t, Counters::BasicBlock> basic_blocks;
  uint64_t barriers = 0;
  uint64_t warp_meetings = 0;
  Counters::PerAccess busiest_warp{};
  unsigned restricted_parameters = 0;

  /// Whether summing the two up hides nothing: the same shape, and about the same cost a request
  /// (the same kernel may well be launched again with another stride).
  bool like(const CountedKernel &other) const;
  void add(const CountedKernel &other);
};

class ReportBuilder {
public:
  void add_kernel(const CountedKernel &kernel);
  /// \param hazard  all but the places, which `found` tells
  void add_hazard(const Hazard &hazard, const FoundHazard &found);
  Observation finish();

private:
  void fill_lines(KernelReport &kernel, const CountedKernel &raw) const;
  HazardSide side(const Side &raw) const;
  void put_meetings_first();
  void merge_equal_hazards();

  Observation result_;
  std::vector<CountedKernel> raw_;
  std::vector<FoundHazard> hazards_;
  std::vector<uint32_t> addresses_;
  std::set<uint32_t> at_several_; // atomics that wanted several addresses in a request, ever
};

} // namespace emu
