/// \file
/// Turns a crash inside a kernel into the CUDA error that a device would give.
#pragma once

namespace emu {

/// Gives the calling host thread a stack for signal handlers, so that a kernel that overruns its
/// own stack can still be reported.
void give_signal_stack();

/// While it lives (during a launch), faults of kernels are caught; others go where they went before.
class FaultHandlers {
public:
  FaultHandlers();
  ~FaultHandlers();
  FaultHandlers(const FaultHandlers &) = delete;
  FaultHandlers &operator=(const FaultHandlers &) = delete;
};

} // namespace emu
