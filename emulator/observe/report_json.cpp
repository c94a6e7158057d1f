// The report for programs.
#include <nlohmann/json.hpp>

#include "emu/observe.hpp"

namespace emu {

namespace {

using nlohmann::ordered_json;

double rounded(double value) { return std::round(value * 1e4) / 1e4; }

ordered_json to_json(const LineReport &line) {
  const AccessCounts &c = line.counts;
  return {{"file", line.where.file},
          {"line", line.where.line},
          {"access", access_name(line.access)},
          {"bytes", line.access_bytes},
          {"requests", c.requests},
          {"active_lanes", rounded(c.active_lanes())},
          {"sectors_per_request", rounded(c.sectors_per_request())},
          {"bytes_used_percent", rounded(c.bytes_used_percent())},
          {"wavefronts_per_request", rounded(c.wavefronts_per_request())},
          {"max_conflict", c.max_conflict},
          {"sectors", c.sectors},
          {"wavefronts", c.wavefronts},
          {"max_same_address", c.max_same_address}};
}

ordered_json to_json(const KernelReport &kernel) {
  ordered_json json = {{"name", kernel.name},
                       {"grid", kernel.grid},
                       {"block", kernel.block},
                       {"blocks_traced", kernel.blocks_traced},
                       {"launches", kernel.launches},
                       {"barriers", kernel.barriers},
                       {"active_lanes", rounded(kernel.active_lanes)},
                       {"lines", ordered_json::array()},
                       {"divergence", ordered_json::array()}};
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

ordered_json to_json(const HazardSide &side) {
  return {{"file", side.where.file},
          {"line", side.where.line},
          {"thread", side.thread},
          {"block", side.block}};
}

ordered_json to_json(const Hazard &hazard) {
  ordered_json json = {{"kind", hazard.kind},
                       {"warning", hazard.warning},
                       {"kernel", hazard.kernel},
                       {"file", hazard.here.where.file},
                       {"line", hazard.here.where.line},
                       {"thread", hazard.here.thread},
                       {"block", hazard.here.block}};
  json["other"] = hazard.other.where.line > 0 ? to_json(hazard.other) : ordered_json();
  json["message"] = hazard.message;
  json["count"] = hazard.count;
  return json;
}

} // namespace

std::string json_report(const Observation &observation) {
  ordered_json json = {{"kernels", ordered_json::array()}, {"hazards", ordered_json::array()}};
  for (const KernelReport &kernel : observation.kernels)
    json["kernels"].push_back(to_json(kernel));
  for (const Hazard &hazard : observation.hazards)
    json["hazards"].push_back(to_json(hazard));
  return json.dump(2) + "\n";
}

} // namespace emu
