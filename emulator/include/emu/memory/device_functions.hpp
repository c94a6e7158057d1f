// Fences, clocks and the ways to stop: device functions that are neither arithmetic nor warps.
#pragma once

#include <time.h>

#include "emu/engine/engine.hpp"
#include "emu/engine/instrument.hpp"

namespace emu {

/// Every fence is as strong as the strongest: the emulator's threads share one memory.
EMU_UNOBSERVED inline void fence(Scope scope) {
  note_fence(scope);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  spin_hint();
}

/// Ends the kernel with cudaErrorLaunchFailure; outside a kernel, the program.
[[noreturn]] void trap(Site site);

/// What `asm` with PTX inside becomes: code that never comes there does no harm. Ends the launch.
[[noreturn,
  gnu::warning("inline PTX (asm) does not run on the CPU: guard it with "
               "#ifndef BUILD_FIRST_EMULATOR")]] void
inline_ptx(const char *instructions,
           const char *file = __builtin_FILE(),
           int line = __builtin_LINE());

/// An instruction that is there, but not with these operands or modifiers, ends the launch, too.
[[noreturn,
  gnu::warning("an instruction of inline PTX with operands or modifiers that it does not have "
               "here: is their number right?")]] void
misfit_ptx(const char *name, size_t operands, const char *file, int line);

/// An instruction of PTX that is not there ends the launch; the rewriter has warned of it.
/// \param instead  what to use; empty: nothing
[[noreturn]] void absent_ptx(const char *name,
                             const char *instead,
                             const char *file = __builtin_FILE(),
                             int line = __builtin_LINE());

/// PTX's numbers of SMs: blocks are dealt to them in turn.
namespace ptx {
unsigned smid();
unsigned nsmid();
} // namespace ptx

} // namespace emu

inline void __threadfence_system() { emu::fence(emu::Scope::system); }
inline void __threadfence() { emu::fence(emu::Scope::device); }
inline void __threadfence_block() { emu::fence(emu::Scope::block); }

/// The device's clock, in cycles of 1 ns. In a kernel clock() is its low bits, elsewhere it is the
/// C library's. It measures the emulation: compare it with nothing on a GPU.
long long clock64();

/// Programmatic dependent launch. A kernel begins here only when the one before it is done, so what
/// it waits for has always happened.
inline void cudaTriggerProgrammaticLaunchCompletion() {}
inline void cudaGridDependencySynchronize() {}

/// Lets the other threads of the block run; does not wait for the time given.
inline void __nanosleep(unsigned int /*nanoseconds*/) { emu::yield(); }

[[noreturn]] inline void __trap(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  emu::trap({file, line});
}
[[noreturn]] inline void __brkpt(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  emu::trap({file, line});
}

/// Bumps a counter for a profiler; there is none.
#define __prof_trigger(counter) static_cast<void>(counter)
