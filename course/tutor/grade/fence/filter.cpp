#include "fence.hpp"

#include "checker/allowed_calls.hpp"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <initializer_list>
#include <sched.h>
#include <seccomp.h>
#include <sstream>
#include <string>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace fence {
namespace {

/// What the loader of programs and readers of files call besides: nothing is changed by these.
constexpr const char *reading =
    "execve access faccessat faccessat2 pread64 stat lstat newfstatat statx fstatfs statfs getcwd "
    "read readv getdents64 getrlimit dup getpgrp fadvise64 mincore get_mempolicy ";

/// And what compilers, their parts and the shells between them call: files of their own, and processes.
constexpr const char *compiling =
    "write writev open openat creat unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir "
    "link linkat "
    "symlink symlinkat chmod fchmod fchmodat umask truncate ftruncate fallocate fsync fdatasync "
    "utimensat pwrite64 copy_file_range sendfile flock chdir fchdir clone fork vfork execveat "
    "wait4 waitid pipe pipe2 dup2 dup3 kill tgkill prlimit64 setrlimit times alarm setitimer "
    "pselect6 select eventfd2 epoll_create1 epoll_ctl epoll_wait epoll_pwait getpgid getsid "
    "setpgid getgroups getresuid getresgid msync mlock munlock capget sched_setaffinity "
    "sched_getparam sched_getscheduler getpriority setpriority close_range ";

/// An allow-list: what is not on it does not exist (ENOSYS), upon which libraries take an older call.
class Filter {
public:
  Filter() : context_(seccomp_init(SCMP_ACT_ERRNO(ENOSYS))) {
    for (const int call : checker::detail::allowed_calls) {
      allow(call);
    }
    allow_all(reading);
    allow("ioctl", {SCMP_A1(SCMP_CMP_EQ, TCGETS)}); // whether stdout is a terminal
  }
  ~Filter() { seccomp_release(context_); }
  Filter(const Filter &) = delete;
  Filter &operator=(const Filter &) = delete;

  void allow_all(const char *names) {
    std::istringstream words(names);
    for (std::string name; words >> name;) {
      allow(name.c_str());
    }
  }
  /// Only with these arguments, if any are given. A name that this machine does not have is passed over.
  void allow(const char *name, std::initializer_list<scmp_arg_cmp> arguments = {}) {
    allow(seccomp_syscall_resolve_name(name), arguments);
  }

  /// From now on, for this process and all that it starts or becomes.
  bool install() {
    const int error = !context_ ? -ENOMEM : failed_ != 0 ? failed_ : seccomp_load(context_);
    errno = -error;
    return error == 0;
  }

private:
  void allow(int call, std::initializer_list<scmp_arg_cmp> arguments = {}) {
    if (call == __NR_SCMP_ERROR || !context_) {
      return;
    }
    const int error = seccomp_rule_add_array(
        context_, SCMP_ACT_ALLOW, call, static_cast<unsigned>(arguments.size()), arguments.begin());
    failed_ = error != 0 ? error : failed_;
  }

  scmp_filter_ctx context_;
  int failed_ = 0;
};

} // namespace

bool allow_calls_of_program() {
  Filter filter;
  for (const char *call : {"write", "writev"}) {
    filter.allow(call, {SCMP_A0(SCMP_CMP_EQ, STDOUT_FILENO)});
    filter.allow(call, {SCMP_A0(SCMP_CMP_EQ, STDERR_FILENO)});
  }
  // A thread, but no process. (Of clone3 a filter cannot see the flags.)
  filter.allow("clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)});
  // A process keeps its number when it becomes another program, so "itself" can be told.
  const auto self = static_cast<scmp_datum_t>(getpid());
  filter.allow("kill", {SCMP_A0(SCMP_CMP_EQ, self)});
  filter.allow("tgkill", {SCMP_A0(SCMP_CMP_EQ, self)});
  constexpr scmp_datum_t writes =
      O_CREAT | (O_TMPFILE & ~O_DIRECTORY) | O_TRUNC | O_WRONLY | O_RDWR;
  filter.allow("openat", {SCMP_A2(SCMP_CMP_MASKED_EQ, writes, 0)});
  filter.allow("open", {SCMP_A1(SCMP_CMP_MASKED_EQ, writes, 0)});
  // Limits may be read; a null pointer stands where new ones would.
  filter.allow("prlimit64", {SCMP_A2(SCMP_CMP_EQ, 0)});
  // The program raises a second fence.
  filter.allow("prctl", {SCMP_A0(SCMP_CMP_EQ, PR_SET_NO_NEW_PRIVS)});
  filter.allow("prctl", {SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP)});
  return filter.install();
}

bool allow_calls_of_compiler() {
  Filter filter;
  filter.allow_all(compiling);
  filter.allow("ioctl", {SCMP_A1(SCMP_CMP_EQ, TIOCGWINSZ)});
  filter.allow("prctl", {SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME)});
  filter.allow("prctl", {SCMP_A0(SCMP_CMP_EQ, PR_SET_PDEATHSIG)});
  return filter.install();
}

} // namespace fence
