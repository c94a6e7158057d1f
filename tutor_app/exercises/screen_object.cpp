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
    std::string_view owner = owner_of(name);
    bool foreign = is_forbidden_name(name) || owner == "checker" || owner == "doctest";
    return foreign ? fmt::format("{} is called: no exercise needs that", name) : "";
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

std::optional<Forbidden> screen_object(const std::filesystem::path &object, bool by_nvcc) {
  ObjectFile file(lessons::read_file(object));
  for (std::size_t i = 0; i < file.section_count(); ++i) {
    std::string_view name = file.section_name(i);
    if (name.starts_with(".preinit_array")) {
      return Forbidden{0, "code that runs before the checker's own: no exercise needs that"};
    }
  }
  std::string found;
  file.each_symbol([&](std::string_view name, const Elf64_Sym &symbol) {
    if (found.empty() && !(by_nvcc && name == "atexit")) {
      found = screen_symbol(name, symbol);
    }
  });
  return found.empty() ? std::nullopt : std::optional(Forbidden{0, found});
}

} // namespace tutor
