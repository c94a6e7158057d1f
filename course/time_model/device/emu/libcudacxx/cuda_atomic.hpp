// cuda::atomic and cuda::atomic_ref, as instructions: loads and stores that go to the L2, and fences.
#pragma once

#include <atomic>
#include <type_traits>

#include "emu/libcudacxx/cuda_std.hpp"
#include "emu/memory/atomics.hpp"
#include "emu/memory/device_functions.hpp"

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

template <class Derived, class T> class AtomicOperations {
  using Order = std::memory_order;
  static constexpr Order strongest = std::memory_order_seq_cst;
  using Difference = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

public:
  using value_type = T;
  T load(Order = strongest) const { return *const_cast<const volatile T *>(place()); }
  void store(T value, Order order = strongest) const {
    before(order);
    *const_cast<volatile T *>(place()) = value;
  }
  operator T() const { return load(); }
  T exchange(T value, Order order = strongest) const {
    before(order);
    return atomic_exchange(place(), value);
  }
  bool
  compare_exchange_strong(T &expected, T value, Order order = strongest, Order = strongest) const {
    before(order);
    const T old = atomic_compare_and_swap(place(), expected, value);
    const bool same = old == expected;
    expected = old;
    return same;
  }
  bool
  compare_exchange_weak(T &expected, T value, Order order = strongest, Order = strongest) const {
    return compare_exchange_strong(expected, value, order);
  }
  T fetch_add(Difference value, Order order = strongest) const {
    before(order);
    return atomic_add(place(), static_cast<T>(value));
  }
  T fetch_sub(Difference value, Order order = strongest) const {
    before(order);
    return atomic_sub(place(), static_cast<T>(value));
  }
  T fetch_and(T value, Order = strongest) const { return atomic_and(place(), value); }
  T fetch_or(T value, Order = strongest) const { return atomic_or(place(), value); }
  T fetch_xor(T value, Order = strongest) const { return atomic_xor(place(), value); }
  T fetch_min(T value, Order = strongest) const { return atomic_min(place(), value); }
  T fetch_max(T value, Order = strongest) const { return atomic_max(place(), value); }
  T operator++(int) const { return fetch_add(1); }
  T operator++() const { return static_cast<T>(fetch_add(1) + 1); }
  T operator+=(Difference value) const { return static_cast<T>(fetch_add(value) + value); }
  void wait(T old, Order = strongest) const {
    while (load() == old) {
    }
  }
  void notify_one() const {}
  void notify_all() const {}

private:
  T *place() const { return static_cast<const Derived &>(*this).address(); }
  static void before(Order order) {
    if (order != std::memory_order_relaxed && order != std::memory_order_acquire)
      fence(Scope::device);
  }
};

} // namespace emu

namespace cuda {

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public emu::AtomicOperations<atomic<T, Scope>, T> {
public:
  atomic() = default;
  constexpr atomic(T value) : value_(value) {}
  T operator=(T value) {
    this->store(value);
    return value;
  }
  T *address() const { return const_cast<T *>(&value_); }

private:
  alignas(sizeof(T)) T value_;
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public emu::AtomicOperations<atomic_ref<T, Scope>, T> {
public:
  static constexpr size_t required_alignment = sizeof(T);
  explicit atomic_ref(T &variable) : variable_(&variable) {}
  T operator=(T value) const {
    this->store(value);
    return value;
  }
  T *address() const { return variable_; }

private:
  T *variable_;
};

inline void atomic_thread_fence(memory_order, thread_scope = thread_scope_system) {
  emu::fence(emu::Scope::device);
}

namespace std {
template <class T> using atomic = cuda::atomic<T, thread_scope_system>;
template <class T> using atomic_ref = cuda::atomic_ref<T, thread_scope_system>;
} // namespace std

} // namespace cuda
