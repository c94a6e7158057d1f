/// \file
/// From addresses in the program to lines of its source.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <observation/observe.hpp>

namespace emu {

struct LinesOfCode {
  SourceLine inner, outer;
};

/// Asks the debug information once for many addresses, and remembers.
class Symbols {
public:
  /// Looks up return addresses, given from the start of the program. For inlined code the innermost
  /// line that is not the emulator's own counts: the line where the user wrote atomicAdd. Nor does
  /// the line of a structure count, but the one where it was copied.
  void look_up(const std::vector<uint32_t> &addresses);
  SourceLine line(uint32_t address) const;
  /// The line of the outermost function that the compiler has put this code into; often the same.
  const SourceLine &outer_line(uint32_t address) const;

private:
  std::unordered_map<uint32_t, LinesOfCode> known_;
};

/// Those of this program: what was looked up once need not be again.
Symbols &symbols();

/// A variable of the program's, of the host.
struct ProgramVariable {
  std::string name; ///< as its own scope calls it; empty: there is none
  bool made_by_the_first =
      false; ///< it is initialised by whoever comes first, once for all threads
};
/// The one that holds this address.
ProgramVariable variable_at(const void *address);

/// Whether a file is the emulator's, or nobody's: no place that a message should name.
bool is_emulators_own(const std::string &file);

/// The text of a source line without its indentation; empty if the file cannot be read.
std::string source_text(const SourceLine &where);

} // namespace emu
