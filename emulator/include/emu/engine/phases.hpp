/// \file
/// Barriers with phases, PTX's mbarrier: threads arrive, and asynchronous copies bring bytes. When neither arrivals nor
/// bytes are missing, the phase ends and the next one begins. Who waits for a phase is woken by whoever ends it.
#pragma once

#include "emu/engine/async.hpp"
#include "emu/engine/engine.hpp"
#include "emu/engine/instrument.hpp"
#include "emu/engine/phase_state.hpp"

namespace emu {

class PhaseBarrier;
PhaseState init_phases(PhaseBarrier &barrier, unsigned expected, Site site);
PhaseState end_phases(PhaseBarrier &barrier, Site site);
PhaseState arrive_slow(PhaseBarrier &barrier, unsigned count, unsigned dropped, Site site);
void expect_bytes(PhaseBarrier &barrier, int64_t bytes, Site site);
bool wait_slow(PhaseBarrier &barrier, unsigned phase, bool tries, Site site);
/// What others have done before they arrived in the phase that is to end, the running thread knows.
void know_arrivals(const PhaseBarrier &barrier);
[[noreturn]] void refuse_barrier(const PhaseBarrier &barrier, const char *text, Site site);

/// In shared memory, where it is of one block, the engine's. Elsewhere threads of several host threads may meet at it,
/// and look again and again.
class PhaseBarrier {
public:
  static constexpr unsigned most = PhaseState::most;

  EMU_UNOBSERVED PhaseState state() const { return {__atomic_load_n(&bits_, __ATOMIC_ACQUIRE)}; }
  EMU_UNOBSERVED void set(PhaseState state) {
    __atomic_store_n(&bits_, state.bits, __ATOMIC_RELEASE);
  }
  /// \return whether it was still as `expected`, which gets what it is else
  EMU_UNOBSERVED bool change(PhaseState &expected, PhaseState to) {
    return __atomic_compare_exchange_n(
        &bits_, &expected.bits, to.bits, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }

  /// A plain store to who looks on: threads that have not met since may not use it.
  /// \param expected  arrivals, [1, most]
  EMU_INLINE void init(unsigned expected, Site site) {
    bits_ = init_phases(*this, expected, site).bits;
  }
  EMU_INLINE void invalidate(Site site) { bits_ = end_phases(*this, site).bits; }

  /// Counts for `count` arrivals, of which as many as `dropped` come in no later phase. \return the state before
  EMU_UNOBSERVED EMU_INLINE PhaseState arrive(unsigned count, unsigned dropped, Site site) {
#ifndef EMU_OBSERVED
    const PhaseState before = state();
    if (is_shared_here(this) && before.pending() > count) [[likely]] {
      bits_ = before.after(count, dropped).bits;
      return before;
    }
#endif
    note_atomic(this, sizeof bits_, Scope::cluster, AtomicSort::arrives);
    return arrive_slow(*this, count, dropped, site);
  }
  /// So many bytes more are to come in this phase; have come, if negative.
  EMU_UNOBSERVED EMU_INLINE void expect(int64_t bytes, Site site) {
    note_atomic(this, sizeof bits_, Scope::cluster, AtomicSort::arrives);
    expect_bytes(*this, bytes, site);
  }
  /// Waits for the end of the phase, which is this one or the one before.
  EMU_UNOBSERVED EMU_INLINE void wait(unsigned phase, Site site) {
    if (!passed(phase)) {
      note_atomic(this, sizeof bits_, Scope::cluster, AtomicSort::awaits);
      wait_slow(*this, phase, false, site);
    }
  }
  /// The same, for as long as anybody else of the block can go on. \return whether the phase has ended
  EMU_UNOBSERVED EMU_INLINE bool try_wait(unsigned phase, Site site) {
    if (passed(phase))
      return true;
    note_atomic(this, sizeof bits_, Scope::cluster, AtomicSort::awaits);
    return wait_slow(*this, phase, true, site);
  }
  /// The phase to wait for of this parity: this one or the one before.
  EMU_UNOBSERVED unsigned phase_of(bool parity) const {
    const unsigned now = state().phase();
    return now % 2 == parity ? now : (now + PhaseState::phases - 1) % PhaseState::phases;
  }

private:
  // Whether the phase has ended, and there is nothing else to do.
  EMU_UNOBSERVED EMU_INLINE bool passed([[maybe_unused]] unsigned phase) const {
#ifdef EMU_OBSERVED
    return false;
#else
    return !async_block.queues && state().phase() != phase;
#endif
  }

  uint64_t bits_;
};

/// \name bar.sync and its kin: the sixteen barriers of a block, of which 0 is __syncthreads()
/// @{
enum class NamedUse : unsigned char { sync, arrive, count };
/// \param threads  that it is for, those that only arrive included, a multiple of 32; 0: all of the block
/// \return for `count`: of how many of them `predicate` was true
unsigned named_barrier(unsigned number, unsigned threads, NamedUse use, bool predicate, Site site);
/// @}

} // namespace emu
