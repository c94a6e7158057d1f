#include "commands/commands.hpp"
#include "recording.hpp"

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

  /// What a demo of a chapter has found.
  double demo(const std::string &chapter, const std::string &name, const std::string &value) const {
    const fs::path file = file_of(chapter);
    for (const ordered_json &part :
         read_recording(file).value("traps_and_demos", ordered_json::array()))
      for (const ordered_json &one : part.value("demos", ordered_json::array()))
        if (one.value("name", "") == name)
          return number(one.value("values", ordered_json::object()), value, file);
    throw Failure(Exit::failed, fmt::format("{} has no demo {}", file.string(), name));
  }
  /// A figure of chapter 05's first run.
  double ceiling(const char *key) const {
    const fs::path file = file_of("05_reduction");
    const ordered_json runs = read_recording(file).value("runs", ordered_json::array());
    return number(runs.empty() ? runs : runs[0], key, file);
  }
  double latency(const std::string &kind) const {
    return demo("02_memory_hierarchy", "latency", kind);
  }

private:
  fs::path file_of(const std::string &chapter) const { return prefix_ + "_" + chapter + ".json"; }

  static double number(const ordered_json &record, const std::string &key, const fs::path &file) {
    if (!record.is_object() || !record.contains(key) || !record[key].is_number()) {
      throw Failure(Exit::failed, fmt::format("{} has no '{}'", file.string(), key));
    }
    return record[key].get<double>();
  }

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
    const double ghz = memory / measured.demo("11_occupancy", "model", "latency_ns");
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
        rounded(measured.demo("02_memory_hierarchy", "levels", "l2_gbps") / ghz, 0),
        "measured by chapter 02's demo levels");
    for (const char *kind : {"read_gbps", "copy_gbps"}) {
      set(device, kind, rounded(measured.ceiling(kind), 0), "measured by chapter 05, its ceiling");
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
