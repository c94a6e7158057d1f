/// \file
/// Groups of lanes of one warp: what cooperative groups' tiles and coalesced groups have in common.
#pragma once

#include "emu/language/letters_away.hpp"

#include <type_traits>

#include "emu/engine/engine.hpp"
#include "emu/warp/sync.hpp"

namespace emu {

/// A value of up to 32 bytes as the 8-byte words that lanes exchange.
template <class T> struct Words {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32,
                "groups exchange trivially copyable values of at most 32 bytes");
  uint64_t word[(sizeof(T) + 7) / 8] = {};

  Words() = default;
  explicit Words(const T &value) { __builtin_memcpy(word, &value, sizeof value); }
  T value() const {
    union Storage { // T may have no default constructor
      T value;
      char bytes[sizeof(T)];
      Storage() {}
    } storage;
    __builtin_memcpy(storage.bytes, word, sizeof(T));
    return storage.value;
  }
};

/// The value that lane `source` of the warp handed in, of any size.
template <class T>
EMU_UNOBSERVED inline T lane_value(unsigned mask, const T &value, int source, Site site) {
  Words<T> words(value);
  for (uint64_t &word : words.word)
    word = shuffle(mask, word, source, site);
  return words.value();
}

/// Puts the values of the lanes of `mask` that have not exited into `all`, in the order of lanes.
/// \return those lanes
template <class T>
EMU_UNOBSERVED inline unsigned
gather(unsigned mask, const T &value, Words<T> (&all)[32], Site site) {
  const Words<T> mine(value);
  unsigned met = 0;
  for (size_t w = 0; w < sizeof mine.word / sizeof mine.word[0]; ++w) {
    const Exchanged others = exchange(mask, mine.word[w], site, Meet::reduce);
    met = others.met;
    if (others.absent != 0 && w == 0) [[unlikely]]
      complain("invalid_shuffle",
               "lanes of the group have exited, and all of its members have to take part",
               site);
    int count = 0;
    for (unsigned rest = met; rest; rest &= rest - 1)
      all[count++].word[w] = others.values[__builtin_ctz(rest)];
  }
  return met;
}

/// The members of a group in one warp, by lane and by rank. `Group` has mask(), thread_rank() and
/// num_threads().
template <class Group> class LaneOperations {
public:
  void sync(EMU_SITE) const { exchange(mask(), 0, EMU_HERE); }

  /// The value of the member with the given rank.
  template <class T> T shfl(T value, int rank, EMU_SITE) const {
    return lane_value(mask(), value, lane_of(wrapped(rank)), EMU_HERE);
  }
  /// The value of the member `delta` ranks higher; the caller's own where there is none.
  template <class T> T shfl_down(T value, unsigned delta, EMU_SITE) const {
    const unsigned rank = self().thread_rank();
    const bool inside = delta < self().num_threads() - rank;
    return lane_value(mask(), value, lane_of(inside ? rank + delta : rank), EMU_HERE);
  }
  /// The value of the member `delta` ranks lower; the caller's own where there is none.
  template <class T> T shfl_up(T value, unsigned delta, EMU_SITE) const {
    const unsigned rank = self().thread_rank();
    return lane_value(mask(), value, lane_of(delta <= rank ? rank - delta : rank), EMU_HERE);
  }

  int any(int predicate, EMU_SITE) const { return votes(predicate, EMU_HERE) != 0; }
  /// Not if a member has ended: CUDA's compares the votes with the members that the group began with.
  int all(int predicate, EMU_SITE) const { return votes(predicate, EMU_HERE) == mask(); }
  /// Bit i is the predicate of the member with rank i.
  unsigned ballot(int predicate, EMU_SITE) const { return pack(votes(predicate, EMU_HERE)); }
  /// The members with the same value, by rank.
  unsigned match_any(auto value, EMU_SITE) const {
    return pack(__match_any_sync(mask(), value, emu_file, emu_line));
  }
  /// All members, by rank, if all have the same value; else 0.
  unsigned match_all(auto value, int &all_equal, EMU_SITE) const {
    const unsigned lanes = __match_all_sync(mask(), value, &all_equal, emu_file, emu_line);
    return pack(lanes);
  }

private:
  const Group &self() const { return static_cast<const Group &>(*this); }
  unsigned mask() const { return self().mask(); }

  // As the hardware does: a rank beyond a tile's end begins again at its start.
  unsigned wrapped(int rank) const { return static_cast<unsigned>(rank) % self().num_threads(); }
  int lane_of(unsigned rank) const {
    unsigned rest = mask();
    const unsigned first = static_cast<unsigned>(__builtin_ctz(rest)), run = rest >> first;
    if ((run & (run + 1)) == 0) // lanes without a gap
      return static_cast<int>(first + rank);
    while (rank-- > 0)
      rest &= rest - 1;
    return __builtin_ctz(rest);
  }
  // Lanes of the mask as bits by rank.
  unsigned pack(unsigned lanes) const {
    unsigned packed = 0, rank = 0;
    for (unsigned rest = mask(); rest; rest &= rest - 1, ++rank)
      packed |= (lanes >> __builtin_ctz(rest) & 1) << rank;
    return packed;
  }
  unsigned votes(int predicate, Site site) const {
    return __ballot_sync(mask(), predicate, site.file, site.line);
  }
};

} // namespace emu

#include "emu/language/letters_back.hpp"
