// Bulk copies within a cluster: to several blocks at once, from one block to another, and barriers of other blocks that
// are told of arrivals and bytes.
#include "clusters.cuh"
#include "phases.cuh"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include <cstdint>
#include <numeric>

namespace {

namespace ptx = cuda::ptx;
using conformance::in_shared, conformance::launch_clusters, conformance::make_ready,
    conformance::wait_for;
constexpr int threads = 128;
constexpr unsigned tile_bytes = threads * sizeof(int);

__device__ unsigned rank_in_cluster() { return cooperative_groups::this_cluster().block_rank(); }
__device__ unsigned blocks_of_cluster() { return cooperative_groups::this_cluster().num_blocks(); }
__device__ void sync_cluster() { cooperative_groups::this_cluster().sync(); }
/// Where the same lies in another block's shared memory.
__device__ unsigned in_block(const void *p, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(in_shared(p)), "r"(rank));
  return there;
}
/// All blocks of the cluster know of the barrier, and so do bulk copies.
__device__ void make_known(uint64_t *barrier, unsigned count) {
  if (threadIdx.x == 0) {
    make_ready(barrier, count);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  sync_cluster();
}
__device__ void arrive_and_expect(uint64_t *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(in_shared(barrier)), "r"(bytes)
               : "memory");
}

// Each block brings its part of a tile, and all get all of it.
__global__ void share_a_tile(int *out, const int *in) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  const unsigned tid = threadIdx.x, blocks = blocks_of_cluster(), part = threads / blocks;
  make_known(&s_full, 1);
  if (tid == 0) {
    arrive_and_expect(&s_full, tile_bytes);
    const unsigned first = rank_in_cluster() * part;
    const auto everybody = static_cast<uint16_t>((1u << blocks) - 1);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1], %2, [%3], %4;"
                 :
                 : "r"(in_shared(s_tile + first)),
                   "l"(in + first),
                   "r"(part * static_cast<unsigned>(sizeof(int))),
                   "r"(in_shared(&s_full)),
                   "h"(everybody)
                 : "memory");
  }
  wait_for(&s_full, 0);
  out[blockIdx.x * threads + tid] = s_tile[threads - 1 - tid];
  sync_cluster();
}

std::vector<int> numbers(size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST_CASE("a bulk copy to all blocks of a cluster") {
  const conformance::DeviceArray<int> in(numbers(threads));
  conformance::DeviceArray<int> out(8 * threads);
  for (const unsigned cluster : {1u, 2u, 4u, 8u}) {
    CAPTURE(cluster);
    CHECK_OK(cudaMemset(out.data(), 0xff, out.bytes()));
    CHECK_OK(launch_clusters(cluster, 8, threads, share_a_tile, out.data(), in.data()));
    const std::vector<int> values = out.to_host();
    for (int i = 0; i < 8 * threads; ++i)
      REQUIRE(values[static_cast<size_t>(i)] == threads - 1 - i % threads);
  }
}

// Only those whose bits are set get it, at the place that the sender has named.
__global__ void some_get_it(int *out, const int *in, unsigned mask) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  const unsigned tid = threadIdx.x, rank = rank_in_cluster();
  s_tile[tid] = -1;
  ptx::fence_proxy_async(ptx::space_shared);
  make_known(&s_full, 1);
  const bool gets = mask >> rank & 1;
  constexpr unsigned bytes = tile_bytes; // is passed by reference
  if (tid == 0 && gets)
    arrive_and_expect(&s_full, tile_bytes);
  if (tid == 0 && rank == 1)
    ptx::cp_async_bulk(ptx::space_cluster,
                       ptx::space_global,
                       s_tile,
                       in,
                       bytes,
                       &s_full,
                       static_cast<uint16_t>(mask));
  if (gets)
    wait_for(&s_full, 0);
  out[blockIdx.x * threads + tid] = s_tile[tid];
  sync_cluster();
}

TEST_CASE("a bulk copy to some blocks of a cluster, its sender or not") {
  const conformance::DeviceArray<int> in(numbers(threads));
  conformance::DeviceArray<int> out(4 * threads);
  for (const unsigned mask : {0x1u, 0x2u, 0xdu, 0xfu}) {
    CAPTURE(mask);
    CHECK_OK(launch_clusters(4, 4, threads, some_get_it, out.data(), in.data(), mask));
    const std::vector<int> values = out.to_host();
    for (int i = 0; i < 4 * threads; ++i)
      REQUIRE(values[static_cast<size_t>(i)] == (mask >> i / threads & 1 ? i % threads : -1));
  }
}

// Tiles go round: each block sends its own to the next one, which has told how much it expects.
__global__ void pass_on(int *out, int rounds) {
  __shared__ alignas(16) int s_tile[2][threads];
  __shared__ uint64_t s_full;
  const unsigned tid = threadIdx.x, next = (rank_in_cluster() + 1) % blocks_of_cluster();
  s_tile[0][tid] = static_cast<int>(blockIdx.x * threads + tid);
  make_known(&s_full, 1);
  for (int round = 0; round < rounds; ++round) {
    int *const s_from = s_tile[round % 2], *const s_to = s_tile[(round + 1) % 2];
    ptx::fence_proxy_async(ptx::space_shared);
    sync_cluster(); // the next one has done with where the tile goes
    if (tid == 0) {
      arrive_and_expect(&s_full, tile_bytes);
      asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                   " [%0], [%1], %2, [%3];"
                   :
                   : "r"(in_block(s_to, next)),
                     "r"(in_shared(s_from)),
                     "r"(tile_bytes),
                     "r"(in_block(&s_full, next))
                   : "memory");
    }
    wait_for(&s_full, static_cast<unsigned>(round) % 2);
    s_to[tid] += 1;
  }
  out[blockIdx.x * threads + tid] = s_tile[rounds % 2][tid];
  sync_cluster();
}

