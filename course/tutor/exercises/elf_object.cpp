#include "exercises/elf_object.hpp"

#include "base/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

namespace tutor {
namespace {

struct Damaged : std::runtime_error {
  Damaged() : std::runtime_error("damaged") {}
};

/// The lines of code, as the compiler tells them in .debug_line: DWARF 4, section 6.2.
class LineTable {
public:
  /// \param sections  of the addresses that stand at a place of it
  LineTable(std::string_view bytes, const std::map<std::uint64_t, std::uint64_t> &sections)
      : bytes_(bytes), sections_(sections) {}

  void read(std::map<std::uint64_t, std::string> &files) {
    while (at_ < bytes_.size()) {
      read_unit(files);
    }
  }

private:
  template <class T> T get() {
    T value;
    if (sizeof value > bytes_.size() - at_) {
      throw Damaged();
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::uint64_t leb128() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = get<std::uint8_t>();
      value |= shift < 64 ? std::uint64_t{byte & 0x7fu} << shift : 0;
      if (byte < 0x80) {
        return value;
      }
    }
  }
  std::string text() {
    const std::size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) {
      throw Damaged();
    }
    const std::string found(bytes_.substr(at_, end - at_));
    at_ = end + 1;
    return found;
  }

  void read_unit(std::map<std::uint64_t, std::string> &files) {
    const auto length = get<std::uint32_t>();
    const std::size_t end = at_ + length;
    const auto version = get<std::uint16_t>();
    const auto to_program = get<std::uint32_t>();
    const std::size_t program = at_ + to_program;
    if (version < 2 || version > 4 || end > bytes_.size() || program > end) {
      throw Damaged();
    }
    at_ += version == 4 ? 5 : 4; // of instructions, and which of them begin statements
    opcode_base_ = get<std::uint8_t>();
    operands_.assign(1, 0);
    while (operands_.size() < opcode_base_) {
      operands_.push_back(get<std::uint8_t>());
    }
    while (!text().empty()) { // folders
    }
    names_.assign(1, "");
    for (std::string name; !(name = text()).empty();) {
      names_.push_back(name);
      for (int i = 0; i < 3; ++i) { // folder, time, size
        leb128();
      }
    }
    at_ = program;
    while (at_ < end) {
      step(files);
    }
  }

  /// One instruction.
  void step(std::map<std::uint64_t, std::string> &files) {
    constexpr unsigned extended = 0, copy = 1, set_file = 4, fixed_advance = 9;
    constexpr unsigned end_sequence = 1, set_address = 2;
    const auto opcode = get<std::uint8_t>();
    if (opcode >= opcode_base_ || opcode == copy) {
      if (section_ != 0 && file_ < names_.size()) {
        files.try_emplace(section_, names_[file_]);
      }
      section_ = 0;
    } else if (opcode == extended) {
      const std::uint64_t bytes = leb128();
      const std::size_t next = at_ + bytes;
      if (bytes == 0 || next > bytes_.size() || next < at_) {
        throw Damaged();
      }
      const auto which = get<std::uint8_t>();
      const auto found = sections_.find(at_);
      if (which == set_address) {
        section_ = found != sections_.end() ? found->second : 0;
      } else if (which == end_sequence) {
        section_ = 0;
        file_ = 1;
      }
      at_ = next;
    } else if (opcode == set_file) {
      file_ = leb128();
    } else if (opcode == fixed_advance) {
      get<std::uint16_t>();
    } else {
      for (unsigned i = 0; i < operands_[opcode]; ++i) {
        leb128();
      }
    }
  }

  std::string_view bytes_;
  const std::map<std::uint64_t, std::uint64_t> &sections_;
  std::size_t at_ = 0;
  unsigned opcode_base_ = 0;
  std::vector<unsigned> operands_; ///< of each standard instruction
  std::vector<std::string> names_; ///< of files
  std::uint64_t section_ = 0, file_ = 1; ///< 0: its first line is known
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
    const std::map<std::uint64_t, std::string> files = first_files();
    for (const Elf64_Shdr &section : sections_) {
      object.sections.push_back(text(at(names_), section.sh_name));
      if (section.sh_type == SHT_SYMTAB) {
        any_table = true;
        add_symbols(object, section, files);
      }
    }
    if (!any_table) {
      throw Damaged();
    }
    return object;
  }

