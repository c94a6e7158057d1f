// Clusters of blocks: what orders their accesses of each other's shared memory, and how long that is there.
#include <cooperative_groups.h>
#include <doctest/doctest.h>

#include "hazards.hpp"
#include <observation/observe.hpp>

namespace cg = cooperative_groups;

namespace {

enum class Between { nothing, block, relaxed, fenced, cluster };
/// What stands between two accesses.
template <Between between> __device__ void meet() {
  if (between == Between::block)
    __syncthreads();
  if (between == Between::fenced)
    __threadfence_cluster();
  if (between == Between::relaxed || between == Between::fenced) {
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
  }
  if (between == Between::cluster)
    cg::this_cluster().sync();
}

// Each block fills the next one's array, which then reads it.
template <Between between> __global__ void __cluster_dims__(4) fill_next_kernel(int *out) {
  __shared__ int s_data[64];
  const auto cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x, next = (cluster.block_rank() + 1) % cluster.num_blocks();
  cluster.sync();
  int *const theirs = cluster.map_shared_rank(s_data, next);
  theirs[tid] = blockIdx.x * 64 + tid; // here other
  meet<between>();
  out[blockIdx.x * 64 + tid] = s_data[63 - tid]; // here other
  cluster.sync();
}
HAZARD(nothing_between_blocks, shared_race) {
  fill_next_kernel<Between::nothing><<<8, 64>>>(m.out);
}
HAZARD(syncthreads_between_blocks, shared_race) {
  fill_next_kernel<Between::block><<<8, 64>>>(m.out);
}
HAZARD(a_relaxed_barrier_between_blocks, shared_race) {
  fill_next_kernel<Between::relaxed><<<8, 64>>>(m.out);
}
CORRECT(a_fence_and_a_relaxed_barrier_between_blocks) {
  fill_next_kernel<Between::fenced><<<8, 64>>>(m.out);
}
CORRECT(a_barrier_between_blocks) { fill_next_kernel<Between::cluster><<<8, 64>>>(m.out); }

// Two writers of one word of a third block.
__global__ void __cluster_dims__(4) two_writers_kernel(int *out) {
  __shared__ int s_value;
  const auto cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  cluster.sync();
  if (threadIdx.x == 0 && rank != 0)
    *cluster.map_shared_rank(&s_value, 0) = rank; // here other
  cluster.sync();
  if (threadIdx.x == 0 && rank == 0)
    out[blockIdx.x] = s_value;
}
HAZARD(two_blocks_write_one_word, shared_race) { two_writers_kernel<<<4, 32>>>(m.out); }

// An atomic of a block's scope means nothing to another block.
template <bool of_block> __global__ void __cluster_dims__(2) scope_kernel(int *out) {
  __shared__ int s_sum;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    s_sum = 0;
  cluster.sync();
  int *const sum = cluster.map_shared_rank(&s_sum, 0);
  if (of_block)
    atomicAdd_block(sum, 1); // here other
  else
    atomicAdd(sum, 1);
  cluster.sync();
  if (threadIdx.x == 0 && cluster.block_rank() == 0)
    out[blockIdx.x] = s_sum;
}
HAZARD(atomics_of_block_scope_from_two_blocks, shared_race) {
  scope_kernel<true><<<4, 32>>>(m.out);
}
CORRECT(atomics_from_two_blocks) { scope_kernel<false><<<4, 32>>>(m.out); }

// The block that is read must have begun, and must not have ended.
template <bool before, bool behind> __global__ void __cluster_dims__(2) life_kernel(int *out) {
  __shared__ int s_data[32];
  const auto cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid;
  if (before)
    cluster.sync();
  else
    __syncthreads();
  int *const theirs = cluster.map_shared_rank(s_data, cluster.block_rank() ^ 1);
  out[blockIdx.x * 32 + tid] = atomicAdd(&theirs[tid], 0); // here
  if (behind)
    cluster.sync();
}
HAZARD(a_block_that_may_have_ended, peer_exited) { life_kernel<true, false><<<4, 32>>>(m.out); }
HAZARD_WITH(a_block_that_may_not_have_begun, peer_not_started, shared_race) {
  life_kernel<false, true><<<4, 32>>>(m.out);
}
CORRECT(a_block_that_lives) { life_kernel<true, true><<<4, 32>>>(m.out); }

// One block has long ended when the other one comes.
__global__ void __cluster_dims__(2) late_kernel(int *out) {
  __shared__ int s_value;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    s_value = 3;
  cluster.sync();
  if (cluster.block_rank() == 1)
    return;
  for (int i = 0; i < 100; ++i)
    atomicAdd(&out[threadIdx.x], 1);
  out[64 + threadIdx.x] = *cluster.map_shared_rank(&s_value, 1); // here
}
HAZARD(a_block_that_has_ended, peer_exited) { late_kernel<<<2, 32>>>(m.out); }

__global__ void __cluster_dims__(2) bounds_kernel(int *out, int index) {
  __shared__ int s_data[40];
  const auto cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x;
  if (tid < 40)
    s_data[tid] = tid;
  cluster.sync();
  if (tid == 0)
    out[blockIdx.x] = cluster.map_shared_rank(s_data, cluster.block_rank() ^ 1)[index]; // here
  cluster.sync();
}
HAZARD(past_another_blocks_array, out_of_bounds) { bounds_kernel<<<2, 64>>>(m.out, 40); }
CORRECT(the_last_element_of_another_blocks_array) { bounds_kernel<<<2, 64>>>(m.out, 39); }

__global__ void __cluster_dims__(2) unwritten_kernel(int *out) {
  __shared__ int s_data[64];
  const auto cluster = cg::this_cluster();
  cluster.sync();
  out[blockIdx.x * 64 + threadIdx.x] =
      cluster.map_shared_rank(s_data, cluster.block_rank() ^ 1)[threadIdx.x]; // here
  cluster.sync();
}
HAZARD(what_another_block_has_not_written, uninitialised) { unwritten_kernel<<<2, 64>>>(m.out); }

// Not all come to the barrier: some wait for their own block instead.
__global__ void __cluster_dims__(2) some_miss_kernel(int *out) {
  const auto cluster = cg::this_cluster();
  if (cluster.block_rank() == 1 && threadIdx.x >= 32)
    __syncthreads(); // other
  else
    cluster.sync(); // here
  out[blockIdx.x * 64 + threadIdx.x] = 1;
}
HAZARD(some_miss_the_clusters_barrier, deadlock) { some_miss_kernel<<<2, 64>>>(m.out); }

__global__ void __cluster_dims__(2) twice_kernel(int *out) {
  const auto cluster = cg::this_cluster();
  cluster.barrier_arrive();
  out[blockIdx.x * 32 + threadIdx.x] = 1;
  cluster.barrier_arrive(); // here
  cluster.barrier_wait();
}
HAZARD(arrives_twice, invalid_cluster_barrier) { twice_kernel<<<2, 32>>>(m.out); }
__global__ void __cluster_dims__(2) no_arrival_kernel(int *out) {
  out[blockIdx.x * 32 + threadIdx.x] = 1;
  __cluster_barrier_wait(); // here
}
HAZARD(waits_without_arriving, invalid_cluster_barrier) { no_arrival_kernel<<<2, 32>>>(m.out); }

__global__ void __cluster_dims__(2) rank_kernel(int *out, int rank) {
  __shared__ int s_value;
  const auto cluster = cg::this_cluster();
  s_value = 1;
  cluster.sync();
  out[blockIdx.x] = *cluster.map_shared_rank(&s_value, rank); // here
  cluster.sync();
}
HAZARD_WITH(a_rank_beyond_the_cluster, invalid_rank, same_value_race) {
  rank_kernel<<<2, 1>>>(m.out, 2);
}

// ------------------------------------------------------------------------------------ what is right

__global__ void __cluster_dims__(4) histogram_kernel(const int *in, int *out) {
  __shared__ int s_bins[16];
  const auto cluster = cg::this_cluster();
  for (unsigned i = threadIdx.x; i < 16; i += blockDim.x)
    s_bins[i] = 0;
  cluster.sync();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < 512; i += gridDim.x * blockDim.x) {
    const int bin = in[i] * 7 % 64;
    atomicAdd(&cluster.map_shared_rank(s_bins, bin / 16)[bin % 16], 1);
  }
  cluster.sync();
  for (unsigned i = threadIdx.x; i < 16; i += blockDim.x)
    atomicAdd(&out[cluster.block_rank() * 16 + i], s_bins[i]);
}
CORRECT(a_histogram_in_several_blocks) { histogram_kernel<<<8, 48>>>(m.in, m.out); }

