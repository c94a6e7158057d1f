#include "program_file.hpp"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

namespace emu {

namespace {

constinit int program_descriptor = -1;

} // namespace

void open_program_file() {
  if (program_descriptor < 0)
    program_descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

Elf *program_elf() {
  static Elf *const elf = [] {
    open_program_file();
    elf_version(EV_CURRENT);
    return elf_begin(program_descriptor, ELF_C_READ_MMAP, nullptr);
  }();
  return elf;
}

uint64_t program_load_address() {
  uint64_t address = 0;
  const auto first_is_the_program = [](dl_phdr_info *info, size_t, void *result) {
    *static_cast<uint64_t *>(result) = info->dlpi_addr;
    return 1;
  };
  dl_iterate_phdr(first_is_the_program, &address);
  return address;
}

} // namespace emu
