/// \file
/// Atomic functions: for the types CUDA has them for, in the scopes block, device and system.
#pragma once

#include "emu/memory/atomic_steps.hpp"

namespace emu {

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
