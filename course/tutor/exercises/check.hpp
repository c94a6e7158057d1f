#pragma once

#include "base/build.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"
#include "exercises/exercise.hpp"
#include "exercises/limits.hpp"
#include "exercises/result.hpp"

#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

/// \file
/// From a learner's file to a verdict.

namespace tutor {

/// A command on its way into isolation (bubblewrap, say).
struct IsolatedWork {
  Command command; ///< what would be started without isolation
  fs::path folder; ///< the only place it may write to
  bool runs_learners_code = false; ///< false: it compiles it
};

/// How to check.
struct CheckOptions {
  Backend backend = Backend::cpu;
  std::uint64_t seed = 2026; ///< of the checker's random inputs
  Limits limits; ///< of the program; compiling has limits of its own
  /// A checker besides the exercise's own: its cases count as well. Empty: none.
  fs::path extra_check;
  /// Gives the command that is started instead; none: the command as it is. Descriptors that are
  /// open must stay so, and so must the variables BF_CHANNEL and EMU_…: the verdict needs them.
  std::function<Command(const IsolatedWork &)> isolate;
  /// Refuse files that call what no exercise needs (fork, open, …), before they run. Only tests of
  /// what lies behind that fence switch it off.
  bool screen_calls = true;
  bool picture = false; ///< fill Result::picture_svg, too
  std::stop_token stop; ///< when it is asked to stop, the check ends soon, as not_run
  /// Called as a check goes on: "compiling", "running".
  std::function<void(std::string_view phase)> on_phase;
};

/// What is no place to look at: a line that writes the results, and that the stub has outside of its TODO.
/// \param text  of the learner's file
void leave_out_given_lines(const Exercise &exercise, const std::string &text, Result &result);

/// The CMake target of an exercise's checker and all that it needs.
std::string check_target(const Exercise &exercise);

/// Builds everything that checks of these exercises need and that does not depend on a learner's
/// file. Once before check(); quick when nothing has changed. Shows progress.
/// \throws Failure (failed) when that does not build: the course is broken, not the learner's file
void prepare_checks(const std::vector<Exercise> &exercises, const CheckOptions &options);

/// Judges one file. Prints nothing; may be called from several threads at a time.
///
/// Whatever the learner's file does is a verdict. The file is read once, so that an editor that
/// writes meanwhile does no harm.
/// \throws Failure when the course's own files or this machine are at fault
Result check(const Exercise &exercise, const fs::path &source, const CheckOptions &options);

/// What a file is checked with, once it is built.
struct Inputs {
  std::uint64_t seed; ///< of random inputs and, on the emulator, orders
  std::optional<std::string> numbers =
      {}; ///< instead of those that the file names (own_numbers.hpp)
};

/// The same with all of these, at least one: compiled once, a result for each. Only the first of them counts the compiler
/// among its seconds.
std::vector<Result> check_with(const Exercise &exercise,
                               const fs::path &source,
                               const CheckOptions &options,
                               const std::vector<Inputs> &all);

} // namespace tutor
