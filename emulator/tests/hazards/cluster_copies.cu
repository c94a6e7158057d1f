// Bulk copies within a cluster, and barriers of other blocks: wrong uses, and the same kernels as they should be.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <doctest/doctest.h>

#include "hazards.hpp"
#include <observation/observe.hpp>

namespace cg = cooperative_groups;

namespace {

using namespace cuda::ptx;
constexpr int threads = 64;
constexpr unsigned bytes = threads * sizeof(int);

__device__ inline void expect(uint64_t *barrier, unsigned coming) {
  mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, barrier, coming);
}
__device__ inline void make_known(uint64_t *barrier) {
  if (threadIdx.x == 0) {
    mbarrier_init(barrier, 1);
    fence_mbarrier_init(sem_release, scope_cluster);
  }
  cg::this_cluster().sync();
}
__device__ inline void wait_for(uint64_t *barrier, unsigned parity) {
  while (!mbarrier_try_wait_parity(barrier, parity)) {
  }
}

// ---------------------------------------------------------------------------------- to several blocks

enum class Cast { right, without_wait, unexpected };
template <Cast how> __device__ inline void cast(const int *in, int *out) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  const unsigned tid = threadIdx.x, rank = cg::this_cluster().block_rank();
  make_known(&s_full);
  if (tid == 0) {
    if (how == Cast::unexpected && rank == 1)
      mbarrier_arrive(&s_full);
    else
      expect(&s_full, bytes);
  }
  cg::this_cluster().sync();
  if (tid == 0 && rank == 0)
    cp_async_bulk(space_cluster, space_global, s_tile, in, bytes, &s_full, 3); // other
  if (how != Cast::without_wait || rank == 0)
    wait_for(&s_full, 0);
  out[blockIdx.x * threads + tid] = s_tile[threads - 1 - tid]; // here
  cg::this_cluster().sync();
}
template <Cast how> __global__ void __cluster_dims__(2) cast_kernel(const int *in, int *out) {
  cast<how>(in, out);
}
HAZARD_WITH(multicast_not_waited_for_by_one, shared_race, unfinished_copy) {
  cast_kernel<Cast::without_wait><<<2, threads>>>(m.in, m.out);
}
HAZARD_WITH(multicast_that_one_does_not_expect, shared_race, unfinished_copy) {
  cast_kernel<Cast::unexpected><<<2, threads>>>(m.in, m.out);
}
CORRECT(multicast) { cast_kernel<Cast::right><<<4, threads>>>(m.in, m.out); }

__global__ void __cluster_dims__(2) masked_kernel(const int *in, int *out, uint16_t mask) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  make_known(&s_full);
  if (threadIdx.x == 0)
    expect(&s_full, bytes);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    cp_async_bulk(space_cluster, space_global, s_tile, in, bytes, &s_full, mask); // here
  wait_for(&s_full, 0);
  out[blockIdx.x * threads + threadIdx.x] = s_tile[threadIdx.x];
  cg::this_cluster().sync();
}
HAZARD(multicast_to_a_block_that_is_not_there, invalid_rank) {
  masked_kernel<<<2, threads>>>(m.in, m.out, 5);
}
HAZARD(multicast_to_nobody, invalid_rank) { masked_kernel<<<2, threads>>>(m.in, m.out, 0); }

// One block expects more than the other one.
__global__ void __cluster_dims__(2) uneven_kernel(const int *in, int *out) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  make_known(&s_full);
  if (threadIdx.x == 0)
    expect(&s_full, blockIdx.x == 1 ? 2 * bytes : bytes);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    cp_async_bulk(space_cluster, space_global, s_tile, in, bytes, &s_full, 3);
  while (!mbarrier_try_wait_parity(&s_full, 0)) { // here
  }
  out[blockIdx.x * threads + threadIdx.x] = s_tile[threadIdx.x];
  cg::this_cluster().sync();
}
HAZARD(multicast_of_which_one_expects_more, deadlock) {
  uneven_kernel<<<2, threads>>>(m.in, m.out);
}

