/// \file
/// What the members of a tile or a coalesced group get of all their values.
///
/// Every member computes what it gets by itself, in the order in which CUDA's headers shuffle: so a GPU's
/// rounding is ours, and what is not commutative has each lane's own result.
#pragma once

#include "emu/language/letters_away.hpp"

#include "emu/groups/group_partitions.hpp"

namespace emu {

template <class Group>
concept InOneWarp = requires(const Group &group) {
  group.mask();
};

/// What the member of a rank has after rounds of shfl_xor over `size` members, from the farthest to `mask`
/// apart: its own value is the first operand. Lanes differ where the operation is not commutative.
template <class T>
EMU_UNOBSERVED inline T
by_butterfly(const auto &value_of, unsigned rank, unsigned mask, unsigned size, auto &combine) {
  if (mask >= size)
    return value_of(rank);
  const T own = by_butterfly<T>(value_of, rank, 2 * mask, size, combine);
  return combine(own, by_butterfly<T>(value_of, rank ^ mask, 2 * mask, size, combine));
}

/// What the member of a rank has after rounds of shfl_up by 1, 2, … `distance`: its own value is the first
/// operand (Hillis and Steele's scan).
template <class T>
EMU_UNOBSERVED inline T
by_doubling(const auto &value_of, unsigned rank, unsigned distance, auto &combine) {
  if (distance == 0)
    return value_of(rank);
  const T own = by_doubling<T>(value_of, rank, distance / 2, combine);
  return distance <= rank
             ? combine(own, by_doubling<T>(value_of, rank - distance, distance / 2, combine))
             : own;
}
/// How far the last round of a scan over `count` members reaches; 0 for one.
constexpr unsigned last_distance(unsigned count) {
  unsigned distance = count > 1 ? 1 : 0;
  while (distance * 2 < count && distance > 0)
    distance *= 2;
  return distance;
}

/// The combination of all members' values, in the order that CUDA's headers have: a butterfly for a tile, the
/// last rank's scan for a coalesced group of other sizes.
template <class Group, class T>
inline T reduce_group(const Group &group, const T &value, auto &&combine, Site site) {
  if constexpr (InOneWarp<Group>) {
    Words<T> values[32] = {};
    const unsigned count =
        static_cast<unsigned>(__builtin_popcount(gather(group.mask(), value, values, site)));
    const auto value_of = [&values](unsigned rank) { return values[rank].value(); };
    const bool is_tile = !std::is_same_v<Group, cooperative_groups::coalesced_group> || count == 32;
    return is_tile && (count & (count - 1)) == 0
               ? by_butterfly<T>(
                     value_of, static_cast<unsigned>(group.thread_rank()), 1, count, combine)
               : by_doubling<T>(value_of, count - 1, last_distance(count), combine);
  } else {
    const auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::thread_block());
    const T of_warp = reduce_group(warp, value, combine, site);
    return group.collect(
        of_warp,
        [&](const auto &value_of) {
          const auto of_warps = [&](unsigned rank) { return T(value_of(rank * 32)); };
          constexpr unsigned warps = Group::num_threads() / 32;
          return by_butterfly<T>(
              of_warps, static_cast<unsigned>(group.thread_rank()) / 32, 1, warps, combine);
        },
        site);
  }
}

/// The combination of the values of the ranks up to the caller's own, in the order of CUDA's headers.
template <class Group, class T>
inline T scan_group(const Group &group, const T &value, auto &&combine, Site site) {
  if constexpr (InOneWarp<Group>) {
    Words<T> values[32] = {};
    const unsigned count =
        static_cast<unsigned>(__builtin_popcount(gather(group.mask(), value, values, site)));
    const auto value_of = [&values](unsigned rank) { return values[rank].value(); };
    return by_doubling<T>(
        value_of, static_cast<unsigned>(group.thread_rank()), last_distance(count), combine);
  } else {
    const auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::thread_block());
    const T in_warp = scan_group(warp, value, combine, site);
    return group.collect(
        in_warp,
        [&](const auto &value_of) {
          const unsigned my_warp = static_cast<unsigned>(group.thread_rank()) / 32;
          const auto of_warps = [&](unsigned rank) { return T(value_of(rank * 32 + 31)); };
          constexpr unsigned warps = Group::num_threads() / 32;
          return my_warp == 0
                     ? in_warp
                     : T(combine(
                           in_warp,
                           by_doubling<T>(of_warps, my_warp - 1, last_distance(warps), combine)));
        },
        site);
  }
}

/// The combination of the values of the ranks below the caller's own; T() for rank 0, as on a device, whatever
/// the operation.
template <class Group, class T>
inline T exclusive_scan_group(const Group &group, const T &value, auto &&combine, Site site) {
  const unsigned rank = static_cast<unsigned>(group.thread_rank());
  if constexpr (InOneWarp<Group>) {
    const T mine = scan_group(group, value, combine, site);
    const T lower = group.shfl_up(mine, 1, site.file, site.line);
    return rank == 0 ? T{} : lower;
  } else {
    const auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::thread_block());
    const T in_warp = scan_group(warp, value, combine, site);
    return group.collect(
        in_warp,
        [&](const auto &value_of) {
          const auto of_warps = [&](unsigned other) { return T(value_of(other * 32 + 31)); };
          constexpr unsigned last = last_distance(Group::num_threads() / 32);
          const unsigned my_warp = rank / 32;
          const T before =
              my_warp == 0 ? T{} : by_doubling<T>(of_warps, my_warp - 1, last, combine);
          if (rank % 32 == 0)
            return before;
          return my_warp == 0 ? T(value_of(rank - 1)) : T(combine(value_of(rank - 1), before));
        },
        site);
  }
}

/// The value of the member one rank lower; its own for the lowest.
template <class Group, class T>
inline T of_rank_below(const Group &group, const T &value, Site site) {
  const unsigned rank = static_cast<unsigned>(group.thread_rank());
  if constexpr (InOneWarp<Group>)
    return group.shfl_up(value, 1, site.file, site.line);
  else
    return group.collect(
        value, [rank](const auto &value_of) { return value_of(rank > 0 ? rank - 1 : 0); }, site);
}

} // namespace emu

#include "emu/language/letters_back.hpp"
