#pragma once

#include "base/course.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"
#include "predict.hpp"
#include "steps.hpp"
#include "times/kernels_ptx.hpp"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Times of kernels on a GPU that is not there: what the tutor does with the emulator's time model.

namespace tutor {

/// One program whose launches are followed.
class TimeModel {
public:
  /// \param device  the name of a file in emulator/devices, or a file of one's own: FILE.json
  /// \param work    folder for what is made: PTX and traces
  /// \throws Failure (usage) naming the devices there are
  TimeModel(const Course &course, const fs::path &build, const std::string &device, fs::path work);
  ~TimeModel();
  TimeModel(const TimeModel &) = delete;
  TimeModel &operator=(const TimeModel &) = delete;

  /// Has clang turn these sources into PTX; those that are fresh stay. Without clang, or where a source
  /// does not compile, their kernels are refused.
  void compile(const std::vector<fs::path> &sources, const std::vector<fs::path> &include_dirs);

  /// The same for all kernels of a chapter.
  void compile_chapter(const Chapter &chapter);
  /// The same for a chapter's steps and all that its program launches, but traps, demos and rivals.
  void compile_steps(const Chapter &chapter);

  /// Runs a chapter's program whose kernels are followed and not run. Returns what it said.
  /// \param devices  that it has; 0: as many as it asks for
  Captured
  follow(const fs::path &program, const std::vector<std::string> &arguments, int devices = 0);

  /// What a program's environment needs for its launches to be followed.
  /// \param dry  its kernels are followed and not run
  std::vector<std::string> environment(bool dry) const;

  /// For people: a line for each part of the program (step of a ladder).
  std::string steps_text(bool cold_l2) const;
  /// For programs: {"device", "size", "steps": [{"name", "ms", "low", "high", "binds", "term", "terms"}]}, times
  /// in milliseconds; "term" names the one of "terms" that binds; {"name", "refused"} where there is no
  /// time. \throws Failure (environment) where nothing can be predicted
  nlohmann::ordered_json steps_json(bool cold_l2) const;
  /// The same of each kernel, as events around it alone see it: [{"name", "ms", …}].
  nlohmann::ordered_json kernels_json() const;
  /// For people: a few lines for each kernel.
  std::string kernels_text() const;
  /// Adds "predicted" to each kernel of a report that `observe --json` writes.
  void add_predictions(nlohmann::ordered_json &report) const;

  const std::string &device_name() const { return device_.name; }

private:
  struct StepTime {
    std::string name;
    model::Prediction prediction;
  };
  struct KernelTime {
    model::Prediction prediction;
    model::Advice advice;
  };

  void compile_of(const Chapter &chapter, const std::vector<fs::path> &sources);
  fs::path trace() const;
  const model::ProgramTrace &followed() const;
  const std::vector<model::LaunchTrace> &launches() const { return followed().launches; }
  /// Of each part of the program, in the order in which they first launched something.
  const std::vector<StepTime> &step_times(bool cold_l2) const;
  const std::vector<KernelTime> &kernel_times() const; ///< one for each launch

  fs::path build_, work_, device_file_;
  std::vector<fs::path> include_folders_; ///< of the course's own files
  std::vector<fs::path> headers_; ///< folders, see compile_to_ptx()
  model::Device device_;
  std::string ptx_; ///< of the program's sources: files, with a colon between them
  std::string trouble_; ///< why there is no PTX
  std::string size_; ///< of the last run, as the program says it
  // Of the last run; made when they are asked for.
  mutable std::optional<model::ProgramTrace> followed_;
  mutable std::map<bool, std::vector<StepTime>> of_steps_; ///< by whether the L2 is cold
  mutable std::optional<std::vector<KernelTime>> of_kernels_;
};

} // namespace tutor
