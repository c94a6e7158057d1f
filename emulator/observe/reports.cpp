#include "reports.hpp"

#include <algorithm>

namespace emu {

Symbols ReportBuilder::symbols_;

const char *access_name(Access access) {
  switch (access) {
  case Access::global_load:
    return "global_load";
  case Access::global_store:
    return "global_store";
  case Access::global_atomic:
    return "global_atomic";
  case Access::shared_load:
    return "shared_load";
  case Access::shared_store:
    return "shared_store";
  case Access::shared_atomic:
    return "shared_atomic";
  case Access::constant:
    return "constant";
  case Access::count:
    break;
  }
  return "?";
}

void AccessCounts::add(const AccessCounts &other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  sectors += other.sectors;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  max_conflict = std::max(max_conflict, other.max_conflict);
  max_same_address = std::max(max_same_address, other.max_same_address);
}

AccessCounts KernelReport::total(Access access) const {
  AccessCounts sum;
  for (const LineReport &line : lines)
    if (line.access == access)
      sum.add(line.counts);
  return sum;
}

const Hazard *Observation::find(const std::string &kind) const {
  for (const Hazard &hazard : hazards)
    if (hazard.kind == kind)
      return &hazard;
  return nullptr;
}

bool Observation::has_errors() const {
  return std::any_of(
      hazards.begin(), hazards.end(), [](const Hazard &hazard) { return !hazard.warning; });
}

void ReportBuilder::add_kernel(
    const std::string &name,
    const LaunchConfig &config,
    uint64_t blocks_traced,
    uint64_t barriers,
    const std::map<Counters::Key, AccessCounts> &accesses,
    const std::unordered_map<uint32_t, Counters::BasicBlock> &basic_blocks) {
  KernelReport kernel;
  kernel.name = name;
  const unsigned grid[3] = {config.grid.x, config.grid.y, config.grid.z};
  const unsigned block[3] = {config.block.x, config.block.y, config.block.z};
  std::copy(grid, grid + 3, kernel.grid);
  std::copy(block, block + 3, kernel.block);
  kernel.blocks_traced = blocks_traced;
  kernel.barriers = barriers;
  result_.kernels.push_back(kernel);
  raw_.push_back({accesses, basic_blocks});
  for (const auto &[key, counts] : accesses)
    addresses_.push_back(key.pc);
  for (const auto &[pc, counts] : basic_blocks)
    addresses_.push_back(pc);
}

void ReportBuilder::add_hazard(const std::string &kind,
                               const std::string &kernel,
                               const std::string &message,
                               uint64_t count,
                               const FoundHazard &hazard) {
  Hazard report;
  report.kind = kind;
  report.warning = hazard.warning;
  report.kernel = kernel;
  report.message = message;
  report.count = count;
  result_.hazards.push_back(report);
  hazards_.push_back(hazard);
  for (const Side *s : {&hazard.here, &hazard.other})
    if (s->pc)
      addresses_.push_back(s->pc);
}

HazardSide ReportBuilder::side(const Side &raw) const {
  HazardSide result;
  if (raw.pc)
    result.where = symbols_.line(raw.pc);
  else if (raw.site.line > 0)
    result.where = {raw.site.file, raw.site.line};
  const unsigned block[3] = {raw.block.x, raw.block.y, raw.block.z};
  const unsigned thread[3] = {raw.thread.x, raw.thread.y, raw.thread.z};
  std::copy(block, block + 3, result.block);
  std::copy(thread, thread + 3, result.thread);
  return result;
}

// Inlining and unrolling make several instructions of one line: they are summed.
void ReportBuilder::fill_lines(KernelReport &kernel, const RawKernel &raw) const {
  for (const auto &[key, counts] : raw.accesses) {
    const SourceLine where = symbols_.line(key.pc);
    const auto same = std::find_if(kernel.lines.begin(), kernel.lines.end(), [&](const auto &line) {
      return line.where.line == where.line && line.where.file == where.file &&
             line.access == key.access && line.access_bytes == key.bytes;
    });
    if (same != kernel.lines.end())
      same->counts.add(counts);
    else
      kernel.lines.push_back({where, key.access, key.bytes, counts});
  }
  std::stable_sort(kernel.lines.begin(), kernel.lines.end(), [](const auto &a, const auto &b) {
    return std::tie(a.where.file, a.where.line, a.access) <
           std::tie(b.where.file, b.where.line, b.access);
  });

  uint64_t executions = 0, lanes = 0;
  std::map<std::pair<std::string, int>, DivergenceReport> divergent;
  for (const auto &[pc, block] : raw.basic_blocks) {
    executions += block.executions;
    lanes += block.lanes;
    if (block.divergent == 0)
      continue;
    const SourceLine where = symbols_.line(pc);
    DivergenceReport &line = divergent[{where.file, where.line}];
    line.where = where;
    line.executions += block.executions;
    line.lanes += block.lanes;
  }
  kernel.active_lanes =
      executions ? static_cast<double>(lanes) / static_cast<double>(executions) : 0;
  for (const auto &[key, line] : divergent)
    kernel.divergence.push_back(line);
}

Observation ReportBuilder::finish() {
  symbols_.look_up(addresses_);
  for (size_t i = 0; i < result_.kernels.size(); ++i)
    fill_lines(result_.kernels[i], raw_[i]);
  for (size_t i = 0; i < result_.hazards.size(); ++i) {
    result_.hazards[i].here = side(hazards_[i].here);
    result_.hazards[i].other = side(hazards_[i].other);
  }
  return std::move(result_);
}

} // namespace emu
