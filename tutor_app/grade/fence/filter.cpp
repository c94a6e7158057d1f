#include "filter.hpp"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace fence {
namespace {

#if defined(__x86_64__)
constexpr unsigned our_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned our_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned our_architecture = 0; // nothing can be said about other processors' calls
#endif

// Newer than the headers of some systems.
constexpr int call_clone3 = 435, call_openat2 = 437, call_pidfd_getfd = 438;
constexpr unsigned x32_bit = 0x40000000; // calls of the x32 ABI have other numbers for the same

constexpr unsigned allow = SECCOMP_RET_ALLOW;
constexpr unsigned refuse = SECCOMP_RET_ERRNO | EPERM;
constexpr unsigned unknown = SECCOMP_RET_ERRNO | ENOSYS; // libc then takes the older call

/// Nobody being judged needs these.
const std::vector<int> privileged{
    SYS_socket,
    SYS_socketpair,
    SYS_ptrace,
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_io_uring_setup,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    call_pidfd_getfd,
    SYS_pidfd_open,
    SYS_pidfd_send_signal,
};

/// What starts others, reaches others, outlives the program or changes a disk.
const std::vector<int> of_programs{
    SYS_setsid,   SYS_setpgid,  SYS_tkill,    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo,
    SYS_shmget,   SYS_msgget,   SYS_semget,   SYS_mq_open,         SYS_memfd_create,
    SYS_mkdirat,  SYS_mknodat,  SYS_linkat,   SYS_symlinkat,       SYS_renameat2,
    SYS_unlinkat, SYS_truncate, SYS_fchmodat, SYS_fchownat,        SYS_utimensat,
    SYS_fchmod,   SYS_fchown,   SYS_setxattr, SYS_lsetxattr,       SYS_fsetxattr,
#ifdef SYS_renameat
    SYS_renameat,
#endif
#ifdef SYS_fork // the calls that newer architectures do without
    SYS_fork,     SYS_vfork,    SYS_creat,    SYS_mkdir,           SYS_mknod,
    SYS_link,     SYS_symlink,  SYS_rename,   SYS_unlink,          SYS_rmdir,
    SYS_chmod,    SYS_chown,    SYS_lchown,   SYS_utime,           SYS_utimes,
#endif
};

/// A program for the kernel's packet filter, which looks at one call (struct seccomp_data).
class Filter {
public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, our_architecture, 1, 0));
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
#if defined(__x86_64__)
    load(offsetof(seccomp_data, nr));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, x32_bit, 0, 1));
    answer(unknown);
#endif
  }

  void on_call(int call, unsigned reply) {
    load(offsetof(seccomp_data, nr));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    answer(reply);
  }
  void on_calls(const std::vector<int> &calls, unsigned reply) {
    for (int call : calls) {
      on_call(call, reply);
    }
  }
  /// The reply when any of the bits is set in the argument, or when none is.
  void on_bits(int call, int argument, unsigned bits, bool set, unsigned reply) {
    on_argument(call, argument, BPF_JMP | BPF_JSET | BPF_K, bits, set, reply);
  }
  void on_other_than(int call, int argument, unsigned value, unsigned reply) {
    on_argument(call, argument, BPF_JMP | BPF_JEQ | BPF_K, value, false, reply);
  }

  /// From now on, for this process and all that it starts or becomes.
  bool install() {
    answer(allow);
    if (our_architecture == 0) {
      errno = ENOSYS;
      return false;
    }
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

private:
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)));
  }
  void answer(unsigned reply) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, reply)); }

  /// Looks at the low half of an argument: the kernel takes flags and process numbers as 32 bits.
  void
  on_argument(int call, int argument, int test, unsigned value, bool when_true, unsigned reply) {
    load(offsetof(seccomp_data, nr));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 3));
    load(offsetof(seccomp_data, args) + sizeof(__u64) * static_cast<std::size_t>(argument));
    code_.push_back(BPF_JUMP(static_cast<unsigned short>(test), value, !when_true, when_true));
    answer(reply);
  }

  std::vector<sock_filter> code_;
};

} // namespace

bool refuse_calls_of_program() {
  Filter filter;
  filter.on_calls(privileged, refuse);
  filter.on_calls(of_programs, refuse);
  filter.on_calls({call_clone3, call_openat2}, unknown); // their flags lie out of a filter's sight
  filter.on_bits(SYS_clone, 0, CLONE_THREAD, false, refuse);

  // A process keeps its number when it becomes another program, so "itself" can be told.
  const auto self = static_cast<unsigned>(getpid());
  filter.on_other_than(SYS_kill, 0, self, refuse);
  filter.on_other_than(SYS_tgkill, 0, self, refuse);

  const unsigned creates = O_CREAT | (O_TMPFILE & ~O_DIRECTORY) | O_TRUNC;
  const unsigned writes = O_WRONLY | O_RDWR;
  filter.on_bits(SYS_openat, 2, creates | writes, true, refuse);
#ifdef SYS_open
  filter.on_bits(SYS_open, 1, creates | writes, true, refuse);
#endif
  return filter.install();
}

bool refuse_calls_of_compiler() {
  Filter filter;
  filter.on_calls(privileged, refuse);
  return filter.install();
}

} // namespace fence