TEST_CASE("bulk copies from one block to the next") {
  conformance::DeviceArray<int> out(8 * threads);
  for (const int rounds : {1, 2, 5}) {
    CAPTURE(rounds);
    CHECK_OK(launch_clusters(4, 8, threads, pass_on, out.data(), rounds));
    const std::vector<int> values = out.to_host();
    for (int i = 0; i < 8 * threads; ++i) {
      const int block = i / threads, from = block / 4 * 4 + (block % 4 + 4 - rounds % 4) % 4;
      REQUIRE(values[static_cast<size_t>(i)] == from * threads + i % threads + rounds);
    }
  }
}

// Each thread sends what it has in registers to the next block, and adds to a sum there.
__global__ void send_values(unsigned *out) {
  __shared__ alignas(16) unsigned s_got[4 * threads];
  __shared__ unsigned long long s_pair[threads];
  __shared__ unsigned s_sum, s_most;
  __shared__ uint64_t s_full;
  const unsigned tid = ptx::get_sreg_tid_x(),
                 next = (ptx::get_sreg_cluster_ctarank() + 1) % ptx::get_sreg_cluster_nctarank(),
                 mine = 1000 * ptx::get_sreg_ctaid_x() + tid;
  if (tid == 0)
    s_sum = s_most = 0;
  make_known(&s_full, 1);
  if (tid == 0)
    arrive_and_expect(&s_full, threads * (16 + 8 + 4 + 4));
  const auto there = [next](auto *p) {
    return cooperative_groups::this_cluster().map_shared_rank(p, next);
  };
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32"
               " [%0], {%1, %2, %3, %1}, [%4];"
               :
               : "r"(in_block(s_got + 4 * tid, next)),
                 "r"(mine),
                 "r"(mine + 1),
                 "r"(mine + 2),
                 "r"(in_block(&s_full, next))
               : "memory");
  const unsigned pair[2] = {mine, tid};
  ptx::st_async(there(reinterpret_cast<unsigned *>(s_pair + tid)), pair, there(&s_full));
  ptx::red_async(ptx::op_add, there(&s_sum), mine, there(&s_full));
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32"
               " [%0], %1, [%2];"
               :
               : "r"(in_block(&s_most, next)), "r"(mine), "r"(in_block(&s_full, next))
               : "memory");
  wait_for(&s_full, 0);
  const unsigned from = threads - 1 - tid;
  unsigned *const result = out + 8 * (blockIdx.x * threads + from);
  for (unsigned i = 0; i < 4; ++i)
    result[i] = s_got[4 * from + i];
  result[4] = static_cast<unsigned>(s_pair[from]);
  result[5] = static_cast<unsigned>(s_pair[from] >> 32);
  result[6] = s_sum;
  result[7] = ptx::getctarank(ptx::space_cluster, there(&s_most)) == next ? s_most : 0;
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
}

TEST_CASE("values that threads store to the next block, and add there") {
  conformance::DeviceArray<unsigned> out(8 * 8 * threads);
  CHECK_OK(launch_clusters(4, 8, threads, send_values, out.data()));
  const std::vector<unsigned> values = out.to_host();
  for (unsigned i = 0; i < 8 * threads; ++i) {
    const unsigned block = i / threads, from = block / 4 * 4 + (block + 3) % 4, tid = i % threads,
                   mine = 1000 * from + tid;
    const unsigned expected[] = {mine,
                                 mine + 1,
                                 mine + 2,
                                 mine,
                                 mine,
                                 tid,
                                 1000 * from * threads + threads * (threads - 1) / 2,
                                 1000 * from + threads - 1};
    for (unsigned k = 0; k < 8; ++k)
      REQUIRE(values[8 * i + k] == expected[k]);
  }
}

// One block does all for another one: it says what is to come, arrives, and sends it. Places for the next tile it is told of
// by a barrier of its own.
__global__ void serve(int *out, const int *in, int tiles) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full, s_empty;
  const unsigned tid = threadIdx.x;
  if (tid == 0)
    make_ready(&s_empty, threads);
  make_known(&s_full, 1);
  for (int tile = 0; tile < tiles; ++tile) {
    const unsigned phase = static_cast<unsigned>(tile) % 2;
    if (rank_in_cluster() == 0) {
      if (tid == 0) {
        if (tile > 0)
          wait_for(&s_empty, 1 - phase);
        asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;"
                     :
                     : "r"(in_block(&s_full, 1)), "r"(tile_bytes)
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1], %2, [%3];"
                     :
                     : "r"(in_block(s_tile, 1)),
                       "l"(in + tile * threads),
                       "r"(tile_bytes),
                       "r"(in_block(&s_full, 1))
                     : "memory");
      }
    } else {
      wait_for(&s_full, phase);
      out[tile * threads + static_cast<int>(tid)] = s_tile[threads - 1 - tid];
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
                   :
                   : "r"(in_block(&s_empty, 0))
                   : "memory");
    }
  }
  sync_cluster();
}

TEST_CASE("a block that serves another one") {
  const conformance::DeviceArray<int> in(numbers(5 * threads));
  conformance::DeviceArray<int> out(5 * threads);
  CHECK_OK(launch_clusters(2, 2, threads, serve, out.data(), in.data(), 5));
  const std::vector<int> values = out.to_host();
  for (int i = 0; i < 5 * threads; ++i)
    REQUIRE(values[static_cast<size_t>(i)] == i / threads * threads + threads - 1 - i % threads);
}

} // namespace
