#pragma once

#include "base/paths.hpp"
#include "base/process.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// What this machine has and lacks, and how to bring what it lacks.

namespace tutor {

/// Something the course uses: a program, or a header when `name` ends in ".h" or ".hpp".
struct Need {
  std::string name;
  std::string purpose; ///< what the course does with it
  std::string package; ///< Debian's name for what brings it; empty: `advice` says how
  std::string advice; ///< for things apt-get does not bring
  bool required; ///< without it the emulator cannot run the chapters
};

/// Whether it is a header, which only the compiler finds.
bool is_header(const Need &need);

/// Everything the course uses, in the order doctor prints it.
const std::vector<Need> &needs();

/// The path of a program on PATH, or nothing.
std::optional<fs::path> find_program(std::string_view name);

/// nvcc, where the gpu preset finds it too: on PATH, in $CUDA_PATH/bin or in /usr/local/cuda/bin.
std::optional<fs::path> find_nvcc();

/// The first GPU's name as nvidia-smi gives it, or nothing where no GPU can be used.
std::optional<std::string> find_gpu();

/// True when the machine has it.
bool has(const Need &need);

/// The command that brings Debian packages, as a user types it.
std::string install_command(const std::vector<std::string> &packages);

/// Sees to it that a program is there, installing its package where we may.
/// \throws Failure (environment) with the command to type where we may not
void require_program(std::string_view name, std::string_view package);

} // namespace tutor
