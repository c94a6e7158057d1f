/// \file
/// What atomic functions do, one step each, with an order and without.
///
/// Blocks run on several host threads, so these are real atomics. Those without an order are relaxed, as on a device:
/// what else a thread wrote is ordered by fences only; those with one are as strong as the strongest. All scopes act as
/// the widest one; the instruments are told which one it was.
#pragma once

#include <type_traits>

#include "emu/engine/engine.hpp"
#include "emu/engine/instrument.hpp"

namespace emu {

/// Makes `new = update(old)` one indivisible step and returns the old value. Shared memory is its block's,
/// whose threads take turns on one host thread: nobody comes in between, and nothing need be locked.
/// \param locked  does the same step on memory that other host threads reach
template <class T> EMU_UNOBSERVED inline auto atomic_step(T *address, auto update, auto locked) {
  T old;
  if (is_shared_here(address)) [[likely]] {
    T next;
    do { // under observation another thread's turn may come within update
      old = *address;
      next = update(old);
    } while (differ(*address, old));
    *address = next;
  } else {
    old = locked();
  }
  spin_hint_of(old, update);
  return old;
}

/// The same for any type of 1, 2, 4 or 8 bytes; values are compared by their bits, as a NaN equals nothing
/// else.
template <class T> EMU_UNOBSERVED inline auto atomic_update(T *address, auto update) {
  return atomic_step(address, update, [=]() EMU_UNOBSERVED {
    T old;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    for (;;) {
      T next = update(old);
      if (__atomic_compare_exchange(address, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return old;
    }
  });
}

template <class T> EMU_UNOBSERVED inline T atomic_add(T *address, T value) {
  using Bits = std::make_unsigned_t<T>; // which wraps around
  return atomic_step(
      address,
      [=](T old) EMU_UNOBSERVED {
        return static_cast<T>(static_cast<Bits>(old) + static_cast<Bits>(value));
      },
      [=]() EMU_UNOBSERVED { return __atomic_fetch_add(address, value, __ATOMIC_RELAXED); });
}
EMU_UNOBSERVED inline float atomic_add(float *address, float value) {
  return atomic_update(address, [value](float old) EMU_UNOBSERVED { return old + value; });
}
EMU_UNOBSERVED inline double atomic_add(double *address, double value) {
  return atomic_update(address, [value](double old) EMU_UNOBSERVED { return old + value; });
}
// A vector is added element by element: each is atomic, the whole is not. So it is on a device.
EMU_UNOBSERVED inline float2 atomic_add(float2 *address, float2 value) {
  return {atomic_add(&address->x, value.x), atomic_add(&address->y, value.y)};
}
EMU_UNOBSERVED inline float4 atomic_add(float4 *address, float4 value) {
  return {atomic_add(&address->x, value.x),
          atomic_add(&address->y, value.y),
          atomic_add(&address->z, value.z),
          atomic_add(&address->w, value.w)};
}

template <class T> EMU_UNOBSERVED inline T atomic_sub(T *address, T value) {
  return atomic_add(address, static_cast<T>(-static_cast<std::make_unsigned_t<T>>(value)));
}

template <class T> EMU_UNOBSERVED inline T atomic_exchange(T *address, T value) {
  T old;
  __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
  spin_hint(differ(value, old));
  return old;
}

template <class T> EMU_UNOBSERVED inline T atomic_min(T *address, T value) {
  return atomic_update(address,
                       [value](T old) EMU_UNOBSERVED { return value < old ? value : old; });
}
template <class T> EMU_UNOBSERVED inline T atomic_max(T *address, T value) {
  return atomic_update(address,
                       [value](T old) EMU_UNOBSERVED { return old < value ? value : old; });
}

/// Counts up to `last` and then starts again at 0.
EMU_UNOBSERVED inline unsigned atomic_increment(unsigned *address, unsigned last) {
  return atomic_update(address,
                       [last](unsigned old) EMU_UNOBSERVED { return old >= last ? 0 : old + 1; });
}
/// Counts down from `last` to 0 and then starts again at `last`.
EMU_UNOBSERVED inline unsigned atomic_decrement(unsigned *address, unsigned last) {
  return atomic_update(address, [last](unsigned old) EMU_UNOBSERVED {
    return old == 0 || old > last ? last : old - 1;
  });
}

template <class T>
EMU_UNOBSERVED inline T atomic_compare_and_swap(T *address, T expected, T value) {
  const bool done = __atomic_compare_exchange(
      address, &expected, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  spin_hint(done && differ(value, expected));
  return expected; // the old value, whether it was the expected one or not
}

template <class T> EMU_UNOBSERVED inline T atomic_and(T *address, T value) {
  const T old = __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
  spin_hint((old & value) != old);
  return old;
}
template <class T> EMU_UNOBSERVED inline T atomic_or(T *address, T value) {
  const T old = __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
  spin_hint((old | value) != old);
  return old;
}
template <class T> EMU_UNOBSERVED inline T atomic_xor(T *address, T value) {
  const T old = __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
  spin_hint(value != 0);
  return old;
}

// ------------------------------------------------------------------------------ with an order

constexpr bool nv_acquires(int order) {
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}
/// \param order  one of __ATOMIC_…, of __NV_ATOMIC_…, or a std::memory_order: they have the same numbers
EMU_INLINE void note_ordered_atomic(const void *address,
                                    unsigned bytes,
                                    int order,
                                    Scope scope,
                                    AtomicSort sort = AtomicSort::alone) {
  if (order >= __ATOMIC_RELEASE && sort != AtomicSort::reads)
    note_fence(scope);
  note_atomic(address, bytes, scope, sort);
  if (nv_acquires(order))
    note_acquire();
}

template <class T> EMU_UNOBSERVED inline T ordered_load(const T *address) {
  T value;
  __atomic_load(address, &value, __ATOMIC_SEQ_CST);
  spin_hint();
  return value;
}
template <class T> EMU_UNOBSERVED inline void ordered_store(T *address, T value) {
  __atomic_store(address, &value, __ATOMIC_SEQ_CST);
  spin_hint(true);
}
template <class T> EMU_UNOBSERVED inline T ordered_update(T *address, auto update) {
  T old;
  __atomic_load(address, &old, __ATOMIC_SEQ_CST);
  for (T next = update(old);
       !__atomic_compare_exchange(address, &old, &next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);)
    next = update(old);
  spin_hint_of(old, update);
  return old;
}
template <class T> EMU_UNOBSERVED inline bool ordered_swap_if(T *address, T *expected, T desired) {
  const bool done = __atomic_compare_exchange(
      address, expected, &desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  spin_hint(done && differ(desired, *expected));
  return done;
}
#define EMU_ORDERED(NAME, EXPRESSION) \
  template <class T, class X> EMU_UNOBSERVED inline T ordered_##NAME(T *address, X value) { \
    return ordered_update(address, \
                          [value](T old) EMU_UNOBSERVED { return static_cast<T>(EXPRESSION); }); \
  }
EMU_ORDERED(add, old + value)
EMU_ORDERED(sub, old - value)
EMU_ORDERED(and, old &value)
EMU_ORDERED(or, old | value)
EMU_ORDERED(xor, old ^ value)
EMU_ORDERED(min, value < old ? value : old)
EMU_ORDERED(max, old < value ? value : old)
EMU_ORDERED(exchange, (static_cast<void>(old), value))
#undef EMU_ORDERED

} // namespace emu
