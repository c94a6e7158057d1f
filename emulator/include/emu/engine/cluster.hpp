/// \file
/// Clusters of blocks, as kernels see them: who a block is in its cluster, their barrier, and the shared memory of
/// the others.
///
/// The blocks of a cluster live at the same time, on one host thread. A block of a launch without clusters is one
/// by itself.
#pragma once

#include "emu/engine/engine.hpp"

namespace emu {

extern constinit thread_local dim3 cluster_extent;

/// Blocks of a cluster in each axis.
EMU_UNOBSERVED inline dim3 cluster_dim() { return cluster_extent; }

EMU_UNOBSERVED inline unsigned cluster_blocks() {
  return cluster_extent.x * cluster_extent.y * cluster_extent.z;
}
/// Whether the launch, or its kernel, asks for clusters.
bool has_clusters();
/// Of the running block: which cluster of the grid its own is, and where it is in that.
EMU_UNOBSERVED inline dim3 cluster_index() {
  return {
      blockIdx.x / cluster_extent.x, blockIdx.y / cluster_extent.y, blockIdx.z / cluster_extent.z};
}
EMU_UNOBSERVED inline dim3 index_in_cluster() {
  return {
      blockIdx.x % cluster_extent.x, blockIdx.y % cluster_extent.y, blockIdx.z % cluster_extent.z};
}
EMU_UNOBSERVED inline unsigned cluster_rank() {
  const dim3 index = index_in_cluster();
  return index.x + cluster_extent.x * (index.y + cluster_extent.y * index.z);
}
/// Clusters of the grid in each axis.
EMU_UNOBSERVED inline dim3 clusters_of_grid() {
  return {gridDim.x / cluster_extent.x, gridDim.y / cluster_extent.y, gridDim.z / cluster_extent.z};
}

/// \name The barrier, in its two halves
/// Each thread arrives, and then waits for all threads of the cluster that have not exited. To arrive again before
/// having waited, or to wait without having arrived, ends the launch.
/// @{
/// \param releases  what the thread has done before, the others know behind their wait
void cluster_arrive(bool releases, Site site);
void cluster_wait(Site site);
/// @}

/// Where a variable that lies in the shared memory of one block of the cluster lies in another one's. A rank beyond
/// the cluster ends the launch.
void *in_shared_of(const void *address, unsigned rank, Site site);
/// The block of the cluster in whose shared memory the address lies; -1: none.
int rank_of_shared(const void *address);
/// The beginning of a block's static shared memory; null: the cluster has no such block.
char *shared_of(unsigned rank);

} // namespace emu
