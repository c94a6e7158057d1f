// A filter of system calls: what is not listed here fails with EPERM. It is set up before the first
// line of the learner's code runs, and nothing can take it down again.
#include "checker/allowed_calls.hpp"
#include "checker/channel.hpp"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <cerrno>
#include <cstddef>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace checker::detail {
namespace {

#ifdef __x86_64__
constexpr unsigned this_machine = AUDIT_ARCH_X86_64;
#else
constexpr unsigned this_machine = AUDIT_ARCH_AARCH64;
#endif

/// The filter's instructions, written one after the other.
class Program {
public:
  void add(unsigned short code, unsigned k, unsigned char if_true = 0, unsigned char if_false = 0) {
    code_[size_++] = {code, if_true, if_false, k};
  }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)); }
  /// Skips the next `skip` instructions unless what was loaded is `value`.
  void unless_equal_skip(unsigned value, unsigned char skip) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip);
  }
  void answer(unsigned action) { add(BPF_RET | BPF_K, action); }
  sock_fprog get() { return {size_, code_}; }

private:
  sock_filter code_[3 * std::size(allowed_calls) + 64];
  unsigned short size_ = 0;
};

constexpr unsigned allow = SECCOMP_RET_ALLOW;
constexpr unsigned refuse = SECCOMP_RET_ERRNO | EPERM;
constexpr std::size_t number = offsetof(seccomp_data, nr);
// The low half: both machines are little-endian.
constexpr std::size_t argument(int i) { return offsetof(seccomp_data, args) + 8 * i; }

} // namespace

bool raise_fence() {
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.unless_equal_skip(this_machine, 1);
  program.add(BPF_JMP | BPF_JA, 1);
  program.answer(SECCOMP_RET_KILL_PROCESS);
  program.load(number);
  for (const int call : allowed_calls) {
    program.unless_equal_skip(static_cast<unsigned>(call), 1);
    program.answer(allow);
  }
  for (const unsigned call : {SYS_write, SYS_writev}) {
    program.unless_equal_skip(call, 5);
    program.load(argument(0));
    program.unless_equal_skip(STDOUT_FILENO, 1);
    program.answer(allow);
    program.unless_equal_skip(STDERR_FILENO, 1);
    program.answer(allow);
    program.load(number);
  }
  // A thread is allowed, a process is not. The C library tries clone3, whose flags a filter cannot
  // read; told that there is none, it takes clone.
  program.unless_equal_skip(SYS_clone3, 1);
  program.answer(SECCOMP_RET_ERRNO | ENOSYS);
  program.unless_equal_skip(SYS_clone, 4);
  program.load(argument(0));
  program.add(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
  program.answer(allow);
  program.answer(refuse);
  // abort() and assert() signal their own process.
  program.unless_equal_skip(SYS_tgkill, 4);
  program.load(argument(0));
  program.unless_equal_skip(static_cast<unsigned>(getpid()), 1);
  program.answer(allow);
  program.answer(refuse);
  // Whether stdout is a terminal.
  program.unless_equal_skip(SYS_ioctl, 4);
  program.load(argument(1));
  program.unless_equal_skip(TCGETS, 1);
  program.answer(allow);
  program.answer(refuse);
  // fstat, as newer C libraries call it: of a descriptor, with an empty path.
  program.unless_equal_skip(SYS_newfstatat, 4);
  program.load(argument(3));
  program.unless_equal_skip(0x1000 /* AT_EMPTY_PATH */, 1);
  program.answer(allow);
  program.answer(refuse);
  // Limits may be read; a null pointer stands where new ones would.
  program.unless_equal_skip(SYS_prlimit64, 4);
  program.load(argument(2));
  program.unless_equal_skip(0, 1);
  program.answer(allow);
  program.answer(refuse);
  program.answer(refuse);

  sock_fprog filter = program.get();
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

} // namespace checker::detail

#else

namespace checker::detail {
bool raise_fence() { return false; }
} // namespace checker::detail

#endif
