#include "reports.hpp"

#include "advice.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

namespace emu {

namespace {

/// Sectors and wavefronts a request, for each kind of access.
using Costs = std::array<double, 2 * static_cast<size_t>(Access::count)>;

Costs costs_of(const CountedKernel &kernel) {
  std::array<AccessCounts, static_cast<size_t>(Access::count)> sums;
  for (const auto &[key, counted] : kernel.accesses)
    sums[static_cast<size_t>(key.access)].add(counted.counts);
  Costs costs;
  for (size_t i = 0; i < sums.size(); ++i) {
    costs[2 * i] = sums[i].sectors_per_request();
    costs[2 * i + 1] = sums[i].wavefronts_per_request();
  }
  return costs;
}

bool about_equal(const Costs &a, const Costs &b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
    return std::fabs(x - y) <= 0.1 * std::max(x, y);
  });
}

} // namespace

bool CountedKernel::like(const CountedKernel &other) const {
  const KernelReport &a = report, &b = other.report;
  return a.name == b.name && a.part == b.part && std::equal(a.grid, a.grid + 3, b.grid) &&
         std::equal(a.block, a.block + 3, b.block) && about_equal(costs_of(*this), costs_of(other));
}

void CountedKernel::add(const CountedKernel &other) {
  report.blocks_traced += other.report.blocks_traced;
  report.launches += other.report.launches;
  report.barriers += other.report.barriers;
  report.warp_meetings += other.report.warp_meetings;
  report.active_masks += other.report.active_masks;
  for (size_t access = 0; access < report.busiest_warp.size(); ++access)
    report.busiest_warp[access] += other.report.busiest_warp[access];
  for (const auto &[key, counted] : other.accesses)
    accesses[key].add(counted);
  for (const auto &[pc, block] : other.basic_blocks)
    basic_blocks[pc].add(block);
}

void CountedKernel::carry(Bytes &bytes) {
  bytes(report.name, report.part, report.grid, report.block, report.blocks_traced);
  bytes(report.launches, report.barriers, report.warp_meetings, report.active_masks);
  bytes(report.busiest_warp, report.restricted_parameters, report.least_blocks);
  bytes(accesses, basic_blocks);
}

void ReportBuilder::add_kernel(const CountedKernel &counted) {
  result_.kernels.push_back(counted.report);
  raw_.push_back(counted);
  for (const auto &[key, counts] : counted.accesses) {
    addresses_.push_back(key.pc);
    if (counts.several_addresses)
      at_several_.insert(key.pc);
  }
  for (const auto &[pc, block_counts] : counted.basic_blocks)
    addresses_.push_back(pc);
}

void ReportBuilder::add_hazard(const Hazard &hazard, const FoundHazard &found) {
  result_.hazards.push_back(hazard);
  hazards_.push_back(found);
  for (const Side *s : {&found.here, &found.other})
    if (s->pc)
      addresses_.push_back(s->pc);
}

HazardSide ReportBuilder::side(const Side &raw) const {
  HazardSide result;
  if (raw.pc)
    result.where = symbols().line(raw.pc);
  else if (raw.site.line > 0)
    result.where = {raw.site.file, raw.site.line};
  copy_sizes(raw.block, result.block);
  copy_sizes(raw.thread, result.thread);
  return result;
}

// Rounds that are unrolled have an instruction each: nobody comes round to one of them.
bool ReportBuilder::several_stores(const Hazard &hazard) const {
  std::set<uint32_t> stores;
  if (in_one_line(hazard))
    for (const CountedKernel &kernel : raw_)
      if (kernel.report.name == hazard.kernel)
        for (const auto &entry : kernel.accesses)
          if ((entry.first.access == Access::shared_store ||
               entry.first.access == Access::global_store) &&
              symbols().line(entry.first.pc) == hazard.here.where)
            stores.insert(entry.first.pc);
  return stores.size() > 1;
}

