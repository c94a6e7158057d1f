#pragma once

#include "base/paths.hpp"

#include <string>
#include <vector>

/// \file
/// Building a program of the user's own for the emulator, by emu-nvcc.

namespace tutor {

/// Whether a word is the name of a source of such a program.
bool names_source(std::string_view word);

/// Whether a command is about such a program: `observe FILE.cu…`.
bool is_own(const std::vector<std::string> &words);
/// What it is about otherwise. \throws Failure (usage) where there is more than one word
const std::string &only_word(const std::vector<std::string> &words);

/// CUDA files from anywhere on the disk, with what else nvcc is told of them, and the folder where they are built.
class OwnProgram {
public:
  /// \param words     sources and nvcc's options
  /// \param build     the folder of the cpu preset
  /// \param observed  for the instruments
  /// \throws Failure (usage) when there is no such file
  OwnProgram(std::vector<std::string> words, const fs::path &build, bool observed);

  /// What has to be built of the course for it.
  static const std::vector<std::string> &targets();

  /// Builds the program, where anything has changed since the last time.
  /// \throws Failure after printing what the compiler says: usage for options that it has not, else failed
  void make() const;

  fs::path program() const { return folder_ / name_; }

private:
  [[noreturn]] void explain(const std::vector<std::string> &lines) const;

  std::vector<std::string> words_;
  std::vector<fs::path> sources_;
  fs::path build_, folder_;
  std::string name_; ///< of the program: that of its first source, without the ending
  bool observed_;
};

/// What a user needs of a compiler's complaints: the errors, each with the line it is about, the
/// first few of them; no commands, no warnings.
std::string trimmed_diagnostics(const std::vector<std::string> &lines);

} // namespace tutor
