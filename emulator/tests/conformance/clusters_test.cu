// Thread block clusters: who a block is in its cluster, their barrier, and what a launch may ask for.
#include "clusters.cuh"

#include <cooperative_groups.h>

#include <utility>

namespace cg = cooperative_groups;
using conformance::DeviceArray;
using conformance::launch_clusters;

namespace {

// ------------------------------------------------------------------------------ who is where

/// What a block's first thread sees.
struct Place {
  dim3 block; // in the grid
  dim3 in_cluster, cluster, extent, clusters;
  unsigned rank, blocks, threads, given;
  dim3 threads_of_cluster;
};

__device__ Place place() {
  const cg::cluster_group cluster = cg::this_cluster();
  const cg::grid_group grid = cg::this_grid();
  return {blockIdx,
          cluster.block_index(),
          grid.cluster_index(),
          cluster.dim_blocks(),
          grid.dim_clusters(),
          cluster.block_rank(),
          cluster.num_blocks(),
          cluster.num_threads(),
          __clusterDimIsSpecified(),
          cluster.dim_threads()};
}
__global__ void see(Place *places) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  if (threadIdx.x == 0)
    places[block] = place();
}
__global__ void __cluster_dims__(2, 1, 2) see_in_own(Place *places) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  if (threadIdx.x == 0)
    places[block] = place();
}

bool same(dim3 a, dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

void check_places(const std::vector<Place> &places, dim3 cluster, dim3 grid, unsigned given) {
  for (const Place &p : places) {
    const dim3 in_cluster(p.block.x % cluster.x, p.block.y % cluster.y, p.block.z % cluster.z);
    CHECK(same(p.in_cluster, in_cluster));
    CHECK(
        same(p.cluster, dim3(p.block.x / cluster.x, p.block.y / cluster.y, p.block.z / cluster.z)));
    CHECK(same(p.extent, cluster));
    CHECK(same(p.clusters, dim3(grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z)));
    CHECK(p.rank == in_cluster.x + cluster.x * (in_cluster.y + cluster.y * in_cluster.z));
    CHECK(p.blocks == cluster.x * cluster.y * cluster.z);
    CHECK(p.threads == p.blocks * 32);
    CHECK(p.given == given);
    CHECK(same(p.threads_of_cluster, dim3(32 * cluster.x, cluster.y, cluster.z)));
  }
}

} // namespace

TEST_CASE("a block knows its place in its cluster, and its cluster's in the grid") {
  const dim3 grid(8, 4, 2);
  DeviceArray<Place> places(64);
  for (const dim3 cluster :
       {dim3(1), dim3(2), dim3(4), dim3(8), dim3(2, 2), dim3(4, 2), dim3(1, 4, 2)}) {
    CHECK_OK(launch_clusters(cluster, grid, 32, see, places.data()));
    check_places(places.to_host(), cluster, grid, 1);
  }
  see<<<grid, 32>>>(places.data());
  check_places(places.to_host(), dim3(1), grid, 0);
  see_in_own<<<grid, 32>>>(places.data());
  check_places(places.to_host(), dim3(2, 1, 2), grid, 1);
  CHECK_OK(launch_clusters(dim3(2, 1, 2), grid, 32, see_in_own, places.data()));
  check_places(places.to_host(), dim3(2, 1, 2), grid, 1);
}

// ------------------------------------------------------------------------------------ the barrier

