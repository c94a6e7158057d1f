#pragma once

#include <sys/syscall.h>

/// \file
/// The system calls that a program under check needs once it runs. Two filters allow them: the one inside of
/// it (fence.cpp), and the grader's (course/tutor/grade/fence), which adds what starting a program takes.
/// Both let it write to stdout and stderr. It reads nothing: a stream of the C library's, led to the judge's
/// socket, would answer in the server's place.

namespace checker::detail {

/// Memory, threads, time, and the sockets that are open. No new file, process, socket or program.
inline constexpr int allowed_calls[] = {
    SYS_close,
    SYS_lseek,
    SYS_fstat,
    SYS_fcntl,
    SYS_recvfrom,
    SYS_sendto,
    SYS_ppoll,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_membarrier,
    SYS_futex,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_rseq,
    SYS_set_tid_address,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_getcpu,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrusage,
    SYS_getrandom,
    SYS_readlinkat,
    SYS_exit,
    SYS_exit_group,
#ifdef __x86_64__
    SYS_poll,
    SYS_readlink,
    SYS_arch_prctl,
    SYS_time,
#endif
};

} // namespace checker::detail
