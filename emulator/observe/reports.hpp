/// \file
/// From what was recorded to what is told: lines instead of addresses, sums per line.
#pragma once

#include "counters.hpp"
#include "symbols.hpp"

namespace emu {

class ReportBuilder {
public:
  void add_kernel(const std::string &name,
                  const LaunchConfig &config,
                  uint64_t blocks_traced,
                  uint64_t barriers,
                  const std::map<Counters::Key, AccessCounts> &accesses,
                  const std::unordered_map<uint32_t, Counters::BasicBlock> &basic_blocks);
  void add_hazard(const std::string &kind,
                  const std::string &kernel,
                  const std::string &message,
                  uint64_t count,
                  const FoundHazard &hazard);
  Observation finish();

private:
  struct RawKernel {
    std::map<Counters::Key, AccessCounts> accesses;
    std::unordered_map<uint32_t, Counters::BasicBlock> basic_blocks;
  };
  void fill_lines(KernelReport &kernel, const RawKernel &raw) const;
  HazardSide side(const Side &raw) const;

  Observation result_;
  std::vector<RawKernel> raw_;
  std::vector<FoundHazard> hazards_;
  std::vector<uint32_t> addresses_;
  static Symbols symbols_; // what was looked up once need not be again
};

} // namespace emu
