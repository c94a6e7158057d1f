// What the members of a tile or a coalesced group get of all their values, as CUDA's headers shuffle them. Of tiles
// of several warps a kernel is refused.
#pragma once

#include "emu/groups/group_partitions.hpp"

namespace cooperative_groups {
template <class T> struct plus;
template <class T> struct less;
template <class T> struct greater;
} // namespace cooperative_groups

namespace emu {

void combine_several_warps(); // nobody defines it

template <class Group>
concept InOneWarp = requires(const Group &group) {
  group.mask();
};
template <class T>
concept Redux = std::is_same_v<T, int> || std::is_same_v<T, unsigned>;

template <class Group, class T>
inline T scan_group(const Group &group, T value, auto &&combine, Site) {
  if constexpr (InOneWarp<Group>) {
    for (unsigned distance = 1; distance < group.num_threads(); distance *= 2) {
      const T lower = group.shfl_up(value, distance);
      if (group.thread_rank() >= distance)
        value = combine(value, lower);
    }
  } else {
    combine_several_warps();
  }
  return value;
}

template <class Group, class T>
inline T reduce_group(const Group &group, T value, auto &&combine, Site site) {
  using Combine = std::remove_cvref_t<decltype(combine)>;
  if constexpr (!InOneWarp<Group>) {
    combine_several_warps();
  } else if constexpr (Redux<T> && std::is_same_v<Combine, cooperative_groups::plus<T>>) {
    value = __reduce_add_sync(group.mask(), value);
  } else if constexpr (Redux<T> && std::is_same_v<Combine, cooperative_groups::less<T>>) {
    value = __reduce_min_sync(group.mask(), value);
  } else if constexpr (Redux<T> && std::is_same_v<Combine, cooperative_groups::greater<T>>) {
    value = __reduce_max_sync(group.mask(), value);
  } else if constexpr (std::is_same_v<Group, cooperative_groups::coalesced_group>) {
    value = scan_group(group, value, combine, site);
    value = group.shfl(value, static_cast<int>(group.num_threads()) - 1);
  } else {
    for (unsigned apart = group.num_threads() / 2; apart > 0; apart /= 2)
      if constexpr (sizeof(T) <= 8)
        value = combine(value, __shfl_xor_sync(group.mask(), value, static_cast<int>(apart)));
      else
        value = combine(value, group.shfl_xor(value, apart));
  }
  return value;
}

/// The value of the member one rank lower; its own for the lowest.
template <class Group, class T> inline T of_rank_below(const Group &group, const T &value, Site) {
  if constexpr (InOneWarp<Group>)
    return group.shfl_up(value, 1);
  combine_several_warps();
  return value;
}

template <class Group, class T>
inline T exclusive_scan_group(const Group &group, const T &value, auto &&combine, Site site) {
  const T lower = of_rank_below(group, scan_group(group, value, combine, site), site);
  return group.thread_rank() == 0 ? T{} : lower;
}

} // namespace emu
