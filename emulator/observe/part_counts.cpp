#include "part_counts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "text.hpp"

namespace emu {

namespace {

/// Sums over the launches of a part, in which a counted block stands for those that were not.
struct Sums {
  std::string part;
  double requests = 0, lanes = 0;
  double global_requests = 0, sectors = 0, bytes = 0;
  double blocks = 0, barriers = 0;
  unsigned max_conflict = 0;

  void add(const KernelReport &kernel) {
    if (kernel.blocks_traced == 0)
      return;
    const double weight =
        static_cast<double>(kernel.blocks()) / static_cast<double>(kernel.blocks_traced);
    blocks += static_cast<double>(kernel.blocks());
    barriers += weight * static_cast<double>(kernel.barriers);
    for (const LineReport &line : kernel.lines) {
      const AccessCounts &c = line.counts;
      requests += weight * static_cast<double>(c.requests);
      lanes += weight * static_cast<double>(c.lanes);
      if (is_shared(line.access)) {
        max_conflict = std::max(max_conflict, c.max_conflict);
      } else if (line.access != Access::constant) {
        global_requests += weight * static_cast<double>(c.requests);
        sectors += weight * static_cast<double>(c.sectors);
        bytes += weight * static_cast<double>(c.bytes);
      }
    }
  }

  std::string text() const {
    std::string text;
    const auto line = [&](const char *key, double value) {
      text += part + " " + key + format(" %.4f\n", value);
    };
    if (global_requests > 0)
      line("sectors_per_request", sectors / global_requests);
    if (sectors > 0)
      line("bytes_used_percent", 100 * bytes / (32 * sectors));
    if (requests > 0)
      line("active_lanes", lanes / requests);
    if (max_conflict > 0)
      line("max_conflict", max_conflict);
    if (blocks > 0)
      line("barriers_per_block", barriers / blocks);
    return text;
  }
};

/// What moved, or had somebody wait. That a page is new says nothing about a step.
std::string page_lines(const PageReport &pages) {
  const PageCounts &c = pages.counts;
  const std::pair<const char *, uint64_t> counts[] = {
      {"page_faults", c.kernel_faults + c.host_faults},
      {"pages_sent", c.sent_to_device + c.sent_to_host},
  };
  std::string text;
  for (const auto &[key, count] : counts)
    text += pages.part + " " + key + format(" %lu\n", static_cast<unsigned long>(count));
  return text;
}

/// Of programs with several devices: what went over the busiest device's links, in the busier
/// direction.
std::string link_lines(const Observation &observation, const std::string &part) {
  std::map<std::pair<int, bool>, uint64_t> between, with_host; // by device and direction
  for (const LinkReport &link : observation.links)
    if (link.part == part) {
      auto &sums = link.from < 0 || link.to < 0 ? with_host : between;
      sums[{link.from, true}] += link.counts.bytes();
      sums[{link.to, false}] += link.counts.bytes();
    }
  std::string text;
  for (const auto &[key, sums] :
       {std::pair("link_kib", std::move(between)), std::pair("host_kib", std::move(with_host))}) {
    uint64_t most = 0;
    for (const auto &[end, bytes] : sums)
      if (end.first >= 0)
        most = std::max(most, bytes);
    text += part + " " + key + format(" %.4f\n", static_cast<double>(most) / 1024);
  }
  uint64_t launches = 0;
  for (const KernelReport &kernel : observation.kernels)
    launches += kernel.part == part ? kernel.launches : 0;
  return text + part + format(" launches %lu\n", static_cast<unsigned long>(launches));
}

} // namespace

std::string part_counts(const Observation &observation) {
  std::vector<Sums> parts;
  for (const KernelReport &kernel : observation.kernels) {
    if (kernel.part.empty())
      continue;
    auto same = std::find_if(
        parts.begin(), parts.end(), [&](const Sums &sums) { return sums.part == kernel.part; });
    if (same == parts.end()) {
      parts.emplace_back();
      same = parts.end() - 1;
      same->part = kernel.part;
    }
    same->add(kernel);
  }
  std::string text;
  for (const Sums &sums : parts)
    text += sums.text();
  for (const PageReport &pages : observation.pages)
    if (!pages.part.empty())
      text += page_lines(pages);
  std::set<std::string> linked;
  for (const LinkReport &link : observation.links)
    if (!link.part.empty() && linked.insert(link.part).second)
      text += link_lines(observation, link.part);
  const auto hazards = std::count_if(observation.hazards.begin(),
                                     observation.hazards.end(),
                                     [](const Hazard &hazard) { return !hazard.warning; });
  return text + format("hazards %ld\n", static_cast<long>(hazards));
}

} // namespace emu
