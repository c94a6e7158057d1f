/// \file
/// The groups that every kernel has: its block, its grid, and the lanes that run together.
#pragma once

#include "emu/language/letters_away.hpp"

#include "emu/engine/cluster.hpp"
#include "emu/groups/group_lanes.hpp"
#include "emu/language/types.hpp"

namespace emu {

/// Number of an element of a box, x running fastest.
inline unsigned long long linear_index(uint3 index, dim3 extent) {
  return index.x + extent.x * (index.y + static_cast<unsigned long long>(extent.y) * index.z);
}
inline unsigned long long volume(dim3 extent) {
  return static_cast<unsigned long long>(extent.x) * extent.y * extent.z;
}

} // namespace emu

namespace cooperative_groups {

/// Memory that tiles of more than one warp needed before compute capability 8.0: not used.
template <unsigned MaxBlockSize = 1024> struct block_tile_memory { char unused; };

class thread_block {
public:
  static void sync(EMU_SITE) { emu::barrier(EMU_HERE); }
  static unsigned thread_rank() {
    return static_cast<unsigned>(emu::linear_index(threadIdx, blockDim));
  }
  static unsigned num_threads() { return static_cast<unsigned>(emu::volume(blockDim)); }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }

  /// A barrier in two halves: everybody who arrives also waits, so the wait does it all.
  struct arrival_token {};
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token &&, EMU_SITE) { emu::barrier(EMU_HERE); }
};

inline thread_block this_thread_block() { return {}; }
template <unsigned MaxBlockSize>
inline thread_block this_thread_block(block_tile_memory<MaxBlockSize> &) {
  return {};
}

class grid_group {
public:
  /// Whether the launch was a cooperative one, which sync() needs.
  static bool is_valid() { return emu::in_cooperative_launch(); }
  static void sync(EMU_SITE) { emu::grid_barrier(EMU_HERE); }

  static unsigned long long thread_rank() {
    return block_rank() * emu::volume(blockDim) + thread_block::thread_rank();
  }
  static unsigned long long num_threads() { return num_blocks() * emu::volume(blockDim); }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long block_rank() { return emu::linear_index(blockIdx, gridDim); }
  static unsigned long long num_blocks() { return emu::volume(gridDim); }
  static dim3 block_index() { return blockIdx; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 group_dim() { return gridDim; }
  static dim3 cluster_index() { return emu::cluster_index(); }
  static dim3 dim_clusters() { return emu::clusters_of_grid(); }
  static unsigned long long num_clusters() { return emu::volume(dim_clusters()); }
  static unsigned long long cluster_rank() {
    const dim3 index = cluster_index();
    return emu::linear_index({index.x, index.y, index.z}, dim_clusters());
  }

  struct arrival_token {};
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token &&, EMU_SITE) { emu::grid_barrier(EMU_HERE); }
};

inline grid_group this_grid() { return {}; }

/// Blocks that live at the same time and reach each other's shared memory.
class cluster_group {
public:
  static void sync(EMU_SITE) {
    emu::cluster_arrive(true, EMU_HERE);
    emu::cluster_wait(EMU_HERE);
  }
  struct arrival_token {};
  static arrival_token barrier_arrive(EMU_SITE) {
    emu::cluster_arrive(true, EMU_HERE);
    return {};
  }
  static void barrier_wait(EMU_SITE) { emu::cluster_wait(EMU_HERE); }
  static void barrier_wait(arrival_token &&, EMU_SITE) { emu::cluster_wait(EMU_HERE); }

  /// Where a variable of this block's lies in the shared memory of another one.
  template <class T> static T *map_shared_rank(T *address, int rank, EMU_SITE) {
    return static_cast<T *>(emu::in_shared_of(address, static_cast<unsigned>(rank), EMU_HERE));
  }
  static unsigned query_shared_rank(const void *address) {
    return static_cast<unsigned>(emu::rank_of_shared(address));
  }

  static dim3 block_index() { return emu::index_in_cluster(); }
  static unsigned block_rank() { return emu::cluster_rank(); }
  static dim3 dim_blocks() { return emu::cluster_dim(); }
  static unsigned num_blocks() { return emu::cluster_blocks(); }
  static dim3 thread_index() {
    const dim3 block = block_index();
    return {block.x * blockDim.x + threadIdx.x,
            block.y * blockDim.y + threadIdx.y,
            block.z * blockDim.z + threadIdx.z};
  }
  static unsigned thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  static dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    return {blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z};
  }
  static unsigned num_threads() { return num_blocks() * thread_block::num_threads(); }
  static unsigned size() { return num_threads(); }
};

inline cluster_group this_cluster() { return {}; }

/// Any lanes of one warp.
class coalesced_group : public emu::LaneOperations<coalesced_group> {
public:
  /// \param lanes  the members
  explicit coalesced_group(unsigned lanes, unsigned meta_rank = 0, unsigned meta_size = 1)
      : mask_(lanes), meta_rank_(meta_rank), meta_size_(meta_size) {}

  unsigned mask() const { return mask_; }
  unsigned num_threads() const { return static_cast<unsigned>(__builtin_popcount(mask_)); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const {
    const unsigned lower = (1u << emu::lane_id()) - 1;
    return static_cast<unsigned>(__builtin_popcount(mask_ & lower));
  }
  /// Which part of the group that was partitioned this is, and of how many.
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }

private:
  unsigned mask_;
  unsigned meta_rank_;
  unsigned meta_size_;
};

/// The lanes of the warp that are here.
inline coalesced_group coalesced_threads(EMU_SITE) {
  return coalesced_group(emu::converge(EMU_HERE));
}

} // namespace cooperative_groups

#include "emu/language/letters_back.hpp"
