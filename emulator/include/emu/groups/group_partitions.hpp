/// \file
/// Dividing groups, and the group whose kind is known at run time only.
#pragma once

#include "emu/groups/group_tiles.hpp"
#include "emu/groups/groups.hpp"
#include "emu/runtime/errors.hpp"

namespace emu {

inline void check_tile_size(unsigned size, Site site) {
  if (size == 0 || size > 32 || (size & (size - 1)) != 0)
    fail_launch(cudaErrorLaunchFailure,
                "invalid_group",
                "tiled_partition(group, size) takes the sizes 1, 2, 4, 8, 16 and 32; larger tiles "
                "are tiled_partition<size>(group)",
                site);
}

} // namespace emu

namespace cooperative_groups {

/// Any group.
class thread_group {
public:
  thread_group(const thread_block &) : kind_(Kind::block) {}
  thread_group(const grid_group &) : kind_(Kind::grid) {}
  thread_group(const cluster_group &) : kind_(Kind::cluster) {}
  thread_group(const coalesced_group &group)
      : kind_(Kind::lanes), mask_(group.mask()), size_(group.num_threads()) {}
  template <unsigned Size, class Parent>
  requires(Size <= 32) thread_group(const thread_block_tile<Size, Parent> &tile)
      : kind_(Kind::lanes), mask_(tile.mask()), size_(Size) {}

  void sync(EMU_SITE) const {
    if (kind_ == Kind::block)
      emu::barrier(EMU_HERE);
    else if (kind_ == Kind::grid)
      emu::grid_barrier(EMU_HERE);
    else if (kind_ == Kind::cluster)
      cluster_group::sync(emu_file, emu_line);
    else
      emu::exchange(mask_, 0, EMU_HERE);
  }
  unsigned long long num_threads() const {
    return kind_ == Kind::block     ? thread_block::num_threads()
           : kind_ == Kind::grid    ? grid_group::num_threads()
           : kind_ == Kind::cluster ? cluster_group::num_threads()
                                    : size_;
  }
  unsigned long long size() const { return num_threads(); }
  unsigned long long thread_rank() const {
    return kind_ == Kind::block     ? thread_block::thread_rank()
           : kind_ == Kind::grid    ? grid_group::thread_rank()
           : kind_ == Kind::cluster ? cluster_group::thread_rank()
                                    : coalesced_group(mask_).thread_rank();
  }
  bool is_block() const { return kind_ == Kind::block; }
  bool is_grid() const { return kind_ == Kind::grid; }
  bool is_cluster() const { return kind_ == Kind::cluster; }
  unsigned mask() const { return mask_; }

private:
  enum class Kind { block, cluster, grid, lanes };
  Kind kind_;
  unsigned mask_ = 0;
  unsigned size_ = 0;
};

/// Tiles of a size that is known at compile time.
template <unsigned Size> inline auto tiled_partition(const thread_block &block) {
  const unsigned count = (block.num_threads() + Size - 1) / Size;
  return thread_block_tile<Size, thread_block>(emu::TilePlace{block.thread_rank() / Size, count});
}
template <unsigned Size, unsigned ParentSize, class GrandParent>
inline auto tiled_partition(const thread_block_tile<ParentSize, GrandParent> &parent) {
  static_assert(Size <= ParentSize, "a tile is not larger than what it is a part of");
  return thread_block_tile<Size, thread_block_tile<ParentSize, GrandParent>>(
      emu::TilePlace{parent.thread_rank() / Size, ParentSize / Size});
}

/// Tiles of a size that is known at run time: 1, 2, 4, 8, 16 or 32. The last one may be smaller.
inline coalesced_group tiled_partition(const coalesced_group &parent, unsigned size, EMU_SITE) {
  emu::check_tile_size(size, EMU_HERE);
  const unsigned rank = parent.thread_rank(), first = rank / size * size;
  unsigned members = 0, position = 0;
  for (unsigned rest = parent.mask(); rest; rest &= rest - 1, ++position)
    if (position >= first && position - first < size)
      members |= rest & -rest;
  return coalesced_group(members, rank / size, (parent.num_threads() + size - 1) / size);
}
inline thread_group tiled_partition(const thread_block &parent, unsigned size, EMU_SITE) {
  emu::check_tile_size(size, EMU_HERE);
  const unsigned first = parent.thread_rank() / size * size;
  const unsigned left = parent.num_threads() - first, count = left < size ? left : size;
  return coalesced_group(
      (~0u >> (32 - count)) << first % 32, first / size, (parent.num_threads() + size - 1) / size);
}
inline thread_group tiled_partition(const thread_group &parent, unsigned size, EMU_SITE) {
  if (parent.is_block())
    return tiled_partition(thread_block(), size, emu_file, emu_line);
  if (parent.is_grid() || parent.is_cluster())
    emu::fail_launch(cudaErrorLaunchFailure,
                     "invalid_group",
                     "a grid or cluster cannot be partitioned",
                     EMU_HERE);
  return tiled_partition(coalesced_group(parent.mask()), size, emu_file, emu_line);
}

/// The members of a group in one warp that give the same predicate: those with false come first.
inline coalesced_group binary_partition(const auto &group, bool predicate, EMU_SITE) {
  const unsigned yes = __ballot_sync(group.mask(), predicate, emu_file, emu_line);
  if (yes == 0 || yes == group.mask())
    return coalesced_group(group.mask());
  return coalesced_group(predicate ? yes : group.mask() & ~yes, predicate ? 1 : 0, 2);
}

/// The members of a group in one warp that have the same label.
template <class Group, class Label>
inline coalesced_group labeled_partition(const Group &group, Label label, EMU_SITE) {
  if constexpr (std::is_same_v<Label, bool>)
    return binary_partition(group, label, emu_file, emu_line);
  const unsigned mine = __match_any_sync(group.mask(), label, emu_file, emu_line);
  // Parts are numbered in the order of their lowest lanes.
  const int lowest = __builtin_ctz(mine);
  const unsigned firsts = __ballot_sync(group.mask(), emu::lane_id() == lowest, emu_file, emu_line);
  const unsigned lower = firsts & ((1u << lowest) - 1);
  return coalesced_group(mine,
                         static_cast<unsigned>(__builtin_popcount(lower)),
                         static_cast<unsigned>(__builtin_popcount(firsts)));
}

inline void sync(const auto &group, EMU_SITE) { group.sync(emu_file, emu_line); }
inline auto thread_rank(const auto &group) { return group.thread_rank(); }
inline auto group_size(const auto &group) { return group.num_threads(); }

/// Calls the function in one thread of the group.
template <class Group, class Function, class... Arguments>
inline void invoke_one(const Group &group, Function &&function, Arguments &&...arguments) {
  if (group.thread_rank() == 0)
    static_cast<Function &&>(function)(static_cast<Arguments &&>(arguments)...);
}
/// The same; every member gets the result.
template <class Group, class Function, class... Arguments>
inline auto
invoke_one_broadcast(const Group &group, Function &&function, Arguments &&...arguments) {
  using Result = decltype(function(static_cast<Arguments &&>(arguments)...));
  std::remove_cvref_t<Result> result{};
  if (group.thread_rank() == 0)
    result = static_cast<Function &&>(function)(static_cast<Arguments &&>(arguments)...);
  return group.shfl(result, 0);
}

} // namespace cooperative_groups
