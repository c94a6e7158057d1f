#include "program_symbols.hpp"

#include <gelf.h>

#include <emulator/observe/program_file.hpp>

namespace model {

ProgramSymbols::ProgramSymbols() {
  Elf *const file = emu::program_elf();
  const uint64_t base = emu::program_load_address();
  for (Elf_Scn *section = nullptr; (section = elf_nextscn(file, section));) {
    GElf_Shdr table;
    if (!gelf_getshdr(section, &table) || table.sh_type != SHT_SYMTAB)
      continue;
    Elf_Data *const data = elf_getdata(section, nullptr);
    GElf_Sym symbol;
    for (int index = 0; gelf_getsym(data, index, &symbol); ++index) {
      const int type = GELF_ST_TYPE(symbol.st_info);
      if (symbol.st_value == 0 || (type != STT_FUNC && type != STT_OBJECT))
        continue;
      const std::string name = elf_strptr(file, table.sh_link, symbol.st_name);
      const uint64_t address = base + symbol.st_value;
      if (type == STT_FUNC) {
        functions_.emplace(address, name);
      } else {
        addresses_.emplace(name, address);
        data_.emplace(address, address + symbol.st_size);
      }
    }
  }
}

std::string ProgramSymbols::name_of(const void *function) const {
  const auto found = functions_.find(reinterpret_cast<uint64_t>(function));
  return found == functions_.end() ? "" : found->second;
}

uint64_t ProgramSymbols::address_of(const std::string &name) const {
  const auto found = addresses_.find(name);
  return found == addresses_.end() ? 0 : found->second;
}

std::pair<uint64_t, uint64_t> ProgramSymbols::data_at(uint64_t address) const {
  auto found = data_.upper_bound(address);
  if (found == data_.begin())
    return {};
  --found;
  return address < found->second ? std::pair{found->first, found->second}
                                 : std::pair<uint64_t, uint64_t>{};
}

} // namespace model
