/// \file
/// cuda::barrier: threads arrive, and wait for a phase to end, at different places.
#pragma once

#include "emu/language/letters_away.hpp"

#include "emu/engine/bulk.hpp"
#include "emu/groups/group_copies.hpp"
#include "emu/libcudacxx/cuda_atomic.hpp"
#include "emu/warp/sync.hpp"

namespace emu {

/// The default: nothing happens when the last thread arrives.
struct NoCompletion {
  void operator()() const {}
};

} // namespace emu

namespace cuda {

template <thread_scope Scope, class Completion = emu::NoCompletion> class barrier {
public:
  using arrival_token = uint64_t;

  barrier() = default;
  EMU_INLINE explicit barrier(::std::ptrdiff_t expected,
                              Completion completion = Completion(),
                              EMU_SITE)
      : completion_(completion) {
    phases_.init(static_cast<unsigned>(expected), EMU_HERE);
  }
  barrier(const barrier &) = delete;
  barrier &operator=(const barrier &) = delete;

  friend EMU_INLINE void
  init(barrier *b, ::std::ptrdiff_t expected, Completion completion = Completion(), EMU_SITE) {
    b->completion_ = completion;
    b->phases_.init(static_cast<unsigned>(expected), EMU_HERE);
  }
  static constexpr ::std::ptrdiff_t max() { return emu::PhaseBarrier::most; }

  [[nodiscard]] EMU_INLINE arrival_token arrive(::std::ptrdiff_t count = 1, EMU_SITE) {
    return come(static_cast<unsigned>(count), 0, EMU_HERE);
  }
  EMU_INLINE void wait(arrival_token &&token, EMU_SITE) const {
    phases_.wait(emu::PhaseState{token}.phase(), EMU_HERE);
  }
  EMU_INLINE void wait_parity(bool parity, EMU_SITE) const {
    phases_.wait(phases_.phase_of(parity), EMU_HERE);
  }
  EMU_INLINE bool try_wait(arrival_token &&token, EMU_SITE) const {
    return phases_.try_wait(emu::PhaseState{token}.phase(), EMU_HERE);
  }
  EMU_INLINE bool try_wait_parity(bool parity, EMU_SITE) const {
    return phases_.try_wait(phases_.phase_of(parity), EMU_HERE);
  }
  /// \name Both give up when nobody of the block can go on, whatever the time given
  /// @{
  EMU_INLINE bool try_wait_for(arrival_token &&token, const auto & /*duration*/, EMU_SITE) const {
    return phases_.try_wait(emu::PhaseState{token}.phase(), EMU_HERE);
  }
  EMU_INLINE bool try_wait_parity_for(bool parity, const auto & /*duration*/, EMU_SITE) const {
    return phases_.try_wait(phases_.phase_of(parity), EMU_HERE);
  }
  /// @}
  EMU_INLINE void arrive_and_wait(EMU_SITE) {
    phases_.wait(emu::PhaseState{come(1, 0, EMU_HERE)}.phase(), EMU_HERE);
  }
  EMU_INLINE void arrive_and_drop(EMU_SITE) { static_cast<void>(come(1, 1, EMU_HERE)); }

  /// What the calling thread has begun to copy is there when the phase ends. Only a block's barrier in shared memory
  /// can see to that: others wait here and now.
  void emu_ends_copies() {
    if (Scope == thread_scope_block && ::std::is_same_v<Completion, emu::NoCompletion> &&
        emu::is_shared_here(this)) {
      emu::end_with_phase(this);
    } else {
      emu::commit_copies();
      emu::wait_for_copies(0);
    }
  }
  emu::PhaseBarrier &emu_phases() { return phases_; }

private:
  EMU_INLINE arrival_token come(unsigned count, unsigned dropped, emu::Site site) {
    if constexpr (!::std::is_same_v<Completion, emu::NoCompletion>)
      if (phases_.state().pending() == count) {
        emu::know_arrivals(phases_);
        completion_();
      }
    return phases_.arrive(count, dropped, site).bits;
  }

  mutable emu::PhaseBarrier phases_;
  [[no_unique_address]] Completion completion_;
};

namespace device {

/// The mbarrier that a block's barrier is.
inline ::std::uint64_t *barrier_native_handle(barrier<thread_scope_block> &b) {
  return reinterpret_cast<::std::uint64_t *>(&b);
}
/// The phase waits for so many bytes more, too.
EMU_INLINE void
barrier_expect_tx(barrier<thread_scope_block> &b, ::std::ptrdiff_t bytes, EMU_SITE) {
  b.emu_phases().expect(bytes, EMU_HERE);
}
[[nodiscard]] EMU_INLINE barrier<thread_scope_block>::arrival_token barrier_arrive_tx(
    barrier<thread_scope_block> &b, ::std::ptrdiff_t count, ::std::ptrdiff_t bytes, EMU_SITE) {
  b.emu_phases().expect(bytes, EMU_HERE);
  return b.emu_phases().arrive(static_cast<unsigned>(count), 0, EMU_HERE).bits;
}

/// A bulk copy, whose bytes the barrier's phase waits for: it was told of them, or is told.
template <class T, size_t Alignment>
EMU_INLINE void memcpy_async_tx(T *to,
                                const T *from,
                                aligned_size_t<Alignment> bytes,
                                barrier<thread_scope_block> &until,
                                EMU_SITE) {
  static_assert(Alignment >= 16, "memcpy_async_tx copies multiples of 16 bytes");
  emu::begin_bulk_load(to, from, bytes.value, until.emu_phases(), emu::to_one_block, EMU_HERE);
}

} // namespace device

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

#include "emu/language/letters_back.hpp"
