// A cluster: blocks that run at the same time on neighbouring multiprocessors, and may read each
// other's shared memory. Compute capability 9.0.
#pragma once

#include "problem.hpp"
#include "steps/warp_scan.cuh"

#include <cooperative_groups.h>

namespace demo_clusters {

namespace cg = cooperative_groups;

constexpr unsigned threads = 256;
constexpr unsigned blocks = 8; // of a cluster; more than 8 not every device has
constexpr unsigned per_cluster = threads * blocks;

// Scans each piece of 2048 elements. The blocks of a cluster tell each other their sums without a
// word in global memory.
__global__ void scan_pieces(const Value *in, size_t n, Value *out) {
#if __CUDA_ARCH__ >= 900
  __shared__ Value s_sums[threads / 32];
  __shared__ Value s_of_block;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t i = static_cast<size_t>(blockIdx.x) * threads + threadIdx.x;
  Value sum = warp_scan(i < n ? in[i] : 0);
  if (lane == 31)
    s_sums[warp] = sum;
  __syncthreads();
  const Value of_warp = lane < threads / 32 ? s_sums[lane] : 0;
  const Value of_block = warp_sum(of_warp);
  sum += warp_sum(lane < warp ? of_warp : 0);
  if (threadIdx.x == 0)
    s_of_block = of_block;
  cluster.sync(); // all blocks of the cluster have written their sums

  // Lane k reads the variable s_of_block of block k.
  const Value theirs =
      lane < cluster.block_rank() ? *cluster.map_shared_rank(&s_of_block, lane) : 0;
  sum += warp_sum(theirs);
  if (i < n)
    out[i] = sum;
  cluster.sync(); // nobody leaves while others read its shared memory
#endif
}

inline void run(lab::Demo &demo) {
  if (lab::choose_device().compute_major < 9) {
    demo.say("skipped: clusters need compute capability 9.0, and this device has %d.%d\n",
             lab::choose_device().compute_major,
             lab::choose_device().compute_minor);
    return;
  }
  const size_t n = demo.n_or(demo.timed() ? 1u << 26 : 100003);
  std::vector<Value> h_in(n), expected(n);
  lab::fill_random(h_in.data(), n, demo.seed());
  for (size_t i = 0; i < n; ++i)
    expected[i] = h_in[i] + (i % per_cluster > 0 ? expected[i - 1] : 0);
  lab::DeviceBuffer<Value> d_in(h_in), d_out(n);
  lab::poison(d_out);
  const unsigned grid = blocks_for(n, per_cluster) * blocks;
  cudaLaunchAttribute size = {};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim.x = blocks;
  size.val.clusterDim.y = size.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid; // a multiple of the cluster's size
  config.blockDim = threads;
  config.attrs = &size;
  config.numAttrs = 1;
  const auto work = [&] {
    LAB_CHECK(cudaLaunchKernelEx(&config, scan_pieces, d_in.data(), n, d_out.data()));
  };
  work();
  LAB_CHECK_LAUNCH();
  demo.expect(lab::compare(d_out.download(), expected));
  demo.say("%zu elements in pieces of %u, each scanned by a cluster of %u blocks\n",
           n,
           per_cluster,
           blocks);
  // How large a cluster of this kernel may be: everywhere, and on this device if it is allowed to.
  int portable = 0, largest = 0;
  config.numAttrs = 0;
  LAB_CHECK(cudaOccupancyMaxPotentialClusterSize(&portable, scan_pieces, &config));
  LAB_CHECK(cudaFuncSetAttribute(scan_pieces, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  LAB_CHECK(cudaOccupancyMaxPotentialClusterSize(&largest, scan_pieces, &config));
  demo.say(
      "a cluster has at most %d blocks, and %d where more than 8 are allowed\n", portable, largest);
  demo.value("largest_portable", portable);
  demo.value("largest", largest);
  config.numAttrs = 1;
  if (!demo.timed())
    return;
  const double ms = lab::measure(work).median_ms;
  demo.say("%.4f ms\n", ms);
  demo.value("ms", ms);
}

} // namespace demo_clusters
