/// \file
/// cuda::barrier: threads arrive, and wait for a phase to end, at different places.
#pragma once

#include "emu/groups/group_copies.hpp"
#include "emu/libcudacxx/cuda_atomic.hpp"
#include "emu/memory/device_functions.hpp"

namespace emu {

/// The default: nothing happens when the last thread arrives.
struct NoCompletion {
  void operator()() const {}
};

/// Takes part in an observed program as the fence and the atomic that it is made of.
class PhaseCounter {
public:
  void init(unsigned expected) {
    state_.store(pack(expected, expected, 0), std::memory_order_relaxed);
  }
  /// \return the phase that the caller has arrived in
  uint64_t arrive(unsigned count, unsigned drop, auto completion) {
    uint64_t old = state_.load(std::memory_order_relaxed);
    for (;;) {
      const uint64_t left = pending(old) - count, others = expected(old) - drop;
      if (left == 0)
        completion();
      const uint64_t next =
          left == 0 ? pack(others, others, phase(old) + 1) : pack(left, others, phase(old));
      if (state_.compare_exchange_strong(old, next, std::memory_order_acq_rel))
        return phase(old);
    }
  }
  bool passed(uint64_t in_phase) const {
    const uint64_t now = phase(state_.load(std::memory_order_acquire));
    if (now == in_phase)
      return false;
    found_in_phase(this, now);
    return true;
  }
  /// The phase that is not over ends with what the calling thread has begun to copy.
  EMU_UNOBSERVED void ends_copies() const {
    static_assert(sizeof *this == sizeof(uint64_t));
    const auto *state = reinterpret_cast<const uint64_t *>(this);
    end_with_phase(this, __atomic_load_n(state, __ATOMIC_RELAXED) >> phase_bit);
  }
  void wait(uint64_t in_phase) const {
    while (!passed(in_phase))
      yield();
  }
  unsigned still_expected() const {
    return static_cast<unsigned>(pending(state_.load(std::memory_order_acquire)));
  }
  uint64_t current_phase() const { return phase(state_.load(std::memory_order_relaxed)); }

  static constexpr unsigned most = (1u << 20) - 1; // threads

private:
  static constexpr int phase_bit = 40;

  static uint64_t pack(uint64_t pending, uint64_t expected, uint64_t phase) {
    return pending | expected << 20 | phase << phase_bit;
  }
  static uint64_t pending(uint64_t state) { return state & most; }
  static uint64_t expected(uint64_t state) { return state >> 20 & most; }
  static uint64_t phase(uint64_t state) { return state >> phase_bit; }

  cuda::atomic<uint64_t, cuda::thread_scope_block> state_;
};

} // namespace emu

namespace cuda {

template <thread_scope Scope, class Completion = emu::NoCompletion> class barrier {
public:
  using arrival_token = uint64_t;

  barrier() = default;
  explicit barrier(::std::ptrdiff_t expected, Completion completion = Completion())
      : completion_(completion) {
    counter_.init(static_cast<unsigned>(expected));
  }
  barrier(const barrier &) = delete;
  barrier &operator=(const barrier &) = delete;

  friend void init(barrier *b, ::std::ptrdiff_t expected, Completion completion = Completion()) {
    b->completion_ = completion;
    b->counter_.init(static_cast<unsigned>(expected));
  }
  static constexpr ::std::ptrdiff_t max() { return emu::PhaseCounter::most; }

  [[nodiscard]] arrival_token arrive(::std::ptrdiff_t count = 1) {
    return counter_.arrive(static_cast<unsigned>(count), 0, completion_);
  }
  void wait(arrival_token &&token) const { counter_.wait(token); }
  void wait_parity(bool parity) const {
    while ((counter_.current_phase() & 1) == static_cast<uint64_t>(parity))
      emu::yield();
    counter_.passed(0); // acquires
  }
  bool try_wait(arrival_token &&token) const { return counter_.passed(token); }
  void arrive_and_wait() { wait(arrive()); }
  void arrive_and_drop() { static_cast<void>(counter_.arrive(1, 1, completion_)); }

  /// What the calling thread has begun to copy is there when the phase ends. Only a block's barrier in shared memory
  /// can see to that: others wait here and now.
  void emu_ends_copies() {
    if (Scope == thread_scope_block && ::std::is_same_v<Completion, emu::NoCompletion> &&
        emu::is_shared_here(this)) {
      counter_.ends_copies();
    } else {
      emu::commit_copies();
      emu::wait_for_copies(0);
    }
  }

private:
  emu::PhaseCounter counter_;
  [[no_unique_address]] Completion completion_;
};

namespace std {
template <class Completion = emu::NoCompletion>
using barrier = cuda::barrier<thread_scope_system, Completion>;
}

/// Copies that the barrier's phase waits for.
template <class Group, class To, class From, class Shape, thread_scope Scope, class Completion>
EMU_INLINE void memcpy_async(const Group &group,
                             To *to,
                             const From *from,
                             const Shape &bytes,
                             barrier<Scope, Completion> &until) {
  emu::copy_share<emu::of_words<To, From, Shape>()>(group, to, from, static_cast<size_t>(bytes));
  until.emu_ends_copies();
}
template <class To, class From, class Shape, thread_scope Scope, class Completion>
EMU_INLINE void
memcpy_async(To *to, const From *from, const Shape &bytes, barrier<Scope, Completion> &until) {
  memcpy_async(cooperative_groups::this_thread(), to, from, bytes, until);
}

} // namespace cuda
