/// \file
/// What emu-nvcc does: the compilers that it starts, one after the other.
#pragma once

#include "command_line.hpp"

#include <filesystem>

namespace emu_nvcc {

/// The folder that stands in for CUDA's toolkit: bin, include, lib64, and nvcc.profile, which says how sources are
/// compiled for the emulator. The build tree has such a profile, too, so that nothing has to be installed for its own use.
class Toolkit {
public:
  /// \throws WrongUsage if the folder is not whole
  explicit Toolkit(std::filesystem::path root);

  const std::filesystem::path &root() const { return root_; }
  std::string compiler; // of the host
  std::string rewriter;
  Words include; // folders
  Words kernels; // options for CUDA sources
  Words observed; // and for those that are built for the instruments
  Words link;

private:
  std::filesystem::path root_;
};

/// \return the exit status: 0 done, else that of the compiler that failed
int drive(const Toolkit &toolkit, const CommandLine &line);

/// What CMake reads of `nvcc -v` before it compiles anything.
void print_folders(const Toolkit &toolkit);

} // namespace emu_nvcc
