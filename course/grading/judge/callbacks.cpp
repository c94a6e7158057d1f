// What the compiler calls in a checker that is compiled for observation. Here there are no instruments;
// but what a checker does to memory that it shares with kernels, those in the other process shall know.
#include "judge/mirrors.hpp"

#include <cstdint>
#include <cstring>

using judge::Mirrors;

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}

#define TOUCH(prefix, size) \
  void __tsan_##prefix##read##size(void *p) { Mirrors::touched(p, size, false); } \
  void __tsan_##prefix##write##size(void *p) { Mirrors::touched(p, size, true); } \
  void __tsan_##prefix##read_write##size(void *p) { \
    Mirrors::touched(p, size, false); \
    Mirrors::touched(p, size, true); \
  }
#define TOUCHES(prefix) \
  TOUCH(prefix, 1) TOUCH(prefix, 2) TOUCH(prefix, 4) TOUCH(prefix, 8) TOUCH(prefix, 16)
TOUCHES()
TOUCHES(unaligned_)
TOUCHES(volatile_)
TOUCHES(unaligned_volatile_)

void __tsan_read_range(void *p, size_t n) { Mirrors::touched(p, n, false); }
void __tsan_write_range(void *p, size_t n) { Mirrors::touched(p, n, true); }
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}

void *__tsan_memcpy(void *to, const void *from, size_t n) {
  Mirrors::touched(from, n, false);
  Mirrors::touched(to, n, true);
  return std::memcpy(to, from, n);
}
void *__tsan_memmove(void *to, const void *from, size_t n) {
  Mirrors::touched(from, n, false);
  Mirrors::touched(to, n, true);
  return std::memmove(to, from, n);
}
void *__tsan_memset(void *to, int value, size_t n) {
  Mirrors::touched(to, n, true);
  return std::memset(to, value, n);
}

// Of the standard library's own counts of references; a checker has no other atomics.
#define ATOMICS(bits, T) \
  T __tsan_atomic##bits##_load(const volatile T *p, int) { \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST); \
  } \
  void __tsan_atomic##bits##_store(volatile T *p, T v, int) { \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST); \
  } \
  T __tsan_atomic##bits##_fetch_add(volatile T *p, T v, int) { \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); \
  } \
  T __tsan_atomic##bits##_fetch_sub(volatile T *p, T v, int) { \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST); \
  }
ATOMICS(8, uint8_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __ubsan_handle_type_mismatch_v1(const void *, void *) {}
void __ubsan_handle_shift_out_of_bounds(const void *, void *, void *) {}
void __sanitizer_cov_trace_pc() {}

} // extern "C"
