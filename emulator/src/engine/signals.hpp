/// \file
/// Turns a crash inside a kernel into the CUDA error that a device would give.
#pragma once

#include <array>
#include <csignal>

namespace emu {

/// Gives the calling host thread a stack for signal handlers, so that a kernel that overruns its
/// own stack can still be reported.
void give_signal_stack();

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

/// While it lives (during a launch), faults of kernels are caught; others go where they went before.
class FaultHandlers {
public:
  FaultHandlers();
  ~FaultHandlers();
  FaultHandlers(const FaultHandlers &) = delete;
  FaultHandlers &operator=(const FaultHandlers &) = delete;

private:
  std::array<struct sigaction, 3> before_;
};

} // namespace emu
