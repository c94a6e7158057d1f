#include "symbols.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <filesystem>
#include <gelf.h>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "emu/engine/instrument.hpp"
#include "program_file.hpp"

extern "C" {
extern char __executable_start[];
// Around the section emu_structures; null in programs without any.
[[gnu::weak]] extern emu::StructurePlace __start_emu_structures[], __stop_emu_structures[];
}

namespace emu {

namespace {

// The functions that copy a structure are the compiler's own, and it says that they stand where the
// structure is defined.
bool defines_a_structure(const SourceLine &where) {
  // Needed until the very end of the program.
  static const auto &places = []() -> const std::set<std::pair<std::string, int>> & {
    auto &all = *new std::set<std::pair<std::string, int>>;
    for (const StructurePlace *place = __start_emu_structures; place < __stop_emu_structures;
         ++place)
      if (place->file) // else a gap between the sections of two files
        all.emplace(place->file, place->line);
    return all;
  }();
  return places.count({std::filesystem::path(where.file).lexically_normal().string(), where.line});
}

using Addresses = std::vector<uint64_t>; // in the file, sorted

/// Those of the addresses that lie in the code of `entry`.
Addresses those_in(Dwarf_Die &entry, const Addresses &addresses) {
  Addresses found;
  Dwarf_Addr base, begin, end;
  for (ptrdiff_t next = 0; (next = dwarf_ranges(&entry, next, &base, &begin, &end)) > 0;)
    std::copy(std::lower_bound(addresses.begin(), addresses.end(), begin),
              std::lower_bound(addresses.begin(), addresses.end(), end),
              std::back_inserter(found));
  std::sort(found.begin(), found.end());
  return found;
}

/// What the debug information of a source says.
class UnitLines {
public:
  explicit UnitLines(Dwarf_Die &unit) : unit_(unit) {
    dwarf_getsrcfiles(&unit, &files_, &number_of_files_);
  }

  /// For each address the innermost line that is a user's, and the outermost one.
  std::map<uint64_t, LinesOfCode> of(const Addresses &addresses) {
    find_calls(unit_, addresses);
    std::map<uint64_t, LinesOfCode> lines;
    for (uint64_t address : addresses) {
      SourceLine &found = lines[address].inner = line_at(address);
      const std::vector<SourceLine> &calls = calls_[address];
      for (auto call = calls.rbegin(); call != calls.rend(); ++call)
        if (found.line == 0 || is_emulators_own(found.file) || defines_a_structure(found))
          found = *call;
      if (found.line == 0)
        found = line_before(address);
      lines[address].outer = calls.empty() ? found : calls.front();
    }
    return lines;
  }

private:
  SourceLine line_at(uint64_t address) {
    SourceLine result;
    Dwarf_Line *line = dwarf_getsrc_die(&unit_, address);
    const char *file = line ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
    if (file && dwarf_lineno(line, &result.line) == 0)
      result.file = file;
    return result;
  }

  /// Of instructions that the compiler gives no line, as clang does in the beginning of a function: that of what
  /// stands before them.
  SourceLine line_before(uint64_t address) {
    SourceLine result;
    Dwarf_Line *row = dwarf_getsrc_die(&unit_, address);
    for (Dwarf_Addr begin; result.line == 0 && row && dwarf_lineaddr(row, &begin) == 0;
         row = dwarf_getsrc_die(&unit_, begin - 1))
      result = line_at(begin);
    return result;
  }

  /// Where the compiler has put a function into another one: outer ones first.
  void find_calls(Dwarf_Die &around, const Addresses &addresses) {
    Dwarf_Die entry;
    for (int none = dwarf_child(&around, &entry); none == 0;
         none = dwarf_siblingof(&entry, &entry)) {
      const bool has_code =
          dwarf_hasattr(&entry, DW_AT_low_pc) || dwarf_hasattr(&entry, DW_AT_ranges);
      const Addresses here = has_code ? those_in(entry, addresses) : addresses;
      if (here.empty())
        continue;
      if (dwarf_tag(&entry) == DW_TAG_inlined_subroutine)
        for (const SourceLine call = call_of(entry); uint64_t address : here)
          calls_[address].push_back(call);
      find_calls(entry, here);
    }
  }

