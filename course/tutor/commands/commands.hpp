#pragma once

#include "base/build.hpp"
#include "base/course.hpp"
#include "base/failure.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// \file
/// One function per command of the tutor; each file in commands/ holds one of them.

namespace tutor::commands {

/// Times that a model predicts (docs/time_model.md).
struct TimesRequest {
  std::string device; ///< or empty: an H200
  std::string file; ///< for the times as JSON, and then nothing else is done; or empty

  bool operator==(const TimesRequest &) const = default;
};

/// `run CHAPTER [--on DEVICE] [--times FILE] [-- ARGS]`: builds a chapter's program and runs it; without a
/// GPU it also says what its steps would take on the device, or how to learn that where the time model is not built.
Exit run(const Course &course,
         const std::string &chapter,
         Backend backend,
         const TimesRequest &times,
         const std::vector<std::string> &arguments);

/// What the steps of a chapter would take, to the file that was asked for or, without one, printed.
/// \param arguments  of its program: --n, --only, --block, --seed and --l2
/// \throws Failure (usage) for other arguments
Exit predict_times(const Course &course,
                   const Chapter &chapter,
                   const TimesRequest &asked,
                   const std::vector<std::string> &arguments);

/// `steps CHAPTER [A B]`: a chapter's steps, or the difference between two of them.
Exit steps(const Course &course, const std::string &chapter, const std::vector<std::string> &two);
/// `export CHAPTER STEP [-o FILE]`: a step as one file that nvcc compiles alone, printed or written.
Exit export_step(const Course &course,
                 const std::string &chapter,
                 const std::string &step,
                 const std::string &target);

/// What `test` is asked for.
struct TestRequest {
  std::vector<std::string> names; ///< none: all
  bool changed = false; ///< what has not changed since it passed is listed, and not run
  std::vector<std::string> ctest; ///< more arguments of ctest
};
/// `test [NAMES] [--changed] [-- ARGS]`: builds what is needed and runs the tests.
/// \throws Failure (usage) with the nearest names for a name that no test has
Exit test(const Course &course, const TestRequest &asked);

/// `doctor`: what this machine has and lacks.
Exit doctor();

/// `docs`: builds the site.
Exit docs(const Course &course);

/// `lessons [CHAPTER…] [--check] [--record]`: regenerates the code and figures in the lessons, or checks
/// that they are fresh; `record` runs the chapters' programs anew for the outputs that lessons show, those
/// that vary only where their chapter is named.
Exit lessons(const Course &course,
             const std::vector<std::string> &chapters,
             bool check,
             bool record);

/// `predictions [--record] [--check]`: how far the time model is off of what was measured on a device. With
/// `anew` it predicts all of that again; `check` fails where a small part of it comes out otherwise today.
Exit predictions(const Course &course, const std::string &device, bool anew, bool check);

/// `calibrate OUT --like DEVICE --from PREFIX`: writes a device of the time model, from what chapters 02, 05
/// and 11 measured on it (PREFIX_02_memory_hierarchy.json …); what they cannot measure is as in DEVICE.
Exit calibrate(const Course &course,
               const std::string &like,
               const std::string &results,
               const std::filesystem::path &out);

/// `bench [CHAPTER…] --out FILE`: measures chapters on the GPU and writes their results to one
/// file.
Exit bench(const Course &course,
           const std::vector<std::string> &chapters,
           const std::filesystem::path &out);

/// `bench --compare OLD.json NEW.json`: a line for each step of two recordings, with both times, the new by the old,
/// and whether the change is larger than what the runs of either spread.
/// \throws Failure (usage) for what is no recording, and for other chapters, devices or sizes
Exit compare_recordings(const std::filesystem::path &old_file,
                        const std::filesystem::path &new_file);

} // namespace tutor::commands
