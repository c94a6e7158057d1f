#pragma once

/// \file
/// The system calls that are needed, and no others (seccomp): libseccomp makes the kernel's filter.

namespace fence {

/// Allows, to this process for good and to the program that it becomes: memory, threads, time, reading
/// files. No new process, no signal to others, no socket, no memory that outlives it, no tracing, no change
/// to a file or folder. What is refused fails with ENOSYS, so that the program goes on and is judged.
/// \return false, with errno, where the kernel cannot
bool allow_calls_of_program();

/// The same for a compiler, which starts others and writes files.
bool allow_calls_of_compiler();

} // namespace fence