__global__ void __cluster_dims__(4) ring_kernel(int *out) {
  __shared__ int s_box[2][64];
  const auto cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x, next = (cluster.block_rank() + 1) % 4;
  s_box[0][tid] = blockIdx.x;
  for (int round = 0; round < 5; ++round) {
    cluster.sync();
    cluster.map_shared_rank(&s_box[(round + 1) % 2][0], next)[tid] = s_box[round % 2][63 - tid];
  }
  cluster.sync();
  out[blockIdx.x * 64 + tid] = s_box[1][tid];
}
CORRECT(a_ring_of_blocks) { ring_kernel<<<8, 64>>>(m.out); }

// The barrier of the block hands on what one thread has waited for; one warp alone touches the peer.
__global__ void __cluster_dims__(2) one_warp_kernel(int *out) {
  __shared__ int s_data[96];
  __shared__ int s_sum[2];
  const auto cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x, other = cluster.block_rank() ^ 1;
  if (tid == 0)
    s_sum[0] = s_sum[1] = 0;
  auto token = cluster.barrier_arrive();
  cluster.barrier_wait(static_cast<decltype(token) &&>(token));
  s_data[tid] = tid;
  __syncthreads();
  int sum = 0;
  if (tid < 32)
    for (unsigned i = tid; i < 96; i += 32)
      sum += s_data[i];
  __syncwarp();
  if (tid < 32)
    atomicAdd(cluster.map_shared_rank(&s_sum[0], other), sum);
  cluster.sync();
  if (tid == 95)
    out[blockIdx.x] = s_sum[0];
}
CORRECT(one_warp_touches_another_block) { one_warp_kernel<<<4, 96>>>(m.out); }

