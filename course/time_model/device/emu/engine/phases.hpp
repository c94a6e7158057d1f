// Barriers with phases, as atomics on their words in shared memory: a wait reads again and again.
#pragma once

#include "emu/engine/async.hpp"
#include "emu/engine/engine.hpp"
#include "emu/engine/phase_state.hpp"
#include "emu/memory/atomic_steps.hpp"

namespace emu {

class PhaseBarrier {
public:
  static constexpr unsigned most = PhaseState::most;

  PhaseState state() const { return {*const_cast<const volatile uint64_t *>(&bits_)}; }
  void init(unsigned expected, Site) { bits_ = PhaseState::first(expected).bits; }
  void invalidate(Site) { bits_ = 0; }
  PhaseState arrive(unsigned count, unsigned dropped, Site) {
    for (PhaseState before = state();;) {
      const PhaseState after = before.after(count, dropped);
      const uint64_t next = after.is_over() ? after.next_phase().bits : after.bits;
      const PhaseState found{atomic_compare_and_swap(&bits_, before.bits, next)};
      if (found.bits == before.bits)
        return before;
      before = found;
    }
  }
  void wait(unsigned phase, Site) {
    while (state().phase() == phase) {
    }
  }
  bool try_wait(unsigned phase, Site) { return state().phase() != phase; }
  void expect(int64_t bytes, Site site);
  unsigned phase_of(bool parity) const {
    const unsigned now = state().phase();
    return now % 2 == parity ? now : (now + PhaseState::phases - 1) % PhaseState::phases;
  }

private:
  uint64_t bits_;
};

void refuse_barrier(const PhaseBarrier &, const char *text, Site site);
inline void know_arrivals(const PhaseBarrier &) {}
inline void proxy_fence(bool) {}

} // namespace emu
