#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// @file
/// What was measured of one step beside the step before it: its time, the quantity to watch, what
/// the hardware says its warps wait for, and the unit that is busiest.
///
/// Three recordings are read: the chapter's results (docs/results/DEVICE_CHAPTER.json), what ncu said
/// of each step at that size (docs/results/DEVICE_reasons.json) and the hardware's counts at a small
/// size (emulator/tests/golden/), to which the emulator is held; besides, the emulator's own table
/// (output/ladder.txt beside the lesson).

namespace tutor::lessons {

struct EvidenceQuery {
  std::filesystem::path root; ///< the repository
  std::filesystem::path lesson; ///< its folder is the chapter
  std::string step; ///< a name or number prefix (v3)
  std::string before; ///< the step to compare with; empty: the one before in the results
  std::string run; ///< as in ResultsQuery; empty: the file's first run
  std::vector<std::string> watch; ///< names of quantities, `ladder:COLUMN` or `results:KEY`
};

/// What a row "waits for" holds when nobody has asked the hardware yet.
inline constexpr const char *not_recorded = "not recorded";

/// The table. Throws LessonError for a step, run or quantity that is not there.
std::string evidence_table(const EvidenceQuery &query);

} // namespace tutor::lessons
