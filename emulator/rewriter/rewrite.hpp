/// \file
/// Turns CUDA C++ into C++ that an ordinary compiler takes: launches, kernels, `__shared__` variables and
/// other words of CUDA. Everything else of CUDA is headers and libraries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lexer.hpp"

namespace rewriter {

struct Options {
  bool observed = false; // for a program under the instruments
  bool relaxed_constexpr = false; // device code may call the host's constexpr functions
  // The file is a stranger's: assembler that is not PTX is refused, not taken for the host's own affair, and so is what
  // reads and writes behind the instruments' backs.
  bool guarded = false;
};

struct Refusal {
  std::string file;
  int line;
  std::string what;
};

/// A function for the device: what its lines may not do, the compiler says.
struct DeviceFunction {
  std::string file;
  int first, last; // lines
  std::string name; // __global__ function("k")
};

struct Result {
  std::string text;
  std::vector<Refusal> refusals; // what nvcc refuses, too
  std::vector<Refusal> warnings; // of what the emulator does not have
  std::vector<DeviceFunction> device_functions;
  bool has_wide_types = true; // of 16 bytes or more, and aligned so; false: none is named
};

/// What the attributes that the rewriter adds make the compiler say of uses in device code.
inline constexpr std::string_view host_function_mark = "emu:host-function";
inline constexpr std::string_view host_variable_mark = "emu:host-variable";

/// \param text  the output of `-E`, in which CUDA's keywords still stand
/// \return  the same for the compiler that comes next; its line markers keep all messages right
/// \throws SourceError with the line and what is wrong
Result rewrite(std::string_view text, const Options &options = {});

} // namespace rewriter
