// The blocks of a cluster reach each other's shared memory.
#include "clusters.cuh"

#include <cooperative_groups.h>

#include <numeric>

namespace cg = cooperative_groups;
using conformance::DeviceArray;
using conformance::launch_clusters;

namespace {

/// Each block of a cluster counts a part of the bins; all add to all of them.
__global__ void histogram(const int *values, int count, int *bins, int bins_of_block) {
  extern __shared__ int s_bins[];
  const cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < bins_of_block; i += blockDim.x)
    s_bins[i] = 0;
  cluster.sync();
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    int *const of_block = cluster.map_shared_rank(s_bins, values[i] / bins_of_block);
    atomicAdd(of_block + values[i] % bins_of_block, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < bins_of_block; i += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * bins_of_block + i], s_bins[i]);
}

template <class Kernel>
cudaError_t launch_histogram(unsigned cluster,
                             unsigned blocks,
                             Kernel kernel,
                             const DeviceArray<int> &values,
                             int count,
                             DeviceArray<int> &bins,
                             int of_block) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = 96;
  config.dynamicSmemBytes = static_cast<size_t>(of_block) * sizeof(int);
  config.attrs = &attribute;
  config.numAttrs = 1;
  const int *from = values.data();
  int *to = bins.data();
  void *arguments[] = {&from, &count, &to, &of_block};
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(kernel), arguments);
}

} // namespace

TEST_CASE("a histogram lies in the shared memory of several blocks") {
  constexpr int count = 10000, bins = 48;
  std::vector<int> values(count), expected(bins);
  conformance::Random random(7);
  for (int &value : values)
    ++expected[value = static_cast<int>(random.bits() % bins)];
  const DeviceArray<int> d_values(values);
  for (const unsigned cluster : {1u, 2u, 4u, 8u}) {
    DeviceArray<int> d_bins(std::vector<int>(bins, 0));
    CHECK_OK(launch_histogram(cluster, 16, histogram, d_values, count, d_bins, bins / cluster));
    CHECK(d_bins.to_host() == expected);
  }
}

TEST_CASE("a cluster has up to 8 blocks, and 16 where a kernel allows what is not portable") {
  constexpr int count = 1000, bins = 16;
  std::vector<int> values(count), expected(bins);
  for (int i = 0; i < count; ++i)
    ++expected[values[i] = i * i % bins];
  const DeviceArray<int> d_values(values);
  DeviceArray<int> d_bins(std::vector<int>(bins, 0));
  CHECK_CALL(launch_histogram(16, 32, histogram, d_values, count, d_bins, 1),
             cudaErrorInvalidClusterSize);
  CHECK_OK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK_OK(launch_histogram(16, 32, histogram, d_values, count, d_bins, 1));
  CHECK(d_bins.to_host() == expected);
  CHECK_CALL(launch_histogram(32, 32, histogram, d_values, count, d_bins, 1),
             cudaErrorInvalidClusterSize);
  CHECK_OK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
}

namespace {

/// What each block has goes around the ring.
__global__ void __cluster_dims__(4) ring(int *out, int rounds) {
  __shared__ int s_box[2][64];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x, next = (cluster.block_rank() + 1) % cluster.num_blocks();
  s_box[0][tid] = static_cast<int>(blockIdx.x * 1000 + tid);
  for (int round = 0; round < rounds; ++round) {
    cluster.sync();
    cluster.map_shared_rank(&s_box[(round + 1) % 2][0], static_cast<int>(next))[tid] =
        s_box[round % 2][tid];
  }
  cluster.sync();
  out[blockIdx.x * 64 + tid] = s_box[rounds % 2][tid];
}

/// The sum of all that a cluster's threads give, in its first block.
__global__ void sums(const int *in, int *out) {
  __shared__ int s_sum;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.thread_rank();
  if (threadIdx.x == 0)
    s_sum = 0;
  cluster.sync();
  const dim3 index = blockIdx;
  const unsigned block = index.x + gridDim.x * (index.y + gridDim.y * index.z);
  atomicAdd(cluster.map_shared_rank(&s_sum, 0), in[block * blockDim.x + threadIdx.x]);
  cluster.sync();
  if (rank == 0)
    out[__clusterIdx().x + __clusterGridDimInClusters().x * __clusterIdx().y] = s_sum;
}

} // namespace

TEST_CASE("blocks of a cluster hand on what they have") {
  DeviceArray<int> out(8 * 64);
  for (const int rounds : {0, 1, 3, 4, 9}) {
    ring<<<8, 64>>>(out.data(), rounds);
    CHECK_OK(cudaDeviceSynchronize());
    const std::vector<int> got = out.to_host();
    for (int block = 0; block < 8; ++block) {
      const int source = block / 4 * 4 + ((block - rounds) % 4 + 4) % 4;
      for (int tid = 0; tid < 64; ++tid)
        REQUIRE(got[block * 64 + tid] == source * 1000 + tid);
    }
  }
}

TEST_CASE("atomics add into the shared memory of another block") {
  std::vector<int> in(16 * 40);
  std::iota(in.begin(), in.end(), 1);
  const DeviceArray<int> d_in(in);
  DeviceArray<int> out(16);
  const dim3 grid(4, 4);
  for (const dim3 cluster : {dim3(1), dim3(2), dim3(4), dim3(2, 2), dim3(2, 4)}) {
    CHECK_OK(launch_clusters(
        cluster, grid, 40, sums, static_cast<const int *>(d_in.data()), out.data()));
    const std::vector<int> got = out.to_host();
    std::vector<int> expected(16, 0);
    const unsigned across = grid.x / cluster.x;
    for (unsigned i = 0; i < in.size(); ++i) {
      const unsigned block = i / 40;
      expected[block % 4 / cluster.x + across * (block / 4 / cluster.y)] += in[i];
    }
    for (unsigned i = 0; i < across * (grid.y / cluster.y); ++i)
      CHECK(got[i] == expected[i]);
  }
}
