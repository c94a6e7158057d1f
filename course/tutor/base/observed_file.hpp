#pragma once

#include "base/paths.hpp"

#include <string>
#include <vector>

/// \file
/// Building a CUDA file of the user's own under the emulator's instruments.

namespace tutor {

/// One CUDA file from anywhere on the disk, and the folder where it is built.
class ObservedFile {
public:
  /// \param source        the user's file
  /// \param observe_folder  build/cpu/observe, which holds rules.ninja
  /// \param include_dirs  folders to look for included files in, beside the file's own
  /// \throws Failure (usage) when there is no such file
  ObservedFile(const fs::path &source,
               const fs::path &observe_folder,
               std::vector<fs::path> include_dirs = {});

  /// Builds the program, where anything has changed since the last time.
  /// \throws Failure (failed) after printing what the compiler says about the user's file
  void build() const;

  fs::path program() const { return folder_ / name_; }

private:
  void write_rules() const;

  fs::path source_;
  fs::path folder_;
  std::string name_; ///< of the program: the file's, without the ending
  std::vector<fs::path> include_dirs_;
};

/// What a user needs of a compiler's complaints: the errors, each with the line it is about, the
/// first few of them; no commands, no warnings.
std::string trimmed_diagnostics(const std::vector<std::string> &lines);

} // namespace tutor
