#pragma once

#include "base/build.hpp"
#include "base/course.hpp"
#include "base/failure.hpp"

#include <optional>
#include <string>
#include <vector>

/// \file
/// One function per command of the tutor; each file in commands/ holds one of them.

namespace tutor::commands {

inline constexpr const char *usual_device = "h200"; ///< that times are for where nobody names one

/// What the commands about chapters are told. A command looks at what concerns it.
struct ChapterRequest {
  std::string chapter; ///< 05, reduction or 05_reduction
  std::vector<std::string> words; ///< steps, or chapters, none of which means all; or what to run
  std::vector<std::string> arguments; ///< for its program
  std::optional<std::string> backend;
  std::string
      device; ///< that a model predicts times for (docs/time_model.md); or empty: the usual one
  std::string times; ///< a file for these as JSON, and then nothing else is done; or empty
  std::string out; ///< the file to write
  std::vector<std::string> recordings; ///< two to compare, the older one first
  std::string results; ///< what names of recorded files begin with
  bool check = false, record = false;
  bool legend = false; ///< what the table's columns mean, again
  bool steps = false; ///< of predictions: those of steps as they stand, for machines without clang

  std::string device_or_usual() const { return device.empty() ? usual_device : device; }
};

/// `run FILE.cu… [-- ARGS]`: builds a program of the user's own for the emulator and runs it. `run CHAPTER [--on DEVICE] [--times FILE] [-- ARGS]`: builds a chapter's program and runs it; without a
/// GPU it also says what its steps would take on the device, or how to learn that where the time model is not built.
Exit run(const Course &course, const ChapterRequest &request);

/// What the steps of a chapter would take, to the file that was asked for or, without one, printed. Of its
/// program's arguments --n, --only, --block, --seed and --l2 count.
/// \throws Failure (usage) for other arguments
Exit predict_times(const Course &course, const Chapter &chapter, const ChapterRequest &request);

/// `steps CHAPTER [A B]`: a chapter's steps, or the difference between two of them.
Exit steps(const Course &course, const ChapterRequest &request);
/// `export CHAPTER STEP [-o FILE]`: a step as one file that nvcc compiles alone, printed or written.
Exit export_step(const Course &course, const ChapterRequest &request);

/// What `test` is asked for.
struct TestRequest {
  std::vector<std::string> names; ///< none: all
  bool changed = false; ///< what has not changed since it passed is listed, and not run
  bool all = false; ///< all seeds and orders, of which a run takes a few
  std::vector<std::string> ctest; ///< more arguments of ctest
};
/// `test [NAMES] [--changed] [-- ARGS]`: builds what is needed and runs the tests, and leaves receipts of what has
/// passed for `--changed`. `test --all`: with all seeds and orders, and records that in docs/results/tests.json.
/// \throws Failure (usage) with the nearest names for a name that no test has
Exit test(const Course &course, const TestRequest &asked);

/// `doctor`: what this machine has and lacks.
Exit doctor(const Course &course, const ChapterRequest &request);

/// `docs`: builds the site.
Exit docs(const Course &course, const ChapterRequest &request);

/// `author lessons [CHAPTER…] [--check] [--record]`: regenerates the code and figures in the lessons, or checks
/// that they are fresh; `record` runs the chapters' programs anew for the outputs that lessons show, those
/// that vary only where their chapter is named.
Exit lessons(const Course &course, const ChapterRequest &request);

/// `predictions [--record] [--check] [--steps]`: how far the time model is off of what was measured on a device. With
/// `record` it predicts all of that again; `check` fails where a small part of it comes out otherwise today. With `steps`
/// that is about the times that are shown where there is no clang (step_times.hpp).
Exit predictions(const Course &course, const ChapterRequest &request);

/// `calibrate OUT --like DEVICE --from PREFIX`: writes a device of the time model, from what chapters 02, 05
/// and 11 measured on it (PREFIX_02_memory_hierarchy.json …); what they cannot measure is as in DEVICE.
Exit calibrate(const Course &course, const ChapterRequest &request);

/// `bench [CHAPTER…] --out FILE`: measures chapters on the GPU and writes their results to one
/// file.
Exit bench(const Course &course, const ChapterRequest &request);

} // namespace tutor::commands