// The next tile comes when all have told the sender, who waits for that, that they have done with this one.
template <bool waits> __device__ inline void refilled(const int *in, int *out) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full, s_empty;
  const auto cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x, rank = cluster.block_rank();
  if (tid == 0)
    mbarrier_init(&s_empty, 2 * threads);
  make_known(&s_full);
  for (unsigned tile = 0; tile < 3; ++tile) {
    if (tid == 0)
      expect(&s_full, bytes);
    if (tid == 0 && rank == 0) {
      if (waits && tile > 0)
        wait_for(&s_empty, (tile - 1) % 2);
      const int *const from = in + tile * threads;
      cp_async_bulk(space_cluster, space_global, s_tile, from, bytes, &s_full, 3); // here other
    }
    wait_for(&s_full, tile % 2);
    out[(blockIdx.x * 3 + tile) * threads + tid] = s_tile[threads - 1 - tid]; // here other
    if (waits)
      mbarrier_arrive(
          sem_release, scope_cluster, space_cluster, cluster.map_shared_rank(&s_empty, 0));
  }
  cluster.sync();
}
template <bool waits> __global__ void __cluster_dims__(2) refilled_kernel(const int *in, int *out) {
  refilled<waits>(in, out);
}
HAZARD_WITH(multicast_into_what_others_still_read, shared_race, deadlock) {
  refilled_kernel<false><<<2, threads>>>(m.in, m.out);
}
CORRECT(multicasts_into_one_buffer) { refilled_kernel<true><<<4, threads>>>(m.in, m.out); }

// ------------------------------------------------------------------------------- from block to block

enum class Sent { right, without_fence, ends_early, to_one_that_ended, barrier_here };
template <Sent how> __device__ inline void sent(int *out) {
  __shared__ alignas(16) int s_from[threads], s_to[threads];
  __shared__ uint64_t s_full;
  const auto cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x, rank = cluster.block_rank();
  s_from[tid] = static_cast<int>(tid);
  fence_proxy_async(space_shared);
  make_known(&s_full);
  if (how == Sent::to_one_that_ended && rank == 1)
    return;
  if (rank == 0 && tid == 0) {
    for (int i = 0; how == Sent::to_one_that_ended && i < 100; ++i)
      atomicAdd(&out[4 * threads], 1);
    uint64_t *const barrier =
        how == Sent::barrier_here ? &s_full : cluster.map_shared_rank(&s_full, 1);
    int *const to = cluster.map_shared_rank(s_to, 1);
    cp_async_bulk(space_cluster, space_shared, to, s_from, bytes, barrier); // here
  }
  if (how == Sent::ends_early && rank == 0)
    return;
  if (rank == 1) {
    if (tid == 0)
      expect(&s_full, bytes);
    wait_for(&s_full, 0);
    out[blockIdx.x * threads + tid] = s_to[threads - 1 - tid];
  }
  if (how != Sent::ends_early)
    cluster.sync();
}
template <Sent how> __global__ void __cluster_dims__(2) sent_kernel(int *out) { sent<how>(out); }
HAZARD(sender_ends_before_it_is_read, unfinished_copy) {
  sent_kernel<Sent::ends_early><<<2, threads>>>(m.out);
}
HAZARD(sent_to_a_block_that_has_ended, peer_exited) {
  sent_kernel<Sent::to_one_that_ended><<<2, threads>>>(m.out);
}
HAZARD(sent_to_one_block_and_told_to_another, out_of_bounds) {
  sent_kernel<Sent::barrier_here><<<2, threads>>>(m.out);
}
CORRECT(sent_to_the_next_block) { sent_kernel<Sent::right><<<4, threads>>>(m.out); }

