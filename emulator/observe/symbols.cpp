#include "symbols.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

#include "emu/engine/instrument.hpp"

extern "C" {
extern char __executable_start[];
// Around the section emu_structures; null in programs without any.
[[gnu::weak]] extern emu::StructurePlace __start_emu_structures[], __stop_emu_structures[];
}

namespace emu {

namespace {

// Addresses in the file: a position-independent program is loaded anywhere.
uint64_t link_base() {
  Elf64_Ehdr header;
  std::memcpy(&header, __executable_start, sizeof header);
  return header.e_type == ET_EXEC ? reinterpret_cast<uint64_t>(__executable_start) : 0;
}

// "file:line" or "file:line (discriminator 3)".
SourceLine parse(std::string text) {
  text = text.substr(0, text.find(" (disc"));
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos)
    return {};
  return {text.substr(0, colon), std::atoi(text.c_str() + colon + 1)};
}

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

} // namespace

void Symbols::look_up(const std::vector<uint32_t> &addresses) {
  std::vector<uint32_t> missing;
  for (uint32_t address : addresses)
    if (!known_.count(address))
      missing.push_back(address);
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  if (missing.empty())
    return;

  if (!ask_running(missing))
    ask_new(missing);
  for (uint32_t address : missing)
    known_.try_emplace(address);
}

// Takes addr2line's answers from `answers`, whose first is about `asked[0]`, until it says `last`.
void Symbols::read_answers(FILE *answers, std::span<const uint32_t> asked, const char *last) {
  char line[4096];
  size_t next = 0; // of the addresses, the one after that which the lines are about
  while (std::fgets(line, sizeof line, answers)) {
    line[std::strcspn(line, "\n")] = 0;
    if (std::strcmp(line, last) == 0)
      return;
    if (std::strncmp(line, "0x", 2) == 0) {
      ++next;
      continue;
    }
    if (next == 0 || next > asked.size())
      continue;
    SourceLine &found = known_[asked[next - 1]];
    const SourceLine candidate = parse(line);
    if (found.line == 0 || is_emulators_own(found.file) || defines_a_structure(found))
      found = candidate;
  }
}

// A program that may not start others is given an addr2line that runs already, as the descriptors of
// two pipes, "to,from".
bool Symbols::ask_running(const std::vector<uint32_t> &missing) {
  static FILE *to = nullptr, *from = nullptr;
  static const bool given = [] {
    const char *text = std::getenv("EMU_ADDR2LINE");
    int in = -1, out = -1;
    if (text && std::sscanf(text, "%d,%d", &in, &out) == 2) {
      to = fdopen(in, "w");
      from = fdopen(out, "r");
    }
    return to && from;
  }();
  if (!given)
    return false;
  // It answers each address at once: as many as surely fit into the pipe, then one that marks the end.
  constexpr size_t at_once = 256;
  const uint64_t base = link_base();
  const std::span<const uint32_t> all(missing);
  for (size_t first = 0; first < all.size(); first += at_once) {
    const auto some = all.subspan(first, std::min(at_once, all.size() - first));
    for (uint32_t address : some)
      std::fprintf(to, "0x%lx\n", static_cast<unsigned long>(base + address - 1));
    std::fprintf(to, "0xffffffffffffffff\n");
    std::fflush(to);
    read_answers(from, some, "0xffffffffffffffff");
    char line[4096]; // where that is: nowhere
    if (!std::fgets(line, sizeof line, from))
      return true;
  }
  return true;
}

void Symbols::ask_new(const std::vector<uint32_t> &missing) {
  const int descriptor = memfd_create("addresses", 0);
  if (descriptor < 0)
    return;
  FILE *list = fdopen(descriptor, "w");
  const uint64_t base = link_base();
  for (uint32_t address : missing)
    std::fprintf(
        list, "0x%lx\n", static_cast<unsigned long>(base + address - 1)); // the call itself
  std::fflush(list);

  // Under /proc neither has a name that a shell could misread.
  const std::string own = "/proc/" + std::to_string(getpid());
  const std::string command =
      "addr2line -a -i -e " + own + "/exe <" + own + "/fd/" + std::to_string(descriptor) + " 2>&1";
  if (FILE *pipe = popen(command.c_str(), "r")) {
    read_answers(pipe, missing, "");
    pclose(pipe);
  }
  std::fclose(list);
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
  return false;
}

SourceLine Symbols::line(uint32_t address) const {
  const auto found = known_.find(address);
  return found == known_.end() ? SourceLine{} : found->second;
}

std::string source_text(const SourceLine &where) {
  std::ifstream file(where.file);
  std::string text;
  for (int i = 0; i < where.line; ++i)
    if (!std::getline(file, text))
      return {};
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? std::string() : text.substr(begin);
}

} // namespace emu
