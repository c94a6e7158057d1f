/// \file
/// The file that the running program was loaded from, for whoever reads its symbols.
#pragma once

#include <cstdint>
#include <libelf.h>

#include <observation/program_file.hpp>

namespace emu {

/// libelf's view of it; null where it could not be opened. open_program_file() has it opened earlier.
Elf *program_elf();

/// How far its addresses in memory lie behind those in the file: 0 unless it is position-independent.
uint64_t program_load_address();

} // namespace emu
