// The report for programs.
#include <algorithm>
#include <cmath>

#include <observation/observe.hpp>

#include "json.hpp"

namespace emu {

namespace {

double rounded(double value) { return std::round(value * 1e4) / 1e4; }

// The lanes of the request that cost most, and how far from each other what they touch lies.
Json to_json(const RequestSample &sample) {
  uint64_t lowest = ~uint64_t{0};
  for (size_t lane = 0; lane < 32; ++lane)
    if (sample.active >> lane & 1)
      lowest = std::min(lowest, sample.address[lane]);
  lowest -= lowest % 128; // banks and sectors stay as they are
  Json lanes = Json::list(), offsets = Json::list();
  for (unsigned lane = 0; lane < 32; ++lane)
    if (sample.active >> lane & 1) {
      lanes.push_back(lane);
      offsets.push_back(sample.address[lane] - lowest);
    }
  return {{"lanes", lanes}, {"offsets", offsets}, {"cost", sample.cost}};
}

Json to_json(const LineReport &line) {
  const AccessCounts &c = line.counts;
  return {{"file", line.where.file},
          {"line", line.where.line},
          {"access", access_name(line.access)},
          {"bytes", line.access_bytes},
          {"requests", c.requests},
          {"active_lanes", rounded(c.active_lanes())},
          {"sectors_per_request", rounded(c.sectors_per_request())},
          {"bytes_used_percent", rounded(c.sectors_used_percent())},
          {"wavefronts_per_request", rounded(c.wavefronts_per_request())},
          {"max_conflict", c.max_conflict},
          {"sectors", c.sectors},
          {"ideal_sectors", c.ideal_sectors},
          {"wavefronts", c.wavefronts},
          {"ideal_wavefronts", c.ideal_wavefronts},
          {"max_same_address", c.max_same_address},
          {"worst_request", to_json(line.worst)}};
}

Json to_json(const KernelReport &kernel) {
  Json json = {{"name", kernel.name},
               {"part", kernel.part},
               {"grid", kernel.grid},
               {"block", kernel.block},
               {"blocks_traced", kernel.blocks_traced},
               {"launches", kernel.launches},
               {"barriers", kernel.barriers},
               {"warp_meetings", kernel.warp_meetings},
               {"active_lanes", rounded(kernel.active_lanes)},
               {"lines", Json::list()},
               {"divergence", Json::list()}};
  for (const LineReport &line : kernel.lines)
    json["lines"].push_back(to_json(line));
  for (const DivergenceReport &line : kernel.divergence)
    json["divergence"].push_back(
        {{"file", line.where.file},
         {"line", line.where.line},
         {"executions", line.executions},
         {"active_lanes",
          rounded(static_cast<double>(line.lanes) / static_cast<double>(line.executions))}});
  return json;
}

Json to_json(const HazardSide &side) {
  return {{"file", side.where.file},
          {"line", side.where.line},
          {"thread", side.thread},
          {"block", side.block}};
}

Json to_json(const Hazard &hazard) {
  Json json = {{"kind", hazard.kind},
               {"warning", hazard.warning},
               {"kernel", hazard.kernel},
               {"part", hazard.part},
               {"file", hazard.here.where.file},
               {"line", hazard.here.where.line},
               {"thread", hazard.here.thread},
               {"block", hazard.here.block}};
  json["other"] = hazard.other.where.line > 0 ? to_json(hazard.other) : Json();
  json["message"] = hazard.message;
  json["advice"] = hazard.advice;
  json["count"] = hazard.count;
  return json;
}

Json to_json(const PageReport &pages) {
  const PageCounts &c = pages.counts;
  return {{"part", pages.part},
          {"kernel_faults", c.kernel_faults},
          {"host_faults", c.host_faults},
          {"made_by_kernels", c.made_by_kernels},
          {"made_by_host", c.made_by_host},
          {"sent_to_device", c.sent_to_device},
          {"sent_to_host", c.sent_to_host},
          {"over_the_link", c.over_the_link},
          {"moved_out", c.moved_out}};
}

Json to_json(const LinkReport &link) {
  Json json = {{"part", link.part},
               {"from", link.from},
               {"to", link.to},
               {"copied", link.counts.copied},
               {"copies", link.counts.copies},
               {"loaded", link.counts.loaded},
               {"stored", link.counts.stored},
               {"lines", Json::list()}};
  for (const LinkLine &line : link.lines)
    json["lines"].push_back({{"file", line.where.file},
                             {"line", line.where.line},
                             {"access", access_name(line.access)},
                             {"bytes", line.bytes}});
  return json;
}

} // namespace

std::string json_report(const Observation &observation) {
  Json json = {{"version", 1}, {"kernels", Json::list()}, {"hazards", Json::list()}};
  for (const KernelReport &kernel : observation.kernels)
    json["kernels"].push_back(to_json(kernel));
  for (const Hazard &hazard : observation.hazards)
    json["hazards"].push_back(to_json(hazard));
  json["pages"] = Json::list();
  for (const PageReport &pages : observation.pages)
    json["pages"].push_back(to_json(pages));
  json["links"] = Json::list();
  for (const LinkReport &link : observation.links)
    json["links"].push_back(to_json(link));
  json["schedule"] = observation.schedule;
  if (observation.partial)
    json["partial"] = true;
  return json.text(true) + "\n";
}

} // namespace emu
