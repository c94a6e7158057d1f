/// \file
/// What is said of a crash inside a kernel, and the CUDA error that a device would give.
#pragma once

#include <cstddef>

namespace emu {

/// What a handler has noted of a kernel's fault.
struct Fault {
  int signal = 0; // 0: none
  const char *address = nullptr;
  bool has_address = true; // the processor tells none of a misaligned access
  const char *instruction = nullptr;
};
/// Says what has happened and records the launch's error. To be called from the host thread's own stack,
/// with the indices of the thread that did it.
/// \param local_memory  bytes of local memory that a thread has, if that was an overrun of its stack; else 0
void tell_fault(const Fault &fault, size_t local_memory);
/// The same of a thread that has used up its stack.
/// \param instruction  as a return address
void tell_overrun(size_t local_memory, const char *instruction);

} // namespace emu
