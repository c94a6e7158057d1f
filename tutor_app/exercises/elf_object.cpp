#include "exercises/elf_object.hpp"

#include <cstring>
#include <elf.h>
#include <stdexcept>

namespace tutor {
namespace {

struct Damaged : std::runtime_error {
  Damaged() : std::runtime_error("damaged") {}
};

class File {
public:
  explicit File(const std::string &bytes) : bytes_(bytes) {
    header_ = read<Elf64_Ehdr>(0);
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
        header_.e_ident[EI_CLASS] != ELFCLASS64) {
      throw Damaged();
    }
    // Where the numbers are too large for the header, section 0 has them (System V ABI).
    const auto first = read<Elf64_Shdr>(header_.e_shoff);
    const std::uint64_t count = header_.e_shnum != 0 ? header_.e_shnum : first.sh_size;
    if (count > bytes.size() / sizeof(Elf64_Shdr)) {
      throw Damaged();
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      sections_.push_back(read<Elf64_Shdr>(header_.e_shoff + i * sizeof(Elf64_Shdr)));
    }
    names_ = header_.e_shstrndx != SHN_XINDEX ? header_.e_shstrndx : first.sh_link;
  }

  ElfObject names() const {
    ElfObject object;
    bool any_table = false;
    for (const Elf64_Shdr &section : sections_) {
      object.sections.push_back(text(at(names_), section.sh_name));
      if (section.sh_type == SHT_SYMTAB) {
        any_table = true;
        add_symbols(object, section);
      }
    }
    if (!any_table) {
      throw Damaged();
    }
    return object;
  }

private:
  void add_symbols(ElfObject &object, const Elf64_Shdr &table) const {
    const Elf64_Shdr &names = at(table.sh_link);
    for (std::uint64_t i = 1; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto symbol = read<Elf64_Sym>(table.sh_offset + i * sizeof(Elf64_Sym));
      const unsigned char type = ELF64_ST_TYPE(symbol.st_info);
      const unsigned char binding = ELF64_ST_BIND(symbol.st_info);
      ElfSymbol one;
      one.name = text(names, symbol.st_name);
      one.defined = symbol.st_shndx != SHN_UNDEF;
      one.local = binding == STB_LOCAL;
      one.weak = binding == STB_WEAK || binding == STB_GNU_UNIQUE;
      one.function = type == STT_FUNC || type == STT_GNU_IFUNC;
      one.indirect = type == STT_GNU_IFUNC;
      object.symbols.push_back(std::move(one));
    }
  }

  const Elf64_Shdr &at(std::uint64_t section) const {
    if (section >= sections_.size()) {
      throw Damaged();
    }
    return sections_[section];
  }

  template <class T> T read(std::uint64_t offset) const {
    T value;
    if (offset > bytes_.size() || sizeof value > bytes_.size() - offset) {
      throw Damaged();
    }
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  std::string text(const Elf64_Shdr &table, std::uint64_t offset) const {
    if (offset >= table.sh_size || table.sh_offset > bytes_.size() ||
        table.sh_size > bytes_.size() - table.sh_offset) {
      throw Damaged();
    }
    const char *first = bytes_.data() + table.sh_offset + offset;
    return std::string(first, strnlen(first, table.sh_size - offset));
  }

  const std::string &bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
  std::uint64_t names_ = 0;
};

} // namespace

std::optional<ElfObject> read_elf_object(const std::string &bytes) {
  try {
    return File(bytes).names();
  } catch (const Damaged &) {
    return std::nullopt;
  }
}

} // namespace tutor
