#pragma once

#include "base/paths.hpp"

#include <optional>
#include <string>
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

/// The names that an object file or a static library defines for others; of anything else, none.
std::vector<std::string> names_defined_by(const fs::path &file);

} // namespace tutor
