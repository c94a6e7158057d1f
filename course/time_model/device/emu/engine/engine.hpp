// What a kernel asks of the emulator's engine, as a GPU answers it: registers that say who a thread is. What
// only the emulator has stays a call of a function that nobody defines; a kernel that comes there is
// refused, by that function's name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/language/keywords.hpp"
#include "emu/language/types.hpp"

#include <__clang_cuda_builtin_vars.h>

namespace emu {

struct Site {
  const char *file = "";
  int line = 0;
};
struct Exchanged {
  const uint64_t *values;
  unsigned met;
  static constexpr unsigned absent = 0; // hazards are not looked for here
};

/// Behind it, shared memory is read anew, as nvcc does: clang's own barrier lets a thread's last word stand for what
/// others may have written.
inline void barrier(Site) {
#ifdef __CUDA_ARCH__
  __syncthreads();
  asm volatile("" ::: "memory");
#endif
}
enum class Meet : uint8_t { sync, shuffle, vote, match, reduce };
Exchanged exchange(unsigned mask, uint64_t value, Site site, Meet meet = Meet::sync);
/// Lanes that meet and hand nothing over.
inline void exchange([[maybe_unused]] unsigned mask, int, Site) {
#ifdef __CUDA_ARCH__
  __nvvm_bar_warp_sync(mask);
#endif
}
void barrier_of(int first, int count, Site site);
const void **thread_slots();
void grid_barrier(Site site);
template <class T> inline bool differ(const T &a, const T &b) { return a != b; }
inline void yield() {}
inline void spin_hint() {}
bool in_cooperative_launch();
bool in_kernel();
inline bool next_thread() { return false; }
inline bool is_shared_here(const void *) { return true; } // of barriers alone it is asked

inline int lane_id() {
#ifdef __CUDA_ARCH__
  return __nvvm_read_ptx_sreg_laneid();
#else
  return 0;
#endif
}

inline unsigned converge(Site) {
  unsigned mask = 1;
#ifdef __CUDA_ARCH__
  asm volatile("activemask.b32 %0;" : "=r"(mask));
#endif
  return mask;
}

inline void complain(const char *, const char *, Site, uint3 = {}, Site = {}) {}
[[noreturn]] void fail_launch(int error, const char *kind, const char *text, Site site);

} // namespace emu
