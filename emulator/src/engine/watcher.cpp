#include "engine/watcher.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace emu {

KernelWatcher *kernel_watcher = nullptr;
RuntimeWatcher *runtime_watcher = nullptr;
void (*before_exit)(int status) = nullptr;

} // namespace emu

// A program's own way out at once; what the C library does itself does not come by here. It is not the instruments' own,
// or a linker would bring them for each _exit in a plain program.
extern "C" {
void _exit(int status) {
  if (emu::before_exit)
    emu::before_exit(status);
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}
void _Exit(int status) noexcept { _exit(status); }
}
