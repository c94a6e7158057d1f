/// @file
/// What a run of a ladder found, and the two ways it is told: a table and a JSON file.
#pragma once

#include "common/timer.hpp"
#include "ladder/ceiling.hpp"
#include "ladder/detail/ladder_core.hpp"

#include <string>
#include <utility>
#include <vector>

namespace lab::detail {

/// What was found about one entry.
struct EntryResult {
  const Entry *entry = nullptr;
  int cases = 0; ///< checked
  int right = 0;
  std::string first_failure; ///< the case and the mismatch, in one line
  bool measured = false;
  bool emulated = false; ///< measured on the CPU backend: a time, but no bandwidth
  Timing timing;
  int block = 0; ///< threads per block when timed; 0 where the chapter has none
  double bytes = 0.0;
  double flops = 0.0;
  Ceiling ceiling = Ceiling::none;
  double ceiling_gbps = 0.0; ///< 0: not measured
  double ceiling_tflops = 0.0; ///< 0: not measured, or not what limits it
  std::vector<Counter> counters;

  bool skipped() const { return !entry->skip_reason.empty(); }
  bool ok() const { return skipped() || (right == cases && cases > 0); }
  bool rated() const { return measured && !emulated && timing.median_ms > 0.0; }
  /// 10^9 useful bytes a second; 0 where that says nothing.
  double gbps() const { return rated() ? bytes / timing.median_ms * 1e-6 : 0.0; }
  double tflops() const { return rated() ? flops / timing.median_ms * 1e-9 : 0.0; }
  double percent_of_ceiling() const {
    if (ceiling_tflops > 0.0)
      return 100.0 * tflops() / ceiling_tflops;
    return ceiling_gbps > 0.0 ? 100.0 * gbps() / ceiling_gbps : 0.0;
  }
  bool above_ceiling() const { return percent_of_ceiling() > 100.0; }
};

/// What one trap did.
struct TrapResult {
  const Entry *entry = nullptr;
  int tries = 0;
  int wrong = 0;
  std::string mismatch; ///< the first wrong answer
};

/// What one demo found.
struct DemoResult {
  const Entry *entry = nullptr;
  std::vector<std::string> broken;
  std::vector<std::pair<std::string, double>> values;
};

/// One run of a chapter's program.
struct RunResult {
  std::string chapter, title;
  std::string backend, device, driver, toolkit;
  std::string device_summary;
  std::size_t n = 0;
  Shape shape; ///< n x n unless --n gave rows and columns
  int block = 0;
  std::uint64_t seed = 0;
  MeasureOptions measured_with;
  std::size_t hazards = 0; ///< seen by the program that counted
  bool has_ceilings = false;
  Ceilings ceilings;
  double fma_tflops = 0.0; ///< 0: not measured
  std::vector<std::size_t> checked_sizes;
  std::vector<Shape> checked_shapes; ///< of chapters about matrices: those that are not square
  std::vector<int> checked_blocks;
  std::vector<EntryResult> steps;
  std::vector<TrapResult> traps;
  std::vector<DemoResult> demos;

  bool all_right() const;
};

/// Colours, or empty strings where stdout is no terminal or NO_COLOR is set.
struct Colours {
  const char *good = "", *bad = "", *strong = "", *dim = "", *off = "";
};
Colours terminal_colours();

/// "n = 1024" or, of a matrix that is not square, "1023 x 1025".
std::string place_text(std::size_t n, const Shape &shape);
/// "v0_… · sum of n integers", device, size.
std::string header_text(const RunResult &result);
/// What was verified, and every step that was wrong.
std::string check_text(const RunResult &result, const Colours &colours);
/// The table, and the lines under it.
std::string table_text(const RunResult &result, const Colours &colours);
/// One trap: what was promised, what was seen.
std::string trap_text(const TrapResult &result, const Colours &colours);

/// What JSON calls it: step, cpu, rival, trap or demo.
const char *kind_key(Kind kind);

/// The JSON file's text.
std::string json_text(const RunResult &result);

/// What --list --json writes: what is recorded of each entry, and with which options.
std::string list_json(const LadderCore &core);

} // namespace lab::detail
