#pragma once

/// \file
/// The system calls that no exercise needs, refused by the kernel (seccomp).

namespace fence {

/// Refuses, to this process for good and to the program that it becomes: new processes (threads
/// are fine), signals to others, sockets, shared memory that outlives it, tracing, namespaces,
/// changes of folders, opening any file to write. What is refused fails with EPERM, so that the
/// program goes on and is judged.
///
/// It is a list of what is refused: what a kernel learns later is not on it.
/// \return false, with errno, where the kernel cannot
bool refuse_calls_of_program();

/// The same for a compiler, which starts others and writes files: sockets, tracing, namespaces.
bool refuse_calls_of_compiler();

} // namespace fence
