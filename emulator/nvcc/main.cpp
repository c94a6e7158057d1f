/// \file
/// emu-nvcc: stands in for nvcc where there is no GPU, in a Makefile or as CMake's CMAKE_CUDA_COMPILER. What it builds
/// runs on the emulator; with EMU_OBSERVED=1 in the environment it is built for the instruments, too.
///
/// Exit: 0 done, 1 a source or a file is at fault, 2 wrong usage.

#include "driver.hpp"

#include <cstdio>

int main(int argc, char **argv) {
  using namespace emu_nvcc;
  try {
    const CommandLine line = read_command_line({argv + 1, argv + argc});
    if (line.wants_version) { // in the words that CMake and others look for
      std::puts(
          "nvcc: NVIDIA (R) Cuda compiler driver, for which emu-nvcc stands in: no GPU needed\n"
          "Cuda compilation tools, release 13.0, V13.0.88");
      return 0;
    }
    if (line.wants_help) {
      std::puts(
          "usage: emu-nvcc [nvcc's options] FILE...\n"
          "Builds CUDA programs that run on the CPU emulator; EMU_OBSERVED=1 builds them for its "
          "instruments.");
      return 0;
    }
    const Toolkit toolkit(std::filesystem::canonical("/proc/self/exe").parent_path().parent_path());
    if (line.verbose || line.dry)
      print_folders(toolkit);
    return drive(toolkit, line);
  } catch (const WrongUsage &error) {
    std::fprintf(stderr, "emu-nvcc: %s\n", error.what());
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "emu-nvcc: %s\n", error.what());
    return 1;
  }
}
