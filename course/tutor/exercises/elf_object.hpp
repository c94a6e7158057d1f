#pragma once

#include "base/paths.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// The names in an object file.

namespace tutor {

struct ElfSymbol {
  std::string name;
  bool defined = false, local = false, weak = false;
  bool function = false;
  bool indirect = false; ///< which function it is, is found out while the program is loaded
  std::string file; ///< in which its section's first line stands; empty where no lines are told
};

struct ElfObject {
  std::vector<std::string> sections;
  std::vector<ElfSymbol> symbols;
};

/// Reads a 64-bit object file. However many sections it has (the count moves elsewhere from 65,280 on).
/// \return nothing when it is damaged, or has no table of symbols
std::optional<ElfObject> read_elf_object(const std::string &bytes);

/// A name that code comes to.
struct ElfUse {
  std::string name, by; ///< by the function that says it
  bool defined = false; ///< in this file, and weak: another file's may stand in for it
};
/// The names that functions need which begin like `roots`, and all that these come to in their turn, by calls, addresses
/// and tables: what the file does not define, and weak functions.
/// \return nothing when the file is damaged
std::optional<std::vector<ElfUse>> names_reached(const std::string &bytes, std::string_view roots);

/// The names that an object file or a static library defines for others; of anything else, none.
std::vector<std::string> names_defined_by(const fs::path &file);

} // namespace tutor
