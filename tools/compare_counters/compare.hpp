/// \file
/// The emulator's counts beside those of a GPU.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace counters {

/// By name: "global_load_requests", "shared_store_wavefronts", …
using Counts = std::map<std::string, uint64_t>;

/// A golden kernel, or all launches of a chapter's step.
struct Row {
  std::string name;
  Counts hardware; // what this GPU does not count is not there
  Counts emulator;
};

enum class Verdict { equal, close, different };

/// How far apart requests, sectors and wavefronts of loads and stores are. `close`: each within 1 %.
/// Atomics are shown but not judged: what nvcc makes of them depends on what becomes of the result.
Verdict judge(const Row &row);

/// The counts of one part of a program in an observation's JSON report, all its kernels together.
/// \param part  "": the whole program
Counts emulated(const nlohmann::json &report, const std::string &part);

/// What the hardware counted in one launch (as tools/record_counters.py records it), added to `sum`.
void add_recorded(Counts &sum, const nlohmann::json &launch);

/// A table in Markdown, and a sentence that sums it up.
std::string table(const std::vector<Row> &rows, const std::string &device);

/// Puts `table` between the markers `<!-- note: counters -->` and `<!-- note: /counters -->`.
/// \throws std::runtime_error if they are not there
std::string with_table(const std::string &page, const std::string &table);

} // namespace counters
