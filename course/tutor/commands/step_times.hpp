#pragma once

#include "base/build.hpp"
#include "base/course.hpp"
#include "commands/times_arguments.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

/// \file
/// Predicted times of steps as they stand in the course, for machines without clang: docs/results/nvidia-DEVICE_step_times.json
/// holds them, beside what they depend on. A step that is another one today has no time.

namespace tutor::commands {

/// Raised with every change of the time model, or of the headers that clang reads, after which times differ.
inline constexpr int time_model_version = 5;

fs::path step_times_file(const Course &course, const std::string &device);

/// A hash of what a step's kernels are compiled from: its file, and what that includes of the chapter and of `common`,
/// without comments and the layout of lines. A step without a file of its name: of all steps' files.
std::string text_of_step(const Course &course, const Chapter &chapter, const std::string &step);

/// The same of a device's description.
std::string text_of_device(const Course &course, const std::string &device);

/// What a chapter's program says of itself: `--list --json`, "n" and "entries" among it.
/// \throws Failure (failed) where it does not
nlohmann::ordered_json list_of(const Build &build, const Chapter &chapter);

/// Of a step in list_of(), the threads of a block at which it is timed.
int timed_block(const nlohmann::ordered_json &list, const std::string &step);

/// Whether any step that list_of() has is among what was asked for: demos and traps have no times.
bool asks_for_steps(const nlohmann::ordered_json &list, const TimesArguments &chosen);

/// Of the steps that were asked for.
struct RecordedTimes {
  std::string text; ///< for people, a line for each: its time, or what is not as it was recorded
  bool whole; ///< whether all is as it was recorded
};

RecordedTimes recorded_times(const Course &course,
                             const Build &build,
                             const Chapter &chapter,
                             const std::string &device,
                             const TimesArguments &chosen);

/// Records every chapter's at the size of a GPU. \throws Failure (environment) where there is no clang
void record_step_times(const Course &course, const std::string &device);

/// Prints what is not as it was recorded, and returns `failed` where something is.
/// \param predict  also whether a small chapter's times come out as they did: needs clang
Exit check_step_times(const Course &course, const std::string &device, bool predict);

} // namespace tutor::commands
