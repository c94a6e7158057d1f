/// \file
/// Functions of a cluster of blocks: its shape, its barrier, and the shared memory of its blocks.
#pragma once

#include "emu/engine/cluster.hpp"
#include "emu/memory/device_functions.hpp"
#include "emu/warp/sync.hpp"

inline dim3 __clusterDim() { return emu::cluster_dim(); }
inline dim3 __clusterIdx() { return emu::cluster_index(); }
inline dim3 __clusterRelativeBlockIdx() { return emu::index_in_cluster(); }
inline dim3 __clusterGridDimInClusters() { return emu::clusters_of_grid(); }
inline unsigned __clusterDimIsSpecified() { return emu::has_clusters(); }
inline unsigned __clusterRelativeBlockRank() { return emu::cluster_rank(); }
inline unsigned __clusterSizeInBlocks() { return emu::cluster_blocks(); }

inline void __cluster_barrier_arrive(EMU_SITE) { emu::cluster_arrive(true, EMU_HERE); }
/// What the thread has done before it does not become known by it.
inline void __cluster_barrier_arrive_relaxed(EMU_SITE) { emu::cluster_arrive(false, EMU_HERE); }
inline void __cluster_barrier_wait(EMU_SITE) { emu::cluster_wait(EMU_HERE); }
inline void __threadfence_cluster() { emu::fence(emu::Scope::cluster); }

inline void *__cluster_map_shared_rank(const void *address, unsigned rank, EMU_SITE) {
  return emu::in_shared_of(address, rank, EMU_HERE);
}
/// ~0u: it lies in no block's shared memory.
inline unsigned __cluster_query_shared_rank(const void *address) {
  return static_cast<unsigned>(emu::rank_of_shared(address));
}
inline unsigned __isClusterShared(const void *address) { return emu::rank_of_shared(address) >= 0; }
inline unsigned __isCtaShared(const void *address) { return emu::is_shared_here(address); }
inline unsigned __isShared(const void *address) { return emu::is_shared_here(address); }
