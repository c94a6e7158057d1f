/// \file
/// Barriers, shuffles, votes, match and reduce: how threads of a block and lanes of a warp meet.
#pragma once

#include "emu/engine/engine.hpp"

// The site of the call, as default arguments: evaluated where the user calls.
#define EMU_SITE const char *emu_file = __builtin_FILE(), int emu_line = __builtin_LINE()
#define EMU_HERE (::emu::Site{emu_file, emu_line})

namespace emu {

template <class T> inline auto to_bits(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T> inline auto from_bits(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

/// The value that lane `source` of the warp handed in.
template <class T> inline T shuffle(unsigned mask, T value, int source, Site site) {
  const auto [values, met, absent] = exchange(mask, to_bits(value), site, Meet::shuffle);
  if (!(met >> source & 1)) [[unlikely]] {
    complain_of_source(mask, source, site);
    return value;
  }
  return from_bits<T>(values[source]);
}

/// The last lane of a section of `width` lanes that begins at lane 0. CUDA defines powers of two up to 32 alone; with
/// others the hardware takes the bits of width - 1, too.
inline int last_of_section(int width, Site site) {
  if (width < 1 || width > 32 || (width & (width - 1)) != 0) [[unlikely]]
    complain_of_width(width, site);
  return (width - 1) & 31;
}

/// What lanes have voted. Those that have ended, or that the block never had, are in no vote, whatever the mask says.
struct Votes {
  unsigned yes, voters;
  bool any() const { return yes != 0; }
  bool all() const { return yes == voters; }
  bool equal() const { return !any() || all(); }
};
inline Votes votes(unsigned mask, bool predicate, Site site) {
  const auto [values, met, absent] = exchange(mask, predicate, site, Meet::vote);
  if (absent != 0) [[unlikely]]
    warn_of_absent("this vote", absent, site);
  Votes votes{0, met};
  for (unsigned rest = met; rest; rest &= rest - 1)
    votes.yes |= static_cast<unsigned>(values[__builtin_ctz(rest)]) << __builtin_ctz(rest);
  return votes;
}

/// Whose value is the caller's, of the lanes that have met.
struct Alike {
  unsigned same, met;
};
inline Alike alike(unsigned mask, uint64_t bits, Site site) {
  const auto [values, met, absent] = exchange(mask, bits, site, Meet::match);
  Alike alike{0, met};
  for (unsigned rest = met; rest; rest &= rest - 1)
    if (values[__builtin_ctz(rest)] == bits)
      alike.same |= rest & -rest;
  return alike;
}

template <class T> inline auto reduce(unsigned mask, T value, auto combine, Site site) {
  const auto [values, met, absent] = exchange(mask, to_bits(value), site, Meet::reduce);
  T result = from_bits<T>(values[__builtin_ctz(met)]);
  for (unsigned rest = met & (met - 1); rest; rest &= rest - 1)
    result = combine(result, from_bits<T>(values[__builtin_ctz(rest)]));
  return result;
}

} // namespace emu

// --------------------------------------------------------------------------------- the block

inline void __syncthreads(EMU_SITE) { emu::barrier(EMU_HERE); }
inline int __syncthreads_count(int predicate, EMU_SITE) {
  int arrived;
  return emu::barrier_count(predicate, arrived, EMU_HERE);
}
inline int __syncthreads_and(int predicate, EMU_SITE) {
  int arrived;
  const int nonzero = emu::barrier_count(predicate, arrived, EMU_HERE);
  return nonzero == arrived;
}
inline int __syncthreads_or(int predicate, EMU_SITE) {
  int arrived;
  return emu::barrier_count(predicate, arrived, EMU_HERE) != 0;
}

// ---------------------------------------------------------------------------------- the warp

inline void __syncwarp(unsigned mask = 0xffffffffu, EMU_SITE) { emu::exchange(mask, 0, EMU_HERE); }
inline unsigned __activemask(EMU_SITE) {
  emu::note_active_mask();
  return emu::converge(EMU_HERE);
}

template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, EMU_SITE) {
  const int last = emu::last_of_section(width, EMU_HERE), first = emu::lane_id() & ~last;
  return emu::shuffle(mask, value, first + (source & last), EMU_HERE);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EMU_SITE) {
  const int lane = emu::lane_id(), source = lane - static_cast<int>(delta);
  const int first = lane & ~emu::last_of_section(width, EMU_HERE);
  return emu::shuffle(mask, value, source < first ? lane : source, EMU_HERE);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EMU_SITE) {
  const int lane = emu::lane_id(), source = lane + static_cast<int>(delta);
  const int last = lane | emu::last_of_section(width, EMU_HERE);
  return emu::shuffle(mask, value, source > last ? lane : source, EMU_HERE);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, EMU_SITE) {
  const int lane = emu::lane_id(), source = (lane ^ lane_mask) & 31;
  const int last = lane | emu::last_of_section(width, EMU_HERE);
  return emu::shuffle(mask, value, source > last ? lane : source, EMU_HERE);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, EMU_SITE) {
  return emu::votes(mask, predicate, EMU_HERE).yes;
}
inline int __any_sync(unsigned mask, int predicate, EMU_SITE) {
  return emu::votes(mask, predicate, EMU_HERE).any();
}
inline int __all_sync(unsigned mask, int predicate, EMU_SITE) {
  return emu::votes(mask, predicate, EMU_HERE).all();
}
/// Obsolete since CUDA 13, still found in programs: `__uni_sync` is 1 if all predicates are equal.
inline int __uni_sync(unsigned mask, int predicate, EMU_SITE) {
  return emu::votes(mask, predicate, EMU_HERE).equal();
}

inline unsigned __match_any_sync(unsigned mask, auto value, EMU_SITE) {
  return emu::alike(mask, emu::to_bits(value), EMU_HERE).same;
}
/// \return the lanes that are there, if all have the same value
inline unsigned __match_all_sync(unsigned mask, auto value, int *all_equal, EMU_SITE) {
  const auto [same, met] = emu::alike(mask, emu::to_bits(value), EMU_HERE);
  *all_equal = same == met;
  return same == met ? met : 0;
}

// Integer reductions over the lanes of a mask (compute capability 8.0 and later).
#define EMU_REDUCE(name, type, expression) \
  inline type name(unsigned mask, type value, EMU_SITE) { \
    return emu::reduce( \
        mask, value, [](type a, type b) -> type { return expression; }, EMU_HERE); \
  }
EMU_REDUCE(__reduce_add_sync, unsigned, a + b)
EMU_REDUCE(__reduce_min_sync, unsigned, b < a ? b : a)
EMU_REDUCE(__reduce_max_sync, unsigned, a < b ? b : a)
EMU_REDUCE(__reduce_and_sync, unsigned, a &b)
EMU_REDUCE(__reduce_or_sync, unsigned, a | b)
EMU_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
EMU_REDUCE(__reduce_min_sync, int, b < a ? b : a)
EMU_REDUCE(__reduce_max_sync, int, a < b ? b : a)
#undef EMU_REDUCE
inline int __reduce_add_sync(unsigned mask, int value, EMU_SITE) {
  return static_cast<int>(
      __reduce_add_sync(mask, static_cast<unsigned>(value), emu_file, emu_line));
}