  std::vector<ElfUse> reached(std::string_view roots) const;

private:
  /// The file of the first line of each section of code.
  std::map<std::uint64_t, std::string> first_files() const {
    std::map<std::uint64_t, std::string> files;
    for (std::uint64_t i = 0; i < sections_.size(); ++i) {
      if (text(at(names_), sections_[i].sh_name) == ".debug_line") {
        LineTable(contents(sections_[i]), sections_of_addresses(i)).read(files);
      }
    }
    return files;
  }

  /// Of what section the address is that has to be filled in at a place of section `filled`.
  std::map<std::uint64_t, std::uint64_t> sections_of_addresses(std::uint64_t filled) const {
    std::map<std::uint64_t, std::uint64_t> found;
    for (const Elf64_Shdr &table : sections_) {
      if (table.sh_type != SHT_RELA || table.sh_info != filled) {
        continue;
      }
      for (std::uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Rela); ++i) {
        const auto one = read<Elf64_Rela>(table.sh_offset + i * sizeof(Elf64_Rela));
        found[one.r_offset] = read<Elf64_Sym>(at(table.sh_link).sh_offset +
                                              ELF64_R_SYM(one.r_info) * sizeof(Elf64_Sym))
                                  .st_shndx;
      }
    }
    return found;
  }

  std::string_view contents(const Elf64_Shdr &section) const {
    if (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset) {
      throw Damaged();
    }
    return std::string_view(bytes_).substr(section.sh_offset, section.sh_size);
  }

  void add_symbols(ElfObject &object,
                   const Elf64_Shdr &table,
                   const std::map<std::uint64_t, std::string> &files) const {
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
      if (const auto file = files.find(symbol.st_shndx); file != files.end() && one.function) {
        one.file = file->second;
      }
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

/// Code and data in pieces: of code each function is one, of data what stands between two places that are referred to.
class Pieces {
public:
  struct Reference {
    std::uint64_t section, place; ///< where it stands
    std::uint64_t symbol;
    std::int64_t target; ///< of a section: how far behind its beginning
  };

  Pieces(const std::vector<Elf64_Shdr> &sections,
         const std::vector<Elf64_Sym> &symbols,
         std::vector<Reference> references)
      : sections_(sections), symbols_(symbols), references_(std::move(references)),
        starts_(sections.size()) {
    for (std::uint64_t i = 0; i < symbols.size(); ++i) {
      const Elf64_Sym &symbol = symbols[i];
      const unsigned char type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_XINDEX) {
        throw Damaged(); // 65,280 sections and more: nobody writes that
      }
      if (symbol.st_shndx < sections.size() && symbol.st_shndx != SHN_UNDEF &&
          (type == STT_FUNC || (type != STT_SECTION && !is_code(symbol.st_shndx)))) {
        starts_[symbol.st_shndx].try_emplace(symbol.st_value, i);
      }
    }
    for (const Reference &one : references_) {
      const Elf64_Sym &symbol = symbols_.at(one.symbol);
      if (ELF64_ST_TYPE(symbol.st_info) == STT_SECTION && symbol.st_shndx < sections.size() &&
          !is_code(symbol.st_shndx)) {
        starts_[symbol.st_shndx].try_emplace(static_cast<std::uint64_t>(one.target), nobody);
      }
    }
    for (const Reference &one : references_) {
      of_piece_[piece_at(one.section, one.place)].push_back(&one);
    }
  }

  /// Calls found(symbol, by) for each symbol that is referred to by what is reached from this one on.
  template <class Found> void follow(std::uint64_t root, const Found &found) {
    visit(root, 0);
    while (!open_.empty()) {
      const Piece piece = open_.back();
      open_.pop_back();
      const auto said = starts_[piece.first].find(piece.second);
      const std::uint64_t by = said == starts_[piece.first].end() ? nobody : said->second;
      for (const Reference *one : of_piece_[piece]) {
        found(one->symbol, by);
        visit(one->symbol, one->target);
      }
    }
  }

  static constexpr std::uint64_t nobody = 0; ///< symbol 0 is none

private:
  using Piece = std::pair<std::uint64_t, std::uint64_t>; ///< section, beginning

  bool is_code(std::uint64_t section) const {
    return (sections_[section].sh_flags & SHF_EXECINSTR) != 0;
  }
  Piece piece_at(std::uint64_t section, std::uint64_t place) const {
    const auto &starts = starts_.at(section);
    const auto behind = starts.upper_bound(place);
    return {section, behind == starts.begin() ? 0 : std::prev(behind)->first};
  }
  void visit(std::uint64_t number, std::int64_t target) {
    const Elf64_Sym &symbol = symbols_.at(number);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= sections_.size()) {
      return;
    }
    const bool section = ELF64_ST_TYPE(symbol.st_info) == STT_SECTION;
    const std::uint64_t first = section ? static_cast<std::uint64_t>(target) : symbol.st_value;
    add(piece_at(symbol.st_shndx, first));
    const auto &starts = starts_[symbol.st_shndx];
    const std::uint64_t end = section ? first : first + symbol.st_size;
    for (auto more = starts.upper_bound(first);
         !is_code(symbol.st_shndx) && more != starts.end() && more->first < end;
         ++more) {
      add({symbol.st_shndx, more->first});
    }
  }
  void add(const Piece &piece) {
    if (known_.insert(piece).second) {
      open_.push_back(piece);
    }
  }

  const std::vector<Elf64_Shdr> &sections_;
  const std::vector<Elf64_Sym> &symbols_;
  std::vector<Reference> references_;
  std::vector<std::map<std::uint64_t, std::uint64_t>>
      starts_; ///< of each section's pieces, and the symbols that begin there
  std::map<Piece, std::vector<const Reference *>> of_piece_;
  std::set<Piece> known_;
  std::vector<Piece> open_;
};

