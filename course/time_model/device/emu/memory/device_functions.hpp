// Fences, clocks and the ways to stop, as instructions.
#pragma once

#include <time.h>

#include "emu/engine/engine.hpp"
#include "emu/engine/instrument.hpp"
#include "emu/warp/sync.hpp"

namespace emu {
inline void fence(Scope scope) {
  EMU_ON_DEVICE(if (scope == Scope::block) __nvvm_membar_cta(); else __nvvm_membar_gl();)
}
} // namespace emu
inline void __threadfence_system() { emu::fence(emu::Scope::system); }
inline void __threadfence() { emu::fence(emu::Scope::device); }
inline void __threadfence_block() { emu::fence(emu::Scope::block); }

inline long long clock64() {
  EMU_ON_DEVICE(return __nvvm_read_ptx_sreg_clock64();)
  return 0;
}

inline void cudaTriggerProgrammaticLaunchCompletion() {}
inline void cudaGridDependencySynchronize() {}
inline void __nanosleep(unsigned) {}

[[noreturn]] inline void __trap(const char * = "", int = 0) { __builtin_trap(); }
[[noreturn]] inline void __brkpt(const char * = "", int = 0) { __builtin_trap(); }
#define __prof_trigger(counter) static_cast<void>(counter)