// Behind the barrier one thread tells another cluster, by a flag, what all of its own have done.
__global__ void __cluster_dims__(2) tell_kernel(int *out) {
  const auto cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x;
  if (blockIdx.x < 2) {
    out[blockIdx.x * 32 + tid] = 5;
    cluster.sync();
    if (blockIdx.x == 0 && tid == 0) {
      __threadfence();
      atomicExch(&out[500], 1);
    }
    return;
  }
  __shared__ int s_ready;
  if (tid == 0) {
    s_ready = atomicAdd(&out[500], 0);
    __threadfence();
  }
  __syncthreads();
  if (s_ready != 0)
    out[100 + blockIdx.x * 32 + tid] = out[tid] + out[32 + tid];
}
CORRECT(a_flag_tells_of_a_cluster) { tell_kernel<<<4, 32>>>(m.out); }

// Global memory, too, is ordered by the barrier; threads that end early are waited for no longer.
__global__ void __cluster_dims__(2) global_kernel(int *out, int last) {
  const auto cluster = cg::this_cluster();
  const unsigned rank = cluster.thread_rank();
  out[rank] = rank;
  if (static_cast<int>(threadIdx.x) >= last)
    return;
  cluster.sync();
  out[200 + rank] = out[127 - rank];
  cluster.sync();
  out[127 - rank] = 7;
}
CORRECT(a_barrier_orders_global_memory) { global_kernel<<<2, 64>>>(m.out, 64); }
CORRECT(some_threads_of_a_cluster_end_early) { global_kernel<<<2, 64>>>(m.out, 40); }

// A block hands on what it has by another one's barrier with phases, which that one waits at.
template <bool waits> __global__ void __cluster_dims__(2) remote_arrival_kernel(int *out) {
  __shared__ unsigned long long s_full;
  __shared__ int s_data[32];
  const auto cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x;
  const auto local = static_cast<unsigned>(__cvta_generic_to_shared(&s_full));
  if (tid == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(local) : "memory");
  cluster.sync();
  if (cluster.block_rank() == 0) {
    unsigned remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote) : "r"(local));
    cluster.map_shared_rank(s_data, 1)[tid] = tid * 2; // other
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote)
                 : "memory");
  } else {
    for (unsigned done = !waits; done == 0;)
      asm volatile("{\n\t.reg .pred p;\n\t"
                   "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n\t"
                   "selp.u32 %0, 1, 0, p;\n\t}"
                   : "=r"(done)
                   : "r"(local)
                   : "memory");
    out[tid] = s_data[31 - tid]; // here
  }
  cluster.sync();
}
CORRECT(a_block_waits_for_arrivals_of_another) { remote_arrival_kernel<true><<<2, 32>>>(m.out); }
HAZARD_WITH(a_block_does_not_wait_for_arrivals_of_another, shared_race, uninitialised) {
  remote_arrival_kernel<false><<<2, 32>>>(m.out);
}

__global__ void alone_kernel(int *out) {
  __shared__ int s_data[64];
  const auto cluster = cg::this_cluster();
  s_data[threadIdx.x] = threadIdx.x;
  cluster.sync();
  out[blockIdx.x * 64 + threadIdx.x] = cluster.map_shared_rank(s_data, 0)[63 - threadIdx.x];
  cluster.sync();
  s_data[threadIdx.x ^ 1] = 0;
}
CORRECT(a_block_is_a_cluster_by_itself) { alone_kernel<<<3, 64>>>(m.out); }

TEST_CASE("another block's shared memory is counted as shared memory") {
  const hazards::Memory memory = hazards::fresh_memory();
  emu::start_observing();
  ring_kernel<<<8, 64>>>(memory.out);
  const emu::Observation seen = emu::stop_observing();
  CHECK(seen.hazards.empty());
  REQUIRE(seen.kernels.size() == 1);
  uint64_t loads = 0, stores = 0;
  for (const emu::LineReport &line : seen.kernels[0].lines) {
    loads += line.access == emu::Access::shared_load ? line.counts.requests : 0;
    stores += line.access == emu::Access::shared_store ? line.counts.requests : 0;
  }
  CHECK(loads == 2 * 8 * 6); // warps, blocks, rounds and the last line
  CHECK(stores == 2 * 8 * 6);
  hazards::release(memory);
}

} // namespace