template <bool fenced> __device__ inline void changed(int *out) {
  __shared__ alignas(16) int s_from[threads], s_to[threads];
  __shared__ uint64_t s_full;
  const auto cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x, rank = cluster.block_rank();
  s_from[tid] = static_cast<int>(tid); // other
  if (fenced)
    fence_proxy_async(space_shared);
  make_known(&s_full);
  if (tid == 0)
    expect(&s_full, bytes);
  if (tid == 0) {
    int *const to = cluster.map_shared_rank(s_to, rank ^ 1);
    uint64_t *const barrier = cluster.map_shared_rank(&s_full, rank ^ 1);
    cp_async_bulk(space_cluster, space_shared, to, s_from, bytes, barrier); // here other
  }
  __syncthreads();
  if (fenced)
    s_from[tid] = 0; // here
  wait_for(&s_full, 0);
  out[blockIdx.x * threads + tid] = s_to[threads - 1 - tid];
  cluster.sync();
}
template <bool fenced> __global__ void __cluster_dims__(2) changed_kernel(int *out) {
  changed<fenced>(out);
}
HAZARD(sent_without_proxy_fence, proxy_fence) { changed_kernel<false><<<2, threads>>>(m.out); }
HAZARD(sent_and_changed_before_it_is_read, shared_race) {
  changed_kernel<true><<<2, threads>>>(m.out);
}

// ------------------------------------------------------------------- values from block to block

enum class Stored { right, without_wait, more_expected, at_an_odd_place, to_one_that_ended };
template <Stored how> __device__ inline void stored(int *out) {
  __shared__ alignas(16) int s_to[2 * threads];
  __shared__ unsigned s_sum;
  __shared__ uint64_t s_full;
  const auto cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x, rank = cluster.block_rank();
  if (tid == 0)
    s_sum = 0;
  make_known(&s_full);
  if (how == Stored::to_one_that_ended && rank == 1)
    return;
  if (rank == 0) {
    for (int i = 0; how == Stored::to_one_that_ended && i < 100; ++i)
      atomicAdd(&out[4 * threads], 1);
    uint64_t *const barrier = cluster.map_shared_rank(&s_full, 1);
    int *const to = cluster.map_shared_rank(s_to, 1);
    const int pair[2] = {1, static_cast<int>(tid)};
    st_async(to + 2 * tid + (how == Stored::at_an_odd_place), pair, barrier); // here
    red_async(op_add, cluster.map_shared_rank(&s_sum, 1), tid, barrier); // here
  }
  if (rank == 1) {
    if (tid == 0)
      expect(&s_full, how == Stored::more_expected ? 4 * bytes : 3 * bytes);
    while (how != Stored::without_wait && !mbarrier_try_wait_parity(&s_full, 0)) { // here
    }
    const int last = s_to[2 * threads - 1 - tid]; // here
    out[blockIdx.x * threads + tid] = last + static_cast<int>(s_sum); // here
  }
  cluster.sync();
}
template <Stored how> __global__ void __cluster_dims__(2) stored_kernel(int *out) {
  stored<how>(out);
}
HAZARD_WITH(value_not_waited_for, shared_race, unfinished_copy) {
  stored_kernel<Stored::without_wait><<<2, threads>>>(m.out);
}
HAZARD(value_of_fewer_bytes_than_expected, deadlock) {
  stored_kernel<Stored::more_expected><<<2, threads>>>(m.out);
}
HAZARD(value_to_an_odd_place, misaligned) {
  stored_kernel<Stored::at_an_odd_place><<<2, threads>>>(m.out);
}
HAZARD(value_to_a_block_that_has_ended, peer_exited) {
  stored_kernel<Stored::to_one_that_ended><<<2, threads>>>(m.out);
}
CORRECT(values_to_the_next_block) { stored_kernel<Stored::right><<<4, threads>>>(m.out); }

// The receiver's barrier is ready, as soon as that block runs: nothing makes sure that it does.
__global__ void __cluster_dims__(2) too_soon_kernel(int *out) {
  __shared__ alignas(16) int s_from[threads], s_to[threads];
  __shared__ uint64_t s_full;
  const auto cluster = cg::this_cluster();
  s_from[threadIdx.x] = 1;
  fence_proxy_async(space_shared);
  __syncthreads();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    uint64_t *const barrier = cluster.map_shared_rank(&s_full, 1);
    int *const to = cluster.map_shared_rank(s_to, 1);
    cp_async_bulk(space_cluster, space_shared, to, s_from, bytes, barrier); // here
  }
  out[blockIdx.x * threads + threadIdx.x] = 1;
  cluster.sync();
}
HAZARD_WITH(sent_to_a_block_that_may_not_have_begun, peer_not_started, unfinished_copy) {
  too_soon_kernel<<<2, threads>>>(m.out);
}

