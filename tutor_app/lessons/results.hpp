#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// @file
/// Tables and single figures out of recorded results (docs/results/*.json).
///
/// A results file holds what a chapter's program writes with --json, or {"runs": [several of
/// those]}. All functions throw LessonError.

namespace tutor::lessons {

/// Which rows and columns of a recorded run a table shows.
struct ResultsQuery {
  std::filesystem::path file;
  std::string run; ///< one of the runs: an index or key=value; empty: the file's only run
  /// Comma list of step, check, ms, predicted, spread, gbps, tflops, percent, times, counter.NAME.
  std::string columns;
  std::string steps; ///< comma list of exact names or number prefixes (v0); empty: every step
};

/// A table with a row per step, and under it a line that names device, driver, toolkit, n and date.
std::string results_table(const ResultsQuery &query);

/// What a "then and now" table sets side by side.
struct CompareQuery {
  std::filesystem::path published;
  std::string published_key; ///< path inside the published file, as in find_value
  ResultsQuery measured; ///< its `columns` are not used
};

/// Published figures beside ours, a row per step that the published table has.
std::string compare_table(const CompareQuery &query);

/// A single figure. `path` is keys joined by "/"; inside a list a part is an index, key=value, the
/// element's name or number prefix, or `*`, the first element in which the rest of the path is
/// found: `steps/v7/gbps`, `traps_and_demos/*/demos/latency/values/l1`. `format` is an fmt format such as ".1f";
/// empty: whole numbers and text as they are, other numbers with three significant digits.
std::string
single_value(const std::filesystem::path &file, const std::string &path, const std::string &format);

/// Several numbers of one file, by their paths.
std::vector<double> figures(const std::filesystem::path &file,
                            const std::vector<std::string> &paths);

/// "NVIDIA H200, driver 580.159.04, CUDA 13.0, recorded 2026-11-20": where a file's results come from.
std::string origin_of(const std::filesystem::path &file);

} // namespace tutor::lessons