// Inlining and unrolling make several instructions of one line: they are summed.
void ReportBuilder::fill_lines(KernelReport &kernel, const CountedKernel &raw) const {
  for (const auto &entry : raw.accesses) {
    const Counters::Key &key = entry.first; // no structured binding: clang 14 captures none
    const Counters::Counted &counted = entry.second;
    const AccessCounts counts = is_atomic(key.access) && !at_several_.count(key.pc)
                                    ? Counters::combined(counted.counts)
                                    : counted.counts;
    const SourceLine where = symbols().line(key.pc);
    const auto same = std::find_if(kernel.lines.begin(), kernel.lines.end(), [&](const auto &line) {
      return line.where == where && line.access == key.access && line.access_bytes == key.bytes;
    });
    if (same == kernel.lines.end()) {
      kernel.lines.push_back({where, key.access, key.bytes, counts, counted.worst});
      continue;
    }
    same->counts.add(counts);
    if (counted.worst.cost > same->worst.cost)
      same->worst = counted.worst;
  }
  std::sort(kernel.lines.begin(), kernel.lines.end(), [](const auto &a, const auto &b) {
    return std::tie(a.where.file, a.where.line, a.access, a.access_bytes) <
           std::tie(b.where.file, b.where.line, b.access, b.access_bytes);
  });

  uint64_t executions = 0, lanes = 0;
  std::map<std::pair<std::string, int>, DivergenceReport> divergent;
  for (const auto &[pc, block] : raw.basic_blocks) {
    executions += block.executions;
    lanes += block.lanes;
    if (block.divergent == 0)
      continue;
    const SourceLine where = symbols().line(pc);
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
  symbols().look_up(addresses_);
  for (size_t i = 0; i < result_.kernels.size(); ++i)
    fill_lines(result_.kernels[i], raw_[i]);
  for (size_t i = 0; i < result_.hazards.size(); ++i) {
    result_.hazards[i].here = side(hazards_[i].here);
    result_.hazards[i].other = side(hazards_[i].other);
    result_.hazards[i].here.did = hazards_[i].here_did;
    result_.hazards[i].other.did = hazards_[i].other_did;
    hazards_[i].race.comes_round |= several_stores(result_.hazards[i]);
    result_.hazards[i].advice =
        advice_for(result_.hazards[i], hazards_[i].race, launch_of(result_, result_.hazards[i]));
  }
  put_meetings_first();
  merge_equal_hazards();
  return std::move(result_);
}

// Where a thread reads an element and then writes it, ++s_bins[i] for one, two threads that have got the same element
// are the cause of both races: they come first. (Who reads what others have, and writes elsewhere, may have got his place
// from what he should not have read.)
void ReportBuilder::put_meetings_first() {
  for (size_t i = 0; i < hazards_.size(); ++i) {
    const Hazard &read = result_.hazards[i];
    if (hazards_[i].race.both_write)
      continue;
    const auto same_threads = [&](const Hazard &written) {
      const auto meets = [&](const HazardSide &side) {
        return std::equal(side.thread, side.thread + 3, written.here.thread) ||
               std::equal(side.thread, side.thread + 3, written.other.thread);
      };
      return in_one_line(read) || (meets(read.here) && meets(read.other));
    };
    for (size_t k = i + 1; k < hazards_.size(); ++k)
      if (const Hazard &written = result_.hazards[k];
          hazards_[k].race.both_write && in_one_line(written) && written.kind == read.kind &&
          written.kernel == read.kernel && written.part == read.part &&
          (written.here.where == read.here.where || written.here.where == read.other.where) &&
          same_threads(written)) {
        std::swap(result_.hazards[i], result_.hazards[k]);
        std::swap(hazards_[i], hazards_[k]);
        break;
      }
  }
}

// Several instructions of a line may show the same, of one element or another: one hazard to whoever reads
// the source.
void ReportBuilder::merge_equal_hazards() {
  const auto without_numbers = [](std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
    return text;
  };
  std::vector<Hazard> merged;
  for (const Hazard &hazard : result_.hazards) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const Hazard &earlier) {
      return earlier.kind == hazard.kind && earlier.kernel == hazard.kernel &&
             earlier.part == hazard.part &&
             without_numbers(earlier.message) == without_numbers(hazard.message) &&
             earlier.here.where == hazard.here.where && earlier.other.where == hazard.other.where;
    });
    if (same == merged.end() || hazard.here.where.line == 0)
      merged.push_back(hazard);
    else
      same->count += hazard.count;
  }
  result_.hazards = std::move(merged);
}

} // namespace emu
