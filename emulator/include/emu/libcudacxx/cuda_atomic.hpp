/// \file
/// cuda::atomic and cuda::atomic_ref.
///
/// Every operation is as strong as the strongest order, among all threads. The instruments are told
/// what the program asked for: an operation that releases counts as a fence before it, one that
/// acquires needs none behind it.
#pragma once

#include "emu/language/letters_away.hpp"

#include <atomic>
#include <type_traits>

#include "emu/libcudacxx/cuda_std.hpp"
#include "emu/memory/nv_atomics.hpp"

namespace cuda {

enum thread_scope {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_thread = 10,
};

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

} // namespace cuda

namespace emu {

constexpr Scope scope_of(cuda::thread_scope scope) {
  return scope == cuda::thread_scope_system   ? Scope::system
         : scope == cuda::thread_scope_device ? Scope::device
                                              : Scope::block;
}

/// The operations on one variable. `Derived` has address().
template <class Derived, class T, cuda::thread_scope AtScope> class AtomicOperations {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8,
                "the emulator's atomics hold trivially copyable types of up to 8 bytes");
  using Order = std::memory_order;
  static constexpr Order strongest = std::memory_order_seq_cst;
  /// What is added to a pointer is a distance.
  using Difference = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

public:
  using value_type = T;
  static constexpr bool is_always_lock_free = true;
  /// For headers that do without the standard atomics, which take a compiler half a second.
  static constexpr Order emu_relaxed = std::memory_order_relaxed;
  static bool is_lock_free() { return true; }

  EMU_INLINE T load(Order order = strongest) const {
    note(order, AtomicSort::reads);
    return ordered_load(place());
  }
  EMU_INLINE void store(T value, Order order = strongest) const {
    note(order, AtomicSort::writes);
    ordered_store(place(), value);
  }
  EMU_INLINE operator T() const { return load(); }

  EMU_INLINE T exchange(T value, Order order = strongest) const {
    note(order);
    return ordered_exchange(place(), value);
  }
  EMU_INLINE bool compare_exchange_strong(T &expected, T value, Order order = strongest) const {
    note(order);
    return ordered_swap_if(place(), &expected, value);
  }
  EMU_INLINE bool compare_exchange_strong(T &expected, T value, Order success, Order) const {
    return compare_exchange_strong(expected, value, success);
  }
  EMU_INLINE bool compare_exchange_weak(T &expected, T value, Order order = strongest) const {
    return compare_exchange_strong(expected, value, order);
  }
  EMU_INLINE bool compare_exchange_weak(T &expected, T value, Order success, Order) const {
    return compare_exchange_strong(expected, value, success);
  }

#define EMU_FETCH(NAME, OPERAND) \
  EMU_INLINE T fetch_##NAME(OPERAND value, Order order = strongest) const { \
    note(order); \
    return ordered_##NAME(place(), value); \
  }
  EMU_FETCH(add, Difference)
  EMU_FETCH(sub, Difference)
  EMU_FETCH(and, T)
  EMU_FETCH(or, T)
  EMU_FETCH(xor, T)
  EMU_FETCH(min, T)
  EMU_FETCH(max, T)
#undef EMU_FETCH

  EMU_INLINE T operator++(int) const { return fetch_add(1); }
  EMU_INLINE T operator--(int) const { return fetch_sub(1); }
  EMU_INLINE T operator++() const { return static_cast<T>(fetch_add(1) + 1); }
  EMU_INLINE T operator--() const { return static_cast<T>(fetch_sub(1) - 1); }
  EMU_INLINE T operator+=(Difference value) const {
    return static_cast<T>(fetch_add(value) + value);
  }
  EMU_INLINE T operator-=(Difference value) const {
    return static_cast<T>(fetch_sub(value) - value);
  }
  EMU_INLINE T operator&=(T value) const { return static_cast<T>(fetch_and(value) & value); }
  EMU_INLINE T operator|=(T value) const { return static_cast<T>(fetch_or(value) | value); }
  EMU_INLINE T operator^=(T value) const { return static_cast<T>(fetch_xor(value) ^ value); }

  /// Returns when the value is no longer `old`.
  EMU_INLINE void wait(T old, Order order = strongest) const {
    for (T now = load(order); !differ(now, old); now = load(order))
      yield();
  }
  void notify_one() const {}
  void notify_all() const {}

private:
  T *place() const { return static_cast<const Derived &>(*this).address(); }

  EMU_INLINE void note(Order order, AtomicSort sort = AtomicSort::alone) const {
    note_ordered_atomic(place(), sizeof(T), static_cast<int>(order), scope_of(AtScope), sort);
  }
};

} // namespace emu

namespace cuda {

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public emu::AtomicOperations<atomic<T, Scope>, T, Scope> {
public:
  atomic() = default;
  constexpr atomic(T value) : value_(value) {}
  atomic(const atomic &) = delete;
  atomic &operator=(const atomic &) = delete;
  EMU_INLINE T operator=(T value) {
    this->store(value);
    return value;
  }
  T *address() const { return const_cast<T *>(&value_); }

private:
  alignas(sizeof(T)) T value_;
};

/// Atomic operations on a variable that is none.
template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public emu::AtomicOperations<atomic_ref<T, Scope>, T, Scope> {
public:
  static constexpr size_t required_alignment = sizeof(T);
  explicit atomic_ref(T &variable) : variable_(&variable) {}
  atomic_ref(const atomic_ref &) = default;
  atomic_ref &operator=(const atomic_ref &) = delete;
  EMU_INLINE T operator=(T value) const {
    this->store(value);
    return value;
  }
  T *address() const { return variable_; }

private:
  T *variable_;
};

EMU_INLINE void atomic_thread_fence(memory_order, thread_scope scope = thread_scope_system) {
  emu::fence(emu::scope_of(scope));
}

namespace std {
template <class T> using atomic = cuda::atomic<T, thread_scope_system>;
template <class T> using atomic_ref = cuda::atomic_ref<T, thread_scope_system>;
EMU_INLINE void atomic_thread_fence(memory_order order) { cuda::atomic_thread_fence(order); }
} // namespace std

} // namespace cuda

#include "emu/language/letters_back.hpp"
