/// \file
/// `__nv_atomic_load_n`, `__nv_atomic_fetch_add` and their kin: atomics with an order and a scope
/// (CUDA 12.8 and later).
///
/// Every operation is as strong as the strongest order, among all threads. The instruments are told
/// what the program asked for: an operation that releases counts as a fence before it.
#pragma once

#include "emu/memory/atomics.hpp"
#include "emu/memory/device_functions.hpp"

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

namespace emu {

constexpr Scope nv_scope(int scope) {
  return scope == __NV_THREAD_SCOPE_SYSTEM    ? Scope::system
         : scope == __NV_THREAD_SCOPE_DEVICE  ? Scope::device
         : scope == __NV_THREAD_SCOPE_CLUSTER ? Scope::cluster
                                              : Scope::block;
}
} // namespace emu

#define EMU_ORDER_SCOPE int order, int scope = __NV_THREAD_SCOPE_SYSTEM
#define EMU_NOTE_NV(SORT) \
  emu::note_ordered_atomic(address, sizeof(T), order, emu::nv_scope(scope), SORT)

EMU_INLINE void __nv_atomic_thread_fence(int, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  emu::fence(emu::nv_scope(scope));
}
template <class T> EMU_INLINE T __nv_atomic_load_n(const T *address, EMU_ORDER_SCOPE) {
  EMU_NOTE_NV(emu::AtomicSort::reads);
  return emu::ordered_load(address);
}
template <class T> EMU_INLINE void __nv_atomic_load(const T *address, T *value, EMU_ORDER_SCOPE) {
  *value = __nv_atomic_load_n(address, order, scope);
}
template <class T>
EMU_INLINE void __nv_atomic_store_n(T *address, std::type_identity_t<T> value, EMU_ORDER_SCOPE) {
  EMU_NOTE_NV(emu::AtomicSort::writes);
  emu::ordered_store(address, value);
}
template <class T> EMU_INLINE void __nv_atomic_store(T *address, T *value, EMU_ORDER_SCOPE) {
  __nv_atomic_store_n(address, *value, order, scope);
}
template <class T>
EMU_INLINE bool __nv_atomic_compare_exchange_n(T *address,
                                               T *expected,
                                               std::type_identity_t<T> desired,
                                               bool /*weak*/,
                                               int order,
                                               int /*order_of_failure*/,
                                               int scope = __NV_THREAD_SCOPE_SYSTEM) {
  EMU_NOTE_NV(emu::AtomicSort::alone);
  return emu::ordered_swap_if(address, expected, desired);
}
template <class T>
EMU_INLINE bool __nv_atomic_compare_exchange(T *address,
                                             T *expected,
                                             T *desired,
                                             bool weak,
                                             int order,
                                             int order_of_failure,
                                             int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(
      address, expected, *desired, weak, order, order_of_failure, scope);
}

/// One that returns the old value, under NAME.
#define EMU_NV_ATOMIC(NAME, STEP) \
  template <class T> \
  EMU_INLINE T NAME(T *address, std::type_identity_t<T> value, EMU_ORDER_SCOPE) { \
    EMU_NOTE_NV(emu::AtomicSort::alone); \
    return emu::ordered_##STEP(address, value); \
  }
/// The same and another one that returns nothing.
#define EMU_NV_ATOMIC_PAIR(WHAT) \
  EMU_NV_ATOMIC(__nv_atomic_fetch_##WHAT, WHAT) \
  template <class T> \
  EMU_INLINE void __nv_atomic_##WHAT(T *address, std::type_identity_t<T> value, EMU_ORDER_SCOPE) { \
    __nv_atomic_fetch_##WHAT(address, value, order, scope); \
  }
EMU_NV_ATOMIC_PAIR(add)
EMU_NV_ATOMIC_PAIR(sub)
EMU_NV_ATOMIC_PAIR(and)
EMU_NV_ATOMIC_PAIR(or)
EMU_NV_ATOMIC_PAIR(xor)
EMU_NV_ATOMIC_PAIR(min)
EMU_NV_ATOMIC_PAIR(max)
EMU_NV_ATOMIC(__nv_atomic_exchange_n, exchange)
template <class T>
EMU_INLINE void __nv_atomic_exchange(T *address, T *value, T *old, EMU_ORDER_SCOPE) {
  *old = __nv_atomic_exchange_n(address, *value, order, scope);
}

#undef EMU_NV_ATOMIC_PAIR
#undef EMU_NV_ATOMIC
#undef EMU_NOTE_NV
#undef EMU_ORDER_SCOPE
