#pragma once

#include "base/paths.hpp"
#include "exercises/check.hpp"

#include <map>
#include <string>
#include <vector>

/// \file
/// The building half of a check: a learner's file becomes a program that holds its checker.

namespace tutor {

/// A checker as it is linked: docs/grading_design.md. On a GPU there is one process, and neither judge
/// nor calls.
struct BuiltChecker {
  std::vector<fs::path> objects; ///< of the checker itself
  std::vector<fs::path> calls; ///< for the learner's program
  fs::path judge; ///< a program
};

/// What CMake left in a build folder for checks: exercises/tools.txt.
class CheckTools {
public:
  /// \throws Failure (failed) when nothing was prepared there
  CheckTools(const fs::path &root, Backend backend);

  const fs::path &folder() const { return folder_; }
  /// The words of a line: a command's beginning, or files.
  const Command &get(const std::string &key) const;
  bool has(const std::string &key) const { return words_.contains(key); }
  /// What was built of an exercise's checker.
  BuiltChecker checker(const Exercise &exercise) const;
  /// A checker that is not the course's: compiled anew by each process that needs it, for nobody tells what its
  /// author has edited since.
  BuiltChecker extra_checker(const fs::path &extra) const;

private:
  fs::path folder_; ///< build/cpu/exercises
  std::map<std::string, Command> words_;
};

/// Compiles `source_text`, and links it with each of some checkers.
/// \param[out] result  gets verdict, diagnosis, message, where and log when that fails
/// \return a program in `work` for each checker, or nothing when it failed
std::vector<fs::path> build_programs(const CheckTools &tools,
                                     const Exercise &exercise,
                                     const std::vector<BuiltChecker> &checkers,
                                     const std::string &source_text,
                                     const fs::path &work,
                                     const CheckOptions &options,
                                     Result &result);

} // namespace tutor
