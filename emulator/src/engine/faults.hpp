/// \file
/// What is said of a crash inside a kernel, and the CUDA error that a device would give.
#pragma once

namespace emu {

/// What a handler has noted of a kernel's fault.
struct Fault {
  int signal = 0; // 0: none
  const char *address = nullptr;
  bool has_address = true; // the processor tells none of a misaligned access
};
/// Says what has happened and records the launch's error. To be called from the host thread's own stack,
/// with the indices of the thread that did it.
/// \param stack_owner  the CUDA thread on whose stack's end the address lies; -1: on none
void tell_fault(const Fault &fault, int stack_owner);

} // namespace emu
