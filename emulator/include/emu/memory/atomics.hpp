// Atomic functions: for the types CUDA has them for, in the scopes block, device and system.
//
// Blocks run on several host threads, so these are real atomics. They are relaxed, as on a device:
// what else a thread wrote is ordered by fences only. All scopes act as the widest one; the
// instruments are told which one it was.
#pragma once

#include <type_traits>

#include "emu/engine/engine.hpp"
#include "emu/engine/instrument.hpp"

namespace emu {

/// Makes `new = update(old)` one indivisible step and returns the old value. Shared memory is its block's,
/// whose threads take turns on one host thread: nobody comes in between, and nothing need be locked.
/// \param locked  does the same step on memory that other host threads reach
template <class T> EMU_UNOBSERVED inline T atomic_step(T *address, auto update, auto locked) {
  T old;
  if (is_shared_here(address)) {
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
template <class T> EMU_UNOBSERVED inline T atomic_update(T *address, auto update) {
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

/// What an instruction for integers of 4 bytes is, if all lanes do the same.
template <class T> constexpr AtomicSort integer_sort() {
  return std::is_integral_v<T> && sizeof(T) == 4 ? AtomicSort::combines : AtomicSort::alone;
}
/// The sort of an addition, of which shared memory has a quicker one.
template <class T> inline AtomicSort sort_of_adding(T value) {
  if constexpr (integer_sort<T>() == AtomicSort::combines)
    return value == T{1} ? AtomicSort::adds_one : AtomicSort::combines;
  else
    return AtomicSort::alone;
}

} // namespace emu

#define EMU_ATOMIC_SCOPE(NAME, T, FUNCTION, SCOPE, SORT) \
  template <class = void> EMU_INLINE T NAME(T *address, T value) { \
    emu::note_atomic(address, sizeof(T), emu::Scope::SCOPE, SORT); \
    return emu::FUNCTION(address, value); \
  }
#define EMU_ATOMIC_SCOPES(NAME, T, FUNCTION, SORT) \
  EMU_ATOMIC_SCOPE(NAME, T, FUNCTION, device, SORT) \
  EMU_ATOMIC_SCOPE(NAME##_block, T, FUNCTION, block, SORT) \
  EMU_ATOMIC_SCOPE(NAME##_system, T, FUNCTION, system, SORT)
#define EMU_ATOMIC(NAME, T, FUNCTION) EMU_ATOMIC_SCOPES(NAME, T, FUNCTION, emu::integer_sort<T>())
#define EMU_ATOMIC_ADD(T) EMU_ATOMIC_SCOPES(atomicAdd, T, atomic_add, emu::sort_of_adding(value))
#define EMU_ATOMIC_EXCHANGE(T) \
  EMU_ATOMIC_SCOPES(atomicExch, T, atomic_exchange, emu::AtomicSort::alone)

EMU_ATOMIC_ADD(int)
EMU_ATOMIC_ADD(unsigned int)
EMU_ATOMIC_ADD(unsigned long long)
EMU_ATOMIC_ADD(float)
EMU_ATOMIC_ADD(double)
EMU_ATOMIC_ADD(float2)
EMU_ATOMIC_ADD(float4)

EMU_ATOMIC(atomicSub, int, atomic_sub)
EMU_ATOMIC(atomicSub, unsigned int, atomic_sub)

EMU_ATOMIC_EXCHANGE(int)
EMU_ATOMIC_EXCHANGE(unsigned int)
EMU_ATOMIC_EXCHANGE(unsigned long long)
EMU_ATOMIC_EXCHANGE(float)

#define EMU_ATOMIC_MIN_MAX(T) \
  EMU_ATOMIC(atomicMin, T, atomic_min) \
  EMU_ATOMIC(atomicMax, T, atomic_max)
EMU_ATOMIC_MIN_MAX(int)
EMU_ATOMIC_MIN_MAX(unsigned int)
EMU_ATOMIC_MIN_MAX(long long)
EMU_ATOMIC_MIN_MAX(unsigned long long)

EMU_ATOMIC(atomicInc, unsigned int, atomic_increment)
EMU_ATOMIC(atomicDec, unsigned int, atomic_decrement)

#define EMU_ATOMIC_BITWISE(T) \
  EMU_ATOMIC(atomicAnd, T, atomic_and) \
  EMU_ATOMIC(atomicOr, T, atomic_or) \
  EMU_ATOMIC(atomicXor, T, atomic_xor)
EMU_ATOMIC_BITWISE(int)
EMU_ATOMIC_BITWISE(unsigned int)
EMU_ATOMIC_BITWISE(unsigned long long)

#define EMU_ATOMIC_CAS(NAME, T, SCOPE) \
  template <class = void> EMU_INLINE T NAME(T *address, T expected, T value) { \
    emu::note_atomic(address, \
                     sizeof(T), \
                     emu::Scope::SCOPE, \
                     emu::AtomicSort::compare, \
                     static_cast<std::make_unsigned_t<T>>(expected)); \
    return emu::atomic_compare_and_swap(address, expected, value); \
  }
#define EMU_ATOMIC_CAS_SCOPES(T) \
  EMU_ATOMIC_CAS(atomicCAS, T, device) \
  EMU_ATOMIC_CAS(atomicCAS_block, T, block) \
  EMU_ATOMIC_CAS(atomicCAS_system, T, system)
EMU_ATOMIC_CAS_SCOPES(int)
EMU_ATOMIC_CAS_SCOPES(unsigned int)
EMU_ATOMIC_CAS_SCOPES(unsigned long long)
EMU_ATOMIC_CAS_SCOPES(unsigned short)

#undef EMU_ATOMIC_CAS_SCOPES
#undef EMU_ATOMIC_CAS
#undef EMU_ATOMIC_BITWISE
#undef EMU_ATOMIC_MIN_MAX
#undef EMU_ATOMIC
#undef EMU_ATOMIC_SCOPE
