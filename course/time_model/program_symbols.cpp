#include "program_symbols.hpp"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <vector>

namespace model {
namespace {

uint64_t load_address() {
  uint64_t base = 0;
  const auto first_is_the_program = [](dl_phdr_info *info, size_t, void *result) {
    *static_cast<uint64_t *>(result) = info->dlpi_addr;
    return 1;
  };
  dl_iterate_phdr(first_is_the_program, &base);
  return base;
}

} // namespace

ProgramSymbols::ProgramSymbols() {
  std::ifstream stream("/proc/self/exe", std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(stream), {}};
  Elf64_Ehdr head;
  if (file.size() < sizeof head)
    return;
  std::memcpy(&head, file.data(), sizeof head);
  const uint64_t base = load_address();
  const auto section = [&](size_t index) {
    Elf64_Shdr s;
    std::memcpy(&s, &file[head.e_shoff + index * sizeof s], sizeof s);
    return s;
  };
  for (size_t index = 0; index < head.e_shnum; ++index) {
    const Elf64_Shdr table = section(index);
    if (table.sh_type != SHT_SYMTAB)
      continue;
    const Elf64_Shdr names = section(table.sh_link);
    for (uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, &file[table.sh_offset + at], sizeof symbol);
      const int type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_value == 0 || (type != STT_FUNC && type != STT_OBJECT))
        continue;
      const std::string name = &file[names.sh_offset + symbol.st_name];
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
