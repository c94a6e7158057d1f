#include "exercises/screen.hpp"

#include "lessons/files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <vector>

namespace tutor {
namespace {

/// The source without comments and spliced lines; what stands between quotes stays in the lines of
/// directives and is left out elsewhere. Line breaks stay, so lines keep their numbers.
class SourceText {
public:
  explicit SourceText(std::string_view source) : source_(source) {
    while (at_ < source_.size()) {
      step();
    }
  }
  const std::string &text() const { return text_; }

private:
  bool ahead(std::string_view word) const { return source_.substr(at_).starts_with(word); }

  void skip_to(std::string_view end) {
    std::size_t found = source_.find(end, at_);
    std::size_t stop = found == std::string_view::npos ? source_.size() : found + end.size();
    for (; at_ < stop; ++at_) {
      text_.append(source_[at_] == '\n', '\n');
    }
  }

  void quoted(char quote) {
    for (++at_; at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n'; ++at_) {
      at_ += source_[at_] == '\\';
    }
    at_ += at_ < source_.size() && source_[at_] == quote;
    text_ += "\"\"";
  }

  void raw_string() {
    std::size_t open = source_.find('(', at_);
    if (open == std::string_view::npos) {
      at_ = source_.size();
      return;
    }
    std::string end = ")" + std::string(source_.substr(at_ + 2, open - at_ - 2)) + "\"";
    skip_to(end);
    text_ += "\"\"";
  }

  bool in_directive() const {
    std::size_t begin = text_.rfind('\n');
    begin = text_.find_first_not_of(" \t", begin == std::string::npos ? 0 : begin + 1);
    return begin != std::string::npos && (text_[begin] == '#' || text_.substr(begin, 2) == "%:");
  }

  void step() {
    if (ahead("\\\n")) {
      at_ += 2;
    } else if (ahead("//")) {
      while (at_ < source_.size() && source_[at_] != '\n') {
        at_ += ahead("\\\n") ? 2 : 1;
      }
    } else if (ahead("/*")) {
      at_ += 2;
      skip_to("*/");
      text_ += ' ';
    } else if (ahead("R\"") && !in_directive()) {
      raw_string();
    } else if ((source_[at_] == '"' || source_[at_] == '\'') && !in_directive()) {
      // 1'000 has no quote, but a separator of digits.
      bool digit =
          source_[at_] == '\'' && !text_.empty() && std::isxdigit((unsigned char)text_.back());
      if (digit) {
        ++at_;
      } else {
        quoted(source_[at_]);
      }
    } else {
      text_ += source_[at_++];
    }
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::string text_;
};

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The words of a line: names, and each other character by itself.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && is_word_part(line[end])) {
      ++end;
    }
    end = std::max(end, at + 1);
    if (line[at] != ' ' && line[at] != '\t') {
      words.emplace_back(line.substr(at, end - at));
    }
    at = end;
  }
  return words;
}

std::string screen_include(std::string_view operand) {
  if (operand.empty() || (operand[0] != '<' && operand[0] != '"')) {
    return "an #include names its file between \" or < and >";
  }
  bool leads_elsewhere =
      operand.substr(1, 1) == "/" || operand.find("..") != std::string_view::npos;
  return leads_elsewhere ? "an #include must not lead out of this folder" : "";
}

std::string screen_directive(std::string_view line) {
  std::vector<std::string> words = words_of(line);
  std::size_t name = words[0] == "%" ? 2 : 1;
  if (words.size() <= name) {
    return "";
  }
  const std::string &directive = words[name];
  if (directive == "include" || directive == "include_next" || directive == "import" ||
      directive == "embed") {
    std::size_t operand = line.find(directive) + directive.size();
    operand = line.find_first_not_of(" \t", operand);
    return screen_include(operand == std::string_view::npos ? "" : line.substr(operand));
  }
  return "";
}

// Names of functions of the C library and of system calls that start, stop, open or listen.
constexpr std::array forbidden_names{
    "_Exit",
    "_exit",
    "accept",
    "at_quick_exit",
    "atexit",
    "bind",
    "chdir",
    "chmod",
    "chown",
    "chroot",
    "clone",
    "clone3",
    "close",
    "close_range",
    "closefrom",
    "connect",
    "creat",
    "creat64",
    "daemon",
    "dlclose",
    "dlmopen",
    "dlopen",
    "dlsym",
    "dlvsym",
    "dup",
    "dup2",
    "dup3",
    "environ",
    "__environ",
    "_environ",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execveat",
    "execvp",
    "execvpe",
    "exit",
    "fchdir",
    "fchmod",
    "fcntl",
    "fcntl64",
    "fdopen",
    "fexecve",
    "fopen",
    "fopen64",
    "fork",
    "_Fork",
    "freopen",
    "freopen64",
    "ftruncate",
    "getenv",
    "ioctl",
    "kill",
    "killpg",
    "link",
    "listen",
    "memfd_create",
    "mkdir",
    "mkfifo",
    "mknod",
    "mkstemp",
    "mmap",
    "mmap64",
    "mprotect",
    "mremap",
    "munmap",
    "on_exit",
    "open",
    "open64",
    "openat",
    "openat64",
    "opendir",
    "pipe",
    "pipe2",
    "popen",
    "posix_spawn",
    "posix_spawnp",
    "prctl",
    "process_vm_readv",
    "process_vm_writev",
    "pthread_kill",
    "ptrace",
    "putenv",
    "quick_exit",
    "raise",
    "read",
    "recv",
    "recvfrom",
    "recvmsg",
    "remove",
    "rename",
    "rmdir",
    "secure_getenv",
    "seccomp",
    "send",
    "sendmsg",
    "sendto",
    "setenv",
    "setpgid",
    "setpriority",
    "setrlimit",
    "setsid",
    "setuid",
    "shm_open",
    "shmget",
    "shutdown",
    "sigaction",
    "siglongjmp",
    "signal",
    "sigqueue",
    "socket",
    "socketpair",
    "symlink",
    "syscall",
    "system",
    "tgkill",
    "tmpfile",
    "truncate",
    "unlink",
    "unlinkat",
    "unsetenv",
    "unshare",
    "vfork",
    "wait",
    "waitpid",
    "write",
    "writev",
    "__libc_start_main",
    "_dl_open",
};

