/// \file
/// A command line of nvcc's, understood.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace emu_nvcc {

using Words = std::vector<std::string>;

/// What is wrong with the command, in one line.
struct WrongUsage : std::runtime_error {
  using runtime_error::runtime_error;
};

/// How far an input is taken.
enum class Goal { program, object, device_link, archive, preprocessed, dependencies };

enum class Language { cuda, cpp, c, linked };

struct Input {
  std::string file;
  Language language;
};

struct CommandLine {
  Goal goal = Goal::program;
  std::vector<Input> inputs;
  std::string output; // empty: as nvcc calls it
  std::string folder; // for what has no name of its own
  std::string compiler; // that -ccbin names
  std::string
      ninja; // folder in which Ninja makes the program, and makes again what has changed only
  Words compiling; // options of the host's compiler, for all that is compiled
  Words of_kernels; // options of the rewriter's, for CUDA alone
  Words linking;
  Words dependencies; // -MD, -MF FILE and their kin
  bool verbose = false, dry = false, wants_version = false, wants_help = false;

  /// The object of an input, or the list of what it includes: its name with another ending.
  std::string named_after(const Input &input, std::string_view ending) const;
};

/// \param words  all but the program's name; @FILE and --options-file FILE stand for the words in it
/// \throws WrongUsage for an option that nvcc has not, or that nothing on a CPU can do
CommandLine read_command_line(const Words &words);

} // namespace emu_nvcc
