// Clusters of blocks in inline PTX.
#include "clusters.cuh"

#include <cstdint>

using conformance::DeviceArray;
using conformance::launch_clusters;

namespace {

__device__ void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}
__device__ uint32_t shared_address(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
/// Of what lies at this address in another block's shared memory.
__device__ uint32_t in_block(uint32_t address, uint32_t rank) {
  uint32_t there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

struct Registers {
  uint32_t ctaid[3], nctaid[3], clusterid[3], nclusterid[3], rank, blocks, given;
};
__global__ void read_registers(Registers *out) {
  if (threadIdx.x != 0)
    return;
  Registers &r = out[blockIdx.x + gridDim.x * blockIdx.y];
  asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(r.ctaid[0]));
  asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(r.ctaid[1]));
  asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(r.ctaid[2]));
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(r.nctaid[0]));
  asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(r.nctaid[1]));
  asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(r.nctaid[2]));
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(r.clusterid[0]));
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(r.clusterid[1]));
  asm("mov.u32 %0, %%clusterid.z;" : "=r"(r.clusterid[2]));
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(r.nclusterid[0]));
  asm("mov.u32 %0, %%nclusterid.y;" : "=r"(r.nclusterid[1]));
  asm("mov.u32 %0, %%nclusterid.z;" : "=r"(r.nclusterid[2]));
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r.rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r.blocks));
  asm("{\n\t.reg .pred p;\n\tmov.pred p, %%is_explicit_cluster;\n\tselp.u32 %0, 1, 0, p;\n\t}"
      : "=r"(r.given));
}

/// Each block's first warp works on the next block's memory, by addresses of 32 bits.
__global__ void neighbours(uint32_t *out) {
  __shared__ uint32_t s_words[32];
  __shared__ uint32_t s_sums[3];
  const uint32_t tid = threadIdx.x;
  uint32_t rank, blocks;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  const uint32_t next = (rank + 1) % blocks;
  if (tid < 3)
    s_sums[tid] = 0;
  sync_cluster();
  const uint32_t words = in_block(shared_address(s_words), next);
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(words + 4 * tid), "r"(100 * rank + tid)
               : "memory");
  const uint32_t sums = in_block(shared_address(s_sums), next);
  uint32_t before;
  asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "r"(sums), "r"(tid)
               : "memory");
  asm volatile("red.relaxed.cluster.shared::cluster.max.u32 [%0+4], %1;" ::"r"(sums), "r"(tid)
               : "memory");
  asm volatile("red.shared::cluster.add.u32 [%0+8], %1;" ::"r"(sums), "r"(before > 0 ? 1 : 0)
               : "memory");
  sync_cluster();
  uint32_t far, of_next;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(far) : "r"(words + 4 * tid) : "memory");
  asm volatile("ld.shared::cluster.u32 %0, [%1];"
               : "=r"(of_next)
               : "r"(sums + 4 * (tid % 2))
               : "memory");
  uint32_t *const row = out + 128 * blockIdx.x;
  row[tid] = s_words[tid];
  row[32 + tid] = far;
  row[64 + tid] = of_next;
  row[96 + tid] = s_sums[2] < 32;
  sync_cluster();
}

/// Generic addresses, and what an address tells.
__global__ void generic(uint32_t *out) {
  __shared__ uint32_t s_value;
  const uint32_t tid = threadIdx.x;
  uint32_t rank, blocks;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  if (tid == 0)
    s_value = 7 + rank;
  sync_cluster();
  const uint32_t peer = (rank + blocks - 1) % blocks;
  const uint32_t *there;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(&s_value), "r"(peer));
  uint32_t whose, by_window, in_cluster, in_own, global;
  asm volatile("getctarank.u64 %0, %1;" : "=r"(whose) : "l"(there));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;"
               : "=r"(by_window)
               : "r"(in_block(shared_address(&s_value), peer)));
  asm volatile("{\n\t.reg .pred p;\n\tisspacep.shared::cluster p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}"
               : "=r"(in_cluster)
               : "l"(there));
  asm volatile("{\n\t.reg .pred p;\n\tisspacep.shared::cta p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}"
               : "=r"(in_own)
               : "l"(there));
  asm volatile("{\n\t.reg .pred p;\n\tisspacep.shared::cluster p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}"
               : "=r"(global)
               : "l"(out));
  const bool same =
      blocks == 1 || shared_address(there) == in_block(shared_address(&s_value), peer);
  if (tid == 0) {
    uint32_t *const row = out + 6 * blockIdx.x;
    row[0] = *there - 7 - peer;
    row[1] = whose - peer;
    row[2] = by_window - peer;
    row[3] = 1 - in_cluster;
    row[4] = (in_own != 0) != (blocks == 1);
    row[5] = global + (same ? 0 : 1);
  }
  asm volatile("fence.acq_rel.cluster;" ::: "memory");
  asm volatile("barrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait;" ::: "memory");
}

} // namespace

TEST_CASE("PTX's registers tell of a block's place in its cluster") {
  DeviceArray<Registers> out(8 * 4);
  CHECK_OK(launch_clusters(dim3(4, 2), dim3(8, 4), 32, read_registers, out.data()));
  const std::vector<Registers> got = out.to_host();
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 8; ++x) {
      const Registers &r = got[x + 8 * y];
      const uint32_t expected[] = {x % 4, y % 2, 0, 4, 2, 1, x / 4, y / 2, 0, 2, 2, 1};
      for (int i = 0; i < 3; ++i) {
        CHECK(r.ctaid[i] == expected[i]);
        CHECK(r.nctaid[i] == expected[3 + i]);
        CHECK(r.clusterid[i] == expected[6 + i]);
        CHECK(r.nclusterid[i] == expected[9 + i]);
      }
      CHECK(r.rank == x % 4 + 4 * (y % 2));
      CHECK(r.blocks == 8);
      CHECK(r.given == 1);
    }
  read_registers<<<dim3(8, 4), 32>>>(out.data());
  CHECK(out.to_host()[9].given == 0);
}

TEST_CASE("loads, stores and atomics of PTX reach another block's shared memory") {
  DeviceArray<uint32_t> out(8 * 128);
  for (const unsigned cluster : {1u, 2u, 8u}) {
    CHECK_OK(launch_clusters(cluster, 8, 32, neighbours, out.data()));
    const std::vector<uint32_t> got = out.to_host();
    for (uint32_t block = 0; block < 8; ++block) {
      const uint32_t rank = block % cluster, before = (rank + cluster - 1) % cluster;
      for (uint32_t tid = 0; tid < 32; ++tid) {
        REQUIRE(got[128 * block + tid] == 100 * before + tid);
        REQUIRE(got[128 * block + 32 + tid] == 100 * rank + tid);
        REQUIRE(got[128 * block + 64 + tid] == (tid % 2 == 0 ? 31u * 16u : 31u));
        REQUIRE(got[128 * block + 96 + tid] == 1);
      }
    }
  }
}

TEST_CASE("PTX maps addresses to another block, and tells whose they are") {
  DeviceArray<uint32_t> out(8 * 6);
  for (const unsigned cluster : {1u, 4u}) {
    CHECK_OK(launch_clusters(cluster, 8, 64, generic, out.data()));
    CHECK(out.to_host() == std::vector<uint32_t>(8 * 6, 0));
  }
}
