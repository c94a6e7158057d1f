#pragma once

#include <filesystem>
#include <vector>

/// \file
/// What a process gives up for good, and all that it starts or becomes: the kernel sees to it.

namespace fence {

/// Allows the system calls that are needed, and no others (seccomp): memory, threads, time, reading
/// files. No new process, no signal to others, no socket, no memory that outlives it, no tracing, no change
/// to a file or folder. What is refused fails with ENOSYS, so that the program goes on and is judged.
/// \return false, with errno, where the kernel cannot
bool allow_calls_of_program();

/// The same for a compiler, which starts others and writes files.
bool allow_calls_of_compiler();

/// The version of Landlock that this kernel has (Linux 5.13 and newer); 0: none.
int landlock_version();

/// Reads (and runs) only what lies under `readable`, and writes only under `writable`; nothing else, no
/// matter who owns it. Where the kernel can: it also makes no TCP connection and sends no signal to those
/// outside. Paths that are not there are passed over.
/// \return false, with errno, where the kernel cannot
bool restrict_files(const std::vector<std::filesystem::path> &readable,
                    const std::vector<std::filesystem::path> &writable);

} // namespace fence
