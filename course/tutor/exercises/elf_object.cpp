#include "exercises/elf_object.hpp"

#include "base/files.hpp"

#include <algorithm>
#include <cstdlib>
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

std::vector<std::string> names_defined_by(const fs::path &file) {
  const std::string bytes = read_file(file);
  std::vector<std::string> names;
  if (bytes.starts_with("!<arch>\n/ ")) {
    // The first member of a library is the list of its names (ar(5), System V): their number in four bytes,
    // the highest first, as many offsets, then the names.
    constexpr std::size_t header = 60, size_field = 48, begin = 8 + header;
    if (bytes.size() < begin + 4) {
      return names;
    }
    const std::size_t end = std::min<std::size_t>(
        begin + std::strtoull(bytes.substr(8 + size_field, 10).c_str(), nullptr, 10), bytes.size());
    std::size_t count = 0;
    for (std::size_t i = begin; i < begin + 4; ++i) {
      count = count << 8 | static_cast<unsigned char>(bytes[i]);
    }
    for (std::size_t at = begin + 4 + 4 * count; at < end;) {
      names.emplace_back(bytes.c_str() + at);
      at += names.back().size() + 1;
    }
  } else if (const std::optional<ElfObject> object = read_elf_object(bytes)) {
    for (const ElfSymbol &symbol : object->symbols) {
      if (symbol.defined && !symbol.local) {
        names.push_back(symbol.name);
      }
    }
  }
  return names;
}

} // namespace tutor