  SourceLine call_of(Dwarf_Die &inlined) {
    const auto number = [&](unsigned name) {
      Dwarf_Attribute attribute;
      Dwarf_Word value = 0;
      dwarf_formudata(dwarf_attr(&inlined, name, &attribute), &value);
      return value;
    };
    const Dwarf_Word file = number(DW_AT_call_file);
    if (file >= number_of_files_)
      return {};
    return {dwarf_filesrc(files_, file, nullptr, nullptr),
            static_cast<int>(number(DW_AT_call_line))};
  }

  Dwarf_Die unit_;
  Dwarf_Files *files_ = nullptr;
  size_t number_of_files_ = 0;
  std::unordered_map<uint64_t, std::vector<SourceLine>> calls_;
};

} // namespace

void Symbols::look_up(const std::vector<uint32_t> &addresses) {
  static Dwarf *const information = dwarf_begin_elf(program_elf(), DWARF_C_READ, nullptr);
  const uint64_t start =
      reinterpret_cast<uint64_t>(__executable_start) - program_load_address(); // in the file
  Addresses calls; // not where they return to
  for (uint32_t address : addresses)
    if (known_.try_emplace(address).second)
      calls.push_back(start + address - 1);
  if (calls.empty() || !information)
    return;
  std::sort(calls.begin(), calls.end());
  Dwarf_Die unit;
  for (Dwarf_CU *next = nullptr;
       dwarf_get_units(information, next, &next, nullptr, nullptr, &unit, nullptr) == 0;)
    if (const Addresses here = those_in(unit, calls); !here.empty())
      for (const auto &[address, lines] : UnitLines(unit).of(here))
        known_[static_cast<uint32_t>(address + 1 - start)] = lines;
}

ProgramVariable variable_at(const void *address) {
  const uint64_t wanted = reinterpret_cast<uint64_t>(address) - program_load_address();
  std::string found;
  std::set<std::string> guards;
  for (Elf_Scn *section = nullptr; (section = elf_nextscn(program_elf(), section)) != nullptr;) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
      continue;
    Elf_Data *const symbols = elf_getdata(section, nullptr);
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(symbols, i, &symbol); ++i) {
      const char *name = elf_strptr(program_elf(), header.sh_link, symbol.st_name);
      if (!name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT)
        continue;
      if (std::strncmp(name, "_ZGV", 4) == 0)
        guards.insert(name + 4);
      else if (wanted - symbol.st_value < symbol.st_size)
        found = name;
    }
  }
  if (found.empty())
    return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(found.c_str(), nullptr, nullptr, &status), &std::free);
  const std::string name = status == 0 ? plain.get() : found;
  const size_t scope = name.rfind("::");
  return {scope == std::string::npos ? name : name.substr(scope + 2),
          found.starts_with("_Z") && guards.contains(found.substr(2))};
}

Symbols &symbols() {
  static Symbols &instance = *new Symbols; // needed until the very end of the program
  return instance;
}

bool is_emulators_own(const std::string &file) {
  if (file == "??")
    return true;
  const std::string plain =
      std::filesystem::path(file).lexically_normal(); // build/cpu/../../emulator
  for (const char *folder : {EMULATOR_FOLDER "/include/",
                             EMULATOR_FOLDER "/src/",
                             EMULATOR_FOLDER "/observe/",
                             "/emulator/include/emu/"}) // what the rewriter makes of a launch
    if (plain.starts_with(folder))
      return true;
  return plain.find("/include/c++/") != std::string::npos; // nor the standard library's
}

SourceLine Symbols::line(uint32_t address) const {
  const auto found = known_.find(address);
  return found == known_.end() ? SourceLine{} : found->second.inner;
}

const SourceLine &Symbols::outer_line(uint32_t address) const {
  static const SourceLine nowhere;
  const auto found = known_.find(address);
  return found == known_.end() ? nowhere : found->second.outer;
}

std::string source_text(const SourceLine &where) {
  std::istringstream file(text_of_source(where.file));
  std::string text;
  for (int i = 0; i < where.line; ++i)
    if (!std::getline(file, text))
      return {};
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? std::string() : text.substr(begin);
}

} // namespace emu
