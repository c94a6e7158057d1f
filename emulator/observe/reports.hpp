/// \file
/// From what was recorded to what is told: lines instead of addresses, sums per line.
#pragma once

#include <set>

#include "bytes.hpp"
#include "counters.hpp"
#include "symbols.hpp"

namespace emu {

template <class Sizes> void copy_sizes(const Sizes &from, unsigned (&to)[3]) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

/// What was counted in the launches of one kernel, in one shape, from one part of the program.
struct CountedKernel {
  KernelReport report; // but for its lines
  std::map<Counters::Key, Counters::Counted> accesses;
  std::unordered_map<uint32_t, Counters::BasicBlock> basic_blocks;

  /// Whether summing the two up hides nothing: the same shape, and about the same cost a request
  /// (the same kernel may well be launched again with another stride).
  bool like(const CountedKernel &other) const;
  void add(const CountedKernel &other);
  void carry(Bytes &bytes);
};

inline void carry(Bytes &bytes, PageReport &pages) { bytes(pages.part, pages.counts); }
inline void carry(Bytes &bytes, SourceLine &line) { bytes(line.file, line.line); }
inline void carry(Bytes &bytes, FailedCall &call) { bytes(call.where, call.error, call.launch); }

class ReportBuilder {
public:
  void add_kernel(const CountedKernel &kernel);
  /// \param hazard  all but the places, which `found` tells
  void add_hazard(const Hazard &hazard, const FoundHazard &found);
  Observation finish();

private:
  void fill_lines(KernelReport &kernel, const CountedKernel &raw) const;
  HazardSide side(const Side &raw) const;
  bool several_stores(const Hazard &hazard) const;
  void put_meetings_first();
  void merge_equal_hazards();

  Observation result_;
  std::vector<CountedKernel> raw_;
  std::vector<FoundHazard> hazards_;
  std::vector<uint32_t> addresses_;
  std::set<uint32_t> at_several_; // atomics that wanted several addresses in a request, ever
};

} // namespace emu
