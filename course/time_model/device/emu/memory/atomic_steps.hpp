// What atomic functions do, as instructions.
#pragma once

#include "emu/engine/engine.hpp"
#include "emu/engine/instrument.hpp"
#include "emu/memory/device_functions.hpp"
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

// ------------------------------------------------------------- with an order: to the L2, behind fences

inline void
note_ordered_atomic(const void *, unsigned, int order, Scope, AtomicSort sort = AtomicSort::alone) {
  if (order >= __ATOMIC_RELEASE && sort != AtomicSort::reads)
    fence(Scope::device);
}
template <class T> inline T ordered_load(const T *address) {
  return *const_cast<const volatile T *>(address);
}
template <class T> inline void ordered_store(T *address, T value) {
  *const_cast<volatile T *>(address) = value;
}
template <class T> inline bool ordered_swap_if(T *address, T *expected, T desired) {
  const T old = atomic_compare_and_swap(address, *expected, desired);
  const bool same = old == *expected;
  *expected = old;
  return same;
}
#define EMU_ORDERED(NAME) \
  template <class T, class X> inline T ordered_##NAME(T *address, X value) { \
    return atomic_##NAME(address, static_cast<T>(value)); \
  }
EMU_ORDERED(add)
EMU_ORDERED(sub)
EMU_ORDERED(and)
EMU_ORDERED(or)
EMU_ORDERED(xor)
EMU_ORDERED(min)
EMU_ORDERED(max)
EMU_ORDERED(exchange)
#undef EMU_ORDERED

} // namespace emu
