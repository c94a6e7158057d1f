/// \file
/// The 64 bits of a barrier with phases (phases.hpp).
#pragma once

#include <cstdint>

namespace emu {

/// What a barrier's 64 bits hold, and what arriving returns.
struct PhaseState {
  uint64_t bits = 0;

  static constexpr int expected_bit = 20, bytes_bit = 40, phase_bit = 61;
  static constexpr unsigned most = (1u << 20) - 1; // arrivals; bytes more or less than expected
  static constexpr unsigned phases = 8; // are told apart

  static constexpr PhaseState first(unsigned expected) {
    return {expected | uint64_t{expected} << expected_bit};
  }
  /// Arrivals that are missing in this phase, and that each phase waits for.
  constexpr unsigned pending() const { return static_cast<unsigned>(bits & most); }
  constexpr unsigned expected() const { return static_cast<unsigned>(bits >> expected_bit & most); }
  /// Bytes that are missing; negative: more have come than were expected.
  constexpr int bytes() const {
    return static_cast<int>(static_cast<int64_t>(bits << (64 - phase_bit)) >>
                            (64 - phase_bit + bytes_bit));
  }
  constexpr unsigned phase() const { return static_cast<unsigned>(bits >> phase_bit); }

  constexpr PhaseState with_bytes(int bytes) const {
    constexpr uint64_t mask = (uint64_t{1} << phase_bit) - (uint64_t{1} << bytes_bit);
    return {(bits & ~mask) | (static_cast<uint64_t>(bytes) << bytes_bit & mask)};
  }
  constexpr PhaseState after(unsigned arrivals, unsigned dropped) const {
    return {bits - arrivals - (uint64_t{dropped} << expected_bit)};
  }
  constexpr bool is_over() const { return pending() == 0 && bytes() == 0; }
  constexpr PhaseState next_phase() const {
    return {first(expected()).bits | uint64_t{(phase() + 1) % phases} << phase_bit};
  }
};

} // namespace emu