std::vector<ElfUse> File::reached(std::string_view roots) const {
  const auto table = std::ranges::find(sections_, Elf64_Word{SHT_SYMTAB}, &Elf64_Shdr::sh_type);
  if (table == sections_.end()) {
    throw Damaged();
  }
  const Elf64_Shdr &names = at(table->sh_link);
  std::vector<Elf64_Sym> symbols;
  for (std::uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); ++i) {
    symbols.push_back(read<Elf64_Sym>(table->sh_offset + i * sizeof(Elf64_Sym)));
  }
  std::vector<Pieces::Reference> references;
  for (const Elf64_Shdr &relocations : sections_) {
    if (relocations.sh_type != SHT_RELA || (at(relocations.sh_info).sh_flags & SHF_ALLOC) == 0 ||
        text(at(names_), at(relocations.sh_info).sh_name) == ".eh_frame") {
      continue;
    }
    for (std::uint64_t i = 0; i < relocations.sh_size / sizeof(Elf64_Rela); ++i) {
      const auto one = read<Elf64_Rela>(relocations.sh_offset + i * sizeof(Elf64_Rela));
      // An instruction of an x86 counts from its end, mostly 4 bytes behind what is filled in.
      const std::uint64_t type = ELF64_R_TYPE(one.r_info);
      const bool from_end =
          header_.e_machine == EM_X86_64 &&
          (type == R_X86_64_PC32 || type == R_X86_64_PLT32 || type == R_X86_64_GOTPCREL ||
           type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX);
      references.push_back({relocations.sh_info,
                            one.r_offset,
                            ELF64_R_SYM(one.r_info),
                            std::max<std::int64_t>(0, one.r_addend + (from_end ? 4 : 0))});
      if (references.back().symbol >= symbols.size()) {
        throw Damaged();
      }
    }
  }
  const auto name_of = [&](std::uint64_t symbol) { return text(names, symbols[symbol].st_name); };
  std::vector<ElfUse> uses;
  std::set<std::uint64_t> told;
  Pieces pieces(sections_, symbols, std::move(references));
  for (std::uint64_t i = 0; i < symbols.size(); ++i) {
    if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && name_of(i).starts_with(roots)) {
      pieces.follow(i, [&](std::uint64_t symbol, std::uint64_t by) {
        const bool defined = symbols[symbol].st_shndx != SHN_UNDEF;
        const bool weak_function = ELF64_ST_BIND(symbols[symbol].st_info) == STB_WEAK &&
                                   ELF64_ST_TYPE(symbols[symbol].st_info) == STT_FUNC;
        if (symbol != 0 && (!defined || weak_function) && told.insert(symbol).second) {
          uses.push_back({name_of(symbol), name_of(by), defined});
        }
      });
    }
  }
  return uses;
}

} // namespace

std::optional<ElfObject> read_elf_object(const std::string &bytes) {
  try {
    return File(bytes).names();
  } catch (const Damaged &) {
    return std::nullopt;
  }
}

std::optional<std::vector<ElfUse>> names_reached(const std::string &bytes, std::string_view roots) {
  try {
    return File(bytes).reached(roots);
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