// Who sends reads what it has got itself, without a fence; the receiver hands its place back by a barrier.
__global__ void __cluster_dims__(2) forward_kernel(const int *in, int *out) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  const auto cluster = cg::this_cluster();
  const unsigned tid = threadIdx.x, rank = cluster.block_rank();
  make_known(&s_full);
  if (tid == 0) {
    expect(&s_full, bytes);
    if (rank == 0) {
      cp_async_bulk(space_cluster, space_global, s_tile, in, bytes, &s_full);
      wait_for(&s_full, 0);
      cp_async_bulk(space_cluster,
                    space_shared,
                    cluster.map_shared_rank(s_tile, 1),
                    s_tile,
                    bytes,
                    cluster.map_shared_rank(&s_full, 1));
    }
  }
  wait_for(&s_full, 0);
  out[blockIdx.x * threads + tid] = s_tile[tid];
  cluster.sync();
  s_tile[tid] = 0;
}
CORRECT(what_came_is_sent_on) { forward_kernel<<<4, threads>>>(m.in, m.out); }

// --------------------------------------------------------------------- barriers of other blocks

__global__ void __cluster_dims__(2) waits_there_kernel(int *out) {
  __shared__ uint64_t s_full;
  const auto cluster = cg::this_cluster();
  make_known(&s_full);
  if (cluster.block_rank() == 0)
    mbarrier_try_wait_parity(cluster.map_shared_rank(&s_full, 1), 0); // here
  out[threadIdx.x] = 1;
  cluster.sync();
}
HAZARD(waits_at_another_blocks_barrier, invalid_barrier) {
  waits_there_kernel<<<2, threads>>>(m.out);
}

// Nobody ever arrives, or one block expects too much: others wait for it at the cluster's barrier.
__global__ void __cluster_dims__(2) asks_for_ever_kernel(int *out) {
  __shared__ uint64_t s_full;
  const auto cluster = cg::this_cluster();
  make_known(&s_full);
  while (cluster.block_rank() == 1 && !mbarrier_try_wait_parity(&s_full, 0)) { // here
  }
  out[threadIdx.x] = 1;
  cluster.sync();
}
HAZARD(asks_a_barrier_of_a_cluster_for_ever, deadlock) {
  asks_for_ever_kernel<<<2, threads>>>(m.out);
}

template <bool fenced> __global__ void unfenced_kernel(const int *in, int *out) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  if (threadIdx.x == 0) {
    mbarrier_init(&s_full, 1); // other
    if (fenced)
      fence_mbarrier_init(sem_release, scope_cluster);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&s_full, bytes);
    cp_async_bulk(space_cluster, space_global, s_tile, in, bytes, &s_full); // here
  }
  wait_for(&s_full, 0);
  out[threadIdx.x] = s_tile[threadIdx.x];
}
HAZARD(barrier_made_ready_without_fence, proxy_fence) {
  unfenced_kernel<false><<<1, threads>>>(m.in, m.out);
}
CORRECT(barrier_made_ready_with_its_fence) { unfenced_kernel<true><<<1, threads>>>(m.in, m.out); }

TEST_CASE("who has begun a copy is named, also where it is another block") {
  const hazards::Memory memory = hazards::fresh_memory();
  emu::start_observing();
  cast_kernel<Cast::without_wait><<<2, threads>>>(memory.in, memory.out);
  const emu::Observation seen = emu::stop_observing();
  const auto race = std::find_if(seen.hazards.begin(), seen.hazards.end(), [](const auto &hazard) {
    return hazard.kind == "shared_race";
  });
  REQUIRE(race != seen.hazards.end());
  CHECK(race->here.block[0] != race->other.block[0]);
  hazards::release(memory);
}

} // namespace
