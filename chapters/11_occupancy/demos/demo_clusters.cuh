// How many clusters of blocks a device holds at a time. Compute capability 9.0.
#pragma once

#ifndef BUILD_FIRST_EMULATOR

#include "problem.hpp"

#include <cooperative_groups.h>

#include <string>

namespace demo_clusters {

constexpr unsigned threads = 1024;

/// Counts the blocks of all clusters, each once; the first of a cluster asks how many there are.
__global__ void count_blocks(unsigned *blocks) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ unsigned s_held[]; // not used: it says how many blocks fit
  const auto cluster = cooperative_groups::this_cluster();
  if (cluster.block_rank() == 0 && threadIdx.x == 0)
    atomicAdd(blocks, cluster.num_blocks());
#endif
}

inline void run(lab::Demo &demo) {
  if (lab::choose_device().compute_major < 9) {
    demo.say("skipped: clusters need compute capability 9.0, and this device has %d.%d\n",
             lab::choose_device().compute_major,
             lab::choose_device().compute_minor);
    return;
  }
  const unsigned sms = static_cast<unsigned>(lab::choose_device().sm_count);
  const size_t shared = 128 * 1024; // one block on each multiprocessor
  LAB_CHECK(cudaFuncSetAttribute(
      count_blocks, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  LAB_CHECK(cudaFuncSetAttribute(count_blocks, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  lab::DeviceBuffer<unsigned> d_blocks(1);
  demo.say("blocks of %u threads with %zu KB: one on each of %u multiprocessors\n\n"
           "blocks of a cluster  clusters at a time  blocks at a time\n",
           threads,
           shared / 1024,
           sms);
  for (unsigned blocks : {1u, 2u, 4u, 8u, 16u}) {
    cudaLaunchAttribute size = {};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim.x = blocks;
    size.val.clusterDim.y = size.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 16 * sms;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.attrs = &size;
    config.numAttrs = 1;
    int clusters = 0;
    LAB_CHECK(cudaOccupancyMaxActiveClusters(&clusters, count_blocks, &config));
    LAB_CHECK(cudaMemset(d_blocks.data(), 0, d_blocks.bytes()));
    LAB_CHECK(cudaLaunchKernelEx(&config, count_blocks, d_blocks.data()));
    LAB_CHECK_LAUNCH();
    demo.expect(lab::compare_value("blocks of all clusters", d_blocks.at(0), 16 * sms));
    const int at_once = clusters * static_cast<int>(blocks);
    demo.say("%19u  %18d  %16d\n", blocks, clusters, at_once);
    demo.value("clusters_" + std::to_string(blocks), clusters);
    demo.value("blocks_" + std::to_string(blocks), at_once);
  }
}

} // namespace demo_clusters

#endif