namespace {

/// A barrier in two halves: what stands between them waits for nobody.
__global__ void __cluster_dims__(2) halves(int *out) {
  __shared__ int s_value[2];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  if (threadIdx.x == 0)
    s_value[0] = static_cast<int>(rank) + 10;
  auto token = cluster.barrier_arrive();
  if (threadIdx.x == 1)
    s_value[1] = 5;
  cluster.barrier_wait(std::move(token));
  if (threadIdx.x == 0)
    out[rank] = *cluster.map_shared_rank(&s_value[0], static_cast<int>(1 - rank));
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  if (threadIdx.x == 0)
    out[2 + rank] = *cluster.map_shared_rank(&s_value[1], static_cast<int>(1 - rank));
  __threadfence_cluster();
  __cluster_barrier_arrive_relaxed();
  __cluster_barrier_wait();
}

/// Threads that have ended are waited for no longer.
__global__ void __cluster_dims__(2) some_leave(int *out) {
  __shared__ int s_value;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  if (threadIdx.x >= 32 + 8 * rank)
    return;
  if (threadIdx.x == 0)
    s_value = static_cast<int>(rank);
  cluster.sync();
  if (threadIdx.x == 1)
    out[rank] = *cluster.map_shared_rank(&s_value, static_cast<int>(1 - rank)) + 1;
  cluster.sync();
}

/// In a launch without clusters each block is one.
__global__ void alone(int *out) {
  __shared__ int s_value[64];
  const cg::cluster_group cluster = cg::this_cluster();
  s_value[threadIdx.x] = static_cast<int>(threadIdx.x);
  cluster.sync();
  const int *all = cluster.map_shared_rank(s_value, 0);
  out[blockIdx.x * 64 + threadIdx.x] =
      all[63 - threadIdx.x] + static_cast<int>(cluster.num_blocks());
  cluster.sync();
  s_value[threadIdx.x] = 0;
  __syncthreads();
}

__global__ void __cluster_dims__(4) whose(unsigned *out) {
  __shared__ int s_values[8];
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  const unsigned tid = threadIdx.x, peer = tid % 4;
  int *const theirs = cluster.map_shared_rank(&s_values[tid % 8], static_cast<int>(peer));
  bool right =
      cluster.query_shared_rank(theirs) == peer && __cluster_query_shared_rank(theirs) == peer;
  right = right && __cluster_map_shared_rank(theirs, cluster.block_rank()) == &s_values[tid % 8];
  right = right && __isClusterShared(theirs) && !__isClusterShared(out) && __isShared(&s_values[0]);
  out[blockIdx.x * 32 + tid] = right;
  cluster.sync();
}

} // namespace

TEST_CASE("a cluster's barrier has two halves, and waits for who has not ended") {
  DeviceArray<int> out(4);
  halves<<<2, 40>>>(out.data());
  CHECK(out.to_host() == std::vector<int>{11, 10, 5, 5});
  some_leave<<<2, 64>>>(out.data());
  const std::vector<int> got = out.to_host();
  CHECK(got[0] == 2);
  CHECK(got[1] == 1);
}

TEST_CASE("a block without a cluster is one by itself") {
  DeviceArray<int> out(3 * 64);
  alone<<<3, 64>>>(out.data());
  const std::vector<int> got = out.to_host();
  for (int i = 0; i < 3 * 64; ++i)
    CHECK(got[i] == 63 - i % 64 + 1);
}

TEST_CASE("an address in shared memory tells whose it is") {
  DeviceArray<unsigned> out(8 * 32);
  whose<<<8, 32>>>(out.data());
  CHECK(out.to_host() == std::vector<unsigned>(8 * 32, 1));
}

// ------------------------------------------------------------------- many, and with all of a grid

namespace {

/// Neighbours in a cluster wait for each other's flag, clusters for all of the grid.
__global__ void both(int *out) {
  __shared__ int s_value;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  if (threadIdx.x == 0)
    s_value = static_cast<int>(blockIdx.x);
  cluster.sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = *cluster.map_shared_rank(&s_value, static_cast<int>(rank ^ 1));
  cg::this_grid().sync();
  const int other = out[gridDim.x - 1 - blockIdx.x];
  cg::this_grid().sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = other;
  cluster.sync();
}

__global__ void spin(int *out) {
  __shared__ int s_turn;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
  if (threadIdx.x == 0)
    s_turn = 0;
  cluster.sync();
  if (threadIdx.x == 0) {
    for (unsigned round = 0; round < 3 * blocks; ++round) {
      if (round % blocks == rank) { // the turn goes round
        while (atomicAdd(&s_turn, 0) != static_cast<int>(round))
          ;
        for (unsigned peer = 0; peer < blocks; ++peer)
          atomicExch(cluster.map_shared_rank(&s_turn, static_cast<int>(peer)),
                     static_cast<int>(round) + 1);
      }
    }
  }
  cluster.sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = s_turn;
}

} // namespace

TEST_CASE("a cooperative launch may have clusters") {
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = 2;
  attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeCooperative;
  attributes[1].val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 24;
  config.blockDim = 32;
  config.attrs = attributes;
  config.numAttrs = 2;
  DeviceArray<int> out(24);
  CHECK_OK(cudaLaunchKernelEx(&config, both, out.data()));
  const std::vector<int> got = out.to_host();
  for (int i = 0; i < 24; ++i)
    CHECK(got[i] == ((23 - i) ^ 1));
}

