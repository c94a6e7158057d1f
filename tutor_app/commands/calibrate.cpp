#include "commands/commands.hpp"
#include "lessons/json_file.hpp"
#include "lessons/markers.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace tutor::commands {
namespace {

/// What chapters measured of one device.
class Measured {
public:
  /// \param prefix  what the names of the results begin with: docs/results/nvidia-h200
  explicit Measured(std::string prefix) : prefix_(std::move(prefix)) {}

  double of(const std::string &chapter, const std::string &path) const {
    const fs::path file = prefix_ + "_" + chapter + ".json";
    return lessons::find_value(lessons::read_json(file), path, file).get<double>();
  }
  double latency(const char *kind) const {
    return of("02_memory_hierarchy",
              fmt::format("traps_and_demos/*/demos/latency/values/{}", kind));
  }

private:
  std::string prefix_;
};

double rounded(double value, double digits) {
  const double scale = std::pow(10, digits);
  return std::round(value * scale) / scale;
}

void set(ordered_json &device, const char *key, double value, const std::string &source) {
  device[key] = {{"value", value}, {"source", source}};
}

} // namespace

Exit calibrate(const Course &course,
               const std::string &like,
               const std::string &results,
               const fs::path &out) {
  const fs::path base = course.root() / "emulator/model/devices" / (like + ".json");
  std::ifstream stream(base);
  ordered_json device = ordered_json::parse(stream, nullptr, false);
  if (!device.is_object()) {
    throw Failure(Exit::usage,
                  fmt::format("there is no {}: --like h200, rtx4090 …", base.string()));
  }
  try {
    const Measured measured(results);
    const double memory = measured.latency("memory");
    const double ghz =
        memory / measured.of("11_occupancy", "traps_and_demos/*/demos/model/values/latency_ns");
    const std::string of_02 = "measured by chapter 02's demo latency";
    // The demo makes an address from each value: one instruction more, which takes as long as its registers.
    const double address = measured.latency("registers");
    set(device,
        "clock_ghz",
        rounded(ghz, 2),
        of_02 + ", in cycles, and chapter 11's demo model, in ns");
    set(device, "latency_arithmetic", rounded(address, 1), of_02);
    for (const char *kind : {"shared", "l1", "l2", "memory", "constant"}) {
      set(device,
          fmt::format("latency_{}", kind).c_str(),
          rounded(measured.latency(kind) - address, 1),
          of_02 + ", without the instruction that makes the address");
    }
    set(device,
        "l2_bytes_per_cycle",
        rounded(
            measured.of("02_memory_hierarchy", "traps_and_demos/*/demos/levels/values/l2_gbps") /
                ghz,
            0),
        "measured by chapter 02's demo levels");
    for (const char *kind : {"read_gbps", "copy_gbps"}) {
      set(device,
          kind,
          rounded(measured.of("05_reduction", std::string("runs/0/") + kind), 0),
          "measured by chapter 05, its ceiling");
    }
  } catch (const Failure &error) {
    throw Failure(Exit::failed,
                  fmt::format("{}: measure with tools/record_gpu.sh on that device", error.what()));
  }
  device["name"] = fs::path(out).stem().string();
  std::ofstream file(out);
  file << device.dump(2) << "\n";
  if (!file.flush()) {
    throw Failure(Exit::failed, fmt::format("cannot write {}", out.string()));
  }
  fmt::print(
      "{}: what chapters 02, 05 and 11 measured, the rest as in {}. ./tutor run 05 --on {}\n",
      out.string(),
      like,
      out.string());
  return Exit::ok;
}

} // namespace tutor::commands
