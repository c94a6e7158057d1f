#pragma once

#include "exercises/check.hpp"

#include <filesystem>
#include <map>
#include <string>

/// \file
/// The building half of a check: a learner's file becomes a program that holds its checker.

namespace tutor {

/// A folder that is removed with all that is in it.
class WorkFolder {
public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder &) = delete;
  WorkFolder &operator=(const WorkFolder &) = delete;
  const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

/// What CMake left in a build folder for checks: exercises/tools.txt.
class CheckTools {
public:
  /// \throws Failure (failed) when nothing was prepared there
  CheckTools(const std::filesystem::path &root, Backend backend);

  const std::filesystem::path &folder() const { return folder_; }
  /// The words of a line: a command's beginning, or files.
  const Command &get(const std::string &key) const;
  bool has(const std::string &key) const { return words_.contains(key); }
  /// The checker's object of an exercise.
  std::filesystem::path checker_object(const Exercise &exercise) const;
  /// The object of a checker that is not the course's: compiled on its first use, kept by its content.
  std::filesystem::path extra_object(const std::filesystem::path &source) const;

private:
  std::filesystem::path folder_; ///< build/cpu/exercises
  std::map<std::string, Command> words_;
};

/// Compiles and links `source_text`.
/// \param[out] result  gets verdict, diagnosis, message, where and log when that fails
/// \return the program in `work`, or an empty path when it failed
std::filesystem::path build_program(const CheckTools &tools,
                                    const Exercise &exercise,
                                    const std::string &source_text,
                                    const std::filesystem::path &work,
                                    const CheckOptions &options,
                                    Result &result);

} // namespace tutor