bool is_forbidden_name(std::string_view name) {
  return std::ranges::find(forbidden_names, name) != forbidden_names.end() ||
         name.find("basic_filebuf") != std::string_view::npos || // fstreams
         name.find("basic_ifstream") != std::string_view::npos ||
         name.find("basic_ofstream") != std::string_view::npos ||
         name.find("10filesystem") != std::string_view::npos;
}

/// A namespace of ours in a mangled name.
std::string_view owner_of(std::string_view name) {
  for (std::string_view owner : {"7checker", "3lab", "7doctest"}) {
    std::size_t at = name.find(owner);
    // "13labyrinth_sum" is none of ours.
    if (at != std::string_view::npos && at > 0 && !std::isdigit((unsigned char)name[at - 1])) {
      return owner.substr(1);
    }
  }
  return {};
}

/// A 64-bit object file, as the compiler has just written it.
class ObjectFile {
public:
  explicit ObjectFile(std::string bytes) : bytes_(std::move(bytes)) {
    header_ = read<Elf64_Ehdr>(0);
    for (std::size_t i = 0; i < header_.e_shnum; ++i) {
      sections_.push_back(read<Elf64_Shdr>(header_.e_shoff + i * sizeof(Elf64_Shdr)));
    }
  }
  std::string_view section_name(std::size_t i) const {
    return text(sections_.at(header_.e_shstrndx).sh_offset + sections_[i].sh_name);
  }
  std::size_t section_count() const { return sections_.size(); }

  template <class Visit> void each_symbol(Visit visit) const {
    for (const Elf64_Shdr &section : sections_) {
      if (section.sh_type != SHT_SYMTAB) {
        continue;
      }
      std::size_t names = sections_.at(section.sh_link).sh_offset;
      for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol = read<Elf64_Sym>(section.sh_offset + at);
        visit(text(names + symbol.st_name), symbol);
      }
    }
  }

private:
  template <class T> T read(std::size_t at) const {
    T value{};
    if (at + sizeof value <= bytes_.size()) {
      std::memcpy(&value, bytes_.data() + at, sizeof value);
    }
    return value;
  }
  std::string_view text(std::size_t at) const {
    return at < bytes_.size() ? std::string_view(bytes_.c_str() + at) : std::string_view();
  }

  std::string bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

std::string screen_symbol(std::string_view name, const Elf64_Sym &symbol) {
  unsigned char type = ELF64_ST_TYPE(symbol.st_info), binding = ELF64_ST_BIND(symbol.st_info);
  bool defined = symbol.st_shndx != SHN_UNDEF;
  bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
  if (name.empty() || binding == STB_LOCAL) {
    return "";
  }
  if (!defined) {
    return is_forbidden_name(name) ? fmt::format("{} is called: no exercise needs that", name) : "";
  }
  if (type == STT_GNU_IFUNC) {
    return fmt::format("{} is chosen while the program is loaded (ifunc): no exercise needs that",
                       name);
  }
  if (name == "main") {
    return "main() belongs to the checker: leave it out";
  }
  if (std::string_view owner = owner_of(name); !owner.empty()) {
    return fmt::format("{} is defined: the namespace {} belongs to the checker", name, owner);
  }
  bool ours = name.find("3emu") != std::string_view::npos || name.starts_with("_ZNSt") ||
              name.starts_with("_Znw") || name.starts_with("_Zna") || name.starts_with("_Zdl") ||
              name.starts_with("_Zda");
  bool c_function = function && !name.starts_with("_Z");
  if (binding != STB_WEAK && (ours || c_function)) {
    return fmt::format("{} is defined: functions of the libraries must not be replaced", name);
  }
  return "";
}

} // namespace

std::optional<Forbidden> screen_source(std::string_view source) {
  const std::string text = SourceText(source).text();
  std::size_t begin = 0;
  for (int line = 1; begin < text.size(); ++line) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view whole = std::string_view(text).substr(begin, end - begin);
    std::size_t first = whole.find_first_not_of(" \t");
    bool directive =
        first != std::string_view::npos && (whole[first] == '#' || whole.substr(first, 2) == "%:");
    if (directive) {
      if (std::string what = screen_directive(whole.substr(first)); !what.empty()) {
        return Forbidden{line, what};
      }
    }
    for (const std::string &word : words_of(whole)) {
      if (word == "asm" || word == "__asm" || word == "__asm__") {
        return Forbidden{line, "assembly: no exercise needs that"};
      }
    }
    begin = end + 1;
  }
  return std::nullopt;
}

std::optional<Forbidden> screen_object(const std::filesystem::path &object) {
  ObjectFile file(lessons::read_file(object));
  for (std::size_t i = 0; i < file.section_count(); ++i) {
    std::string_view name = file.section_name(i);
    if (name.starts_with(".preinit_array")) {
      return Forbidden{0, "code that runs before the checker's own: no exercise needs that"};
    }
  }
  std::string found;
  file.each_symbol([&](std::string_view name, const Elf64_Sym &symbol) {
    if (found.empty()) {
      found = screen_symbol(name, symbol);
    }
  });
  return found.empty() ? std::nullopt : std::optional(Forbidden{0, found});
}

} // namespace tutor
