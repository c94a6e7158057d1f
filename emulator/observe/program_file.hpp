/// \file
/// The file that the running program was loaded from, for whoever reads its symbols.
#pragma once

#include <cstdint>
#include <libelf.h>
#include <string>

#include <observation/program_file.hpp>

namespace emu {

/// libelf's view of it; null where it could not be opened. open_program_file() has it opened earlier.
Elf *program_elf();

/// What stands in a source of the program's; empty where it can be read no more. Of a program that opens no files any more
/// it is the source that open_program_file() has opened.
std::string text_of_source(const std::string &path);

/// How far its addresses in memory lie behind those in the file: 0 unless it is position-independent.
uint64_t program_load_address();

} // namespace emu
