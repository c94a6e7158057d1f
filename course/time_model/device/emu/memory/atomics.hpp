// Atomic functions, as instructions.
#pragma once

#include "emu/engine/engine.hpp"
#include "emu/engine/instrument.hpp"
#include "emu/warp/sync.hpp"

namespace emu {

template <class T, class Update> inline T atomic_update(T *address, Update update) {
  T old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  for (;;) {
    T next = update(old);
    if (__atomic_compare_exchange(address, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return old;
  }
}
template <class T> inline T atomic_add(T *address, T value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
inline float atomic_add(float *address, float value) {
  EMU_ON_DEVICE(return __nvvm_atom_add_gen_f(address, value);)
  return *address + value;
}
inline double atomic_add(double *address, double value) {
  EMU_ON_DEVICE(return __nvvm_atom_add_gen_d(address, value);)
  return *address + value;
}
inline float2 atomic_add(float2 *address, float2 value) {
  return {atomic_add(&address->x, value.x), atomic_add(&address->y, value.y)};
}
inline float4 atomic_add(float4 *address, float4 value) {
  return {atomic_add(&address->x, value.x),
          atomic_add(&address->y, value.y),
          atomic_add(&address->z, value.z),
          atomic_add(&address->w, value.w)};
}
template <class T> inline T atomic_sub(T *address, T value) {
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
template <class T> inline T atomic_exchange(T *address, T value) {
  T old;
  __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
  return old;
}
template <class T> inline T atomic_min(T *address, T value) {
  return __atomic_fetch_min(address, value, __ATOMIC_RELAXED);
}
template <class T> inline T atomic_max(T *address, T value) {
  return __atomic_fetch_max(address, value, __ATOMIC_RELAXED);
}
inline unsigned atomic_increment(unsigned *address, unsigned last) {
  EMU_ON_DEVICE(return __nvvm_atom_inc_gen_ui(address, last);)
  return *address + last;
}
inline unsigned atomic_decrement(unsigned *address, unsigned last) {
  EMU_ON_DEVICE(return __nvvm_atom_dec_gen_ui(address, last);)
  return *address + last;
}
template <class T> inline T atomic_compare_and_swap(T *address, T expected, T value) {
  __atomic_compare_exchange(address, &expected, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T> inline T atomic_and(T *address, T value) {
  return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}
template <class T> inline T atomic_or(T *address, T value) {
  return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}
template <class T> inline T atomic_xor(T *address, T value) {
  return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}
template <class T> constexpr AtomicSort integer_sort() { return AtomicSort::alone; }
template <class T> inline AtomicSort sort_of_adding(T) { return AtomicSort::alone; }

} // namespace emu

#define EMU_ATOMIC(NAME, FUNCTION, T) \
  inline T NAME(T *address, T value) { return emu::FUNCTION(address, value); } \
  inline T NAME##_block(T *address, T value) { return emu::FUNCTION(address, value); } \
  inline T NAME##_system(T *address, T value) { return emu::FUNCTION(address, value); }
#define EMU_ATOMIC_32(NAME, FUNCTION) \
  EMU_ATOMIC(NAME, FUNCTION, int) \
  EMU_ATOMIC(NAME, FUNCTION, unsigned int)
#define EMU_ATOMIC_ALL(NAME, FUNCTION) \
  EMU_ATOMIC_32(NAME, FUNCTION) \
  EMU_ATOMIC(NAME, FUNCTION, unsigned long long)
EMU_ATOMIC_ALL(atomicAdd, atomic_add)
EMU_ATOMIC(atomicAdd, atomic_add, float)
EMU_ATOMIC(atomicAdd, atomic_add, double)
EMU_ATOMIC(atomicAdd, atomic_add, float2)
EMU_ATOMIC(atomicAdd, atomic_add, float4)
EMU_ATOMIC_32(atomicSub, atomic_sub)
EMU_ATOMIC_ALL(atomicExch, atomic_exchange)
EMU_ATOMIC(atomicExch, atomic_exchange, float)
EMU_ATOMIC_ALL(atomicMin, atomic_min)
EMU_ATOMIC(atomicMin, atomic_min, long long)
EMU_ATOMIC_ALL(atomicMax, atomic_max)
EMU_ATOMIC(atomicMax, atomic_max, long long)
EMU_ATOMIC(atomicInc, atomic_increment, unsigned int)
EMU_ATOMIC(atomicDec, atomic_decrement, unsigned int)
EMU_ATOMIC_ALL(atomicAnd, atomic_and)
EMU_ATOMIC_ALL(atomicOr, atomic_or)
EMU_ATOMIC_ALL(atomicXor, atomic_xor)

#define EMU_ATOMIC_CAS(T) \
  inline T atomicCAS(T *address, T expected, T value) { \
    return emu::atomic_compare_and_swap(address, expected, value); \
  } \
  inline T atomicCAS_block(T *address, T expected, T value) { \
    return emu::atomic_compare_and_swap(address, expected, value); \
  } \
  inline T atomicCAS_system(T *address, T expected, T value) { \
    return emu::atomic_compare_and_swap(address, expected, value); \
  }
EMU_ATOMIC_CAS(int)
EMU_ATOMIC_CAS(unsigned int)
EMU_ATOMIC_CAS(unsigned long long)
#undef EMU_ATOMIC_CAS
#undef EMU_ATOMIC_ALL
#undef EMU_ATOMIC_32
#undef EMU_ATOMIC