TEST_CASE("blocks of a cluster live at the same time, in as many clusters as there are") {
  DeviceArray<int> out(600);
  CHECK_OK(launch_clusters(6, 600, 64, spin, out.data()));
  CHECK(out.to_host() == std::vector<int>(600, 18));
}

// ----------------------------------------------------------------------- what may be asked for

TEST_CASE("clusters that do not divide the grid, or that a kernel has otherwise, are refused") {
  DeviceArray<Place> places(64);
  CHECK_CALL(launch_clusters(4, 6, 32, see, places.data()), cudaErrorInvalidClusterSize);
  CHECK_CALL(launch_clusters(dim3(2, 2), dim3(4, 3), 32, see, places.data()),
             cudaErrorInvalidClusterSize);
  CHECK_CALL(launch_clusters(dim3(3, 3), dim3(9, 9), 32, see, places.data()),
             cudaErrorInvalidClusterSize);
  CHECK_CALL(launch_clusters(dim3(2), dim3(4, 1, 2), 32, see_in_own, places.data()),
             cudaErrorInvalidClusterSize);
  see_in_own<<<dim3(3, 1, 2), 32>>>(places.data());
  CHECK(cudaGetLastError() == cudaErrorInvalidClusterSize);
  CHECK_OK(cudaDeviceSynchronize());
}

TEST_CASE("a kernel's clusters are among its attributes") {
  cudaFuncAttributes attributes = {};
  CHECK_OK(cudaFuncGetAttributes(&attributes, see_in_own));
  CHECK(attributes.requiredClusterWidth == 2);
  CHECK(attributes.requiredClusterHeight == 1);
  CHECK(attributes.requiredClusterDepth == 2);
  CHECK(attributes.nonPortableClusterSizeAllowed == 0);
  CHECK_CALL(cudaFuncSetAttribute(see_in_own, cudaFuncAttributeRequiredClusterWidth, 4),
             cudaErrorInvalidValue);
  CHECK_OK(cudaFuncSetAttribute(see_in_own, cudaFuncAttributeRequiredClusterWidth, 2));
  CHECK_OK(cudaFuncGetAttributes(&attributes, see));
  CHECK(attributes.requiredClusterWidth == 0);
  CHECK_OK(cudaFuncSetAttribute(see,
                                cudaFuncAttributeClusterSchedulingPolicyPreference,
                                cudaClusterSchedulingPolicyLoadBalancing));
  CHECK_OK(cudaFuncSetAttribute(see, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK_OK(cudaFuncGetAttributes(&attributes, see));
  CHECK(attributes.nonPortableClusterSizeAllowed == 1);
  CHECK_OK(cudaFuncSetAttribute(see, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
}

TEST_CASE("how large and how many clusters can be is told") {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 4;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 64;
  config.blockDim = 128;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int size = 0, clusters = 0, fewer = 0;
  CHECK_OK(cudaOccupancyMaxPotentialClusterSize(&size, see, &config));
  CHECK(size == 8);
  CHECK_CALL(cudaOccupancyMaxPotentialClusterSize(&size, see_in_own, &config),
             cudaErrorInvalidClusterSize); // of 4, where the kernel has its own
  CHECK_OK(cudaOccupancyMaxActiveClusters(&clusters, see, &config));
  CHECK(clusters > 0);
  config.blockDim = 1024;
  CHECK_OK(cudaOccupancyMaxActiveClusters(&fewer, see, &config));
  CHECK(fewer > 0);
  CHECK(fewer < clusters);
  attribute.val.clusterDim.x = 16;
  CHECK_CALL(cudaOccupancyMaxActiveClusters(&fewer, see, &config), cudaErrorInvalidClusterSize);
  config.numAttrs = 0;
  config.gridDim = dim3(64, 1, 2);
  CHECK_OK(cudaOccupancyMaxPotentialClusterSize(&size, see_in_own, &config));
  CHECK(size == 8); // whatever its own are
  CHECK_OK(cudaOccupancyMaxActiveClusters(&fewer, see, &config));
  config.gridDim = 64;
  CHECK_CALL(cudaOccupancyMaxActiveClusters(&fewer, see_in_own, &config),
             cudaErrorInvalidClusterSize); // which its z does not divide
}
