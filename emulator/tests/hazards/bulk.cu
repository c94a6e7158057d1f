// Bulk copies: wrong uses, and the same kernels as they should be.
#include <cuda/barrier>
#include <cuda/ptx>

#include "hazards.hpp"

namespace {

using namespace cuda::ptx;
constexpr int threads = 64;
constexpr unsigned bytes = threads * sizeof(int);

__device__ inline void expect(uint64_t *barrier, unsigned coming) {
  mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, barrier, coming);
}
__device__ inline void make_ready(uint64_t *barrier) {
  if (threadIdx.x == 0) {
    mbarrier_init(barrier, 1);
    fence_proxy_async(space_shared);
  }
  __syncthreads();
}

// ------------------------------------------------------------------------------------- loads

enum class Load { right, without_wait, of_wrong_parity, written_under, source_changed };
template <Load how> __device__ inline void loaded(int *in, int *out) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  const unsigned tid = threadIdx.x;
  make_ready(&s_full);
  if (tid == 0) {
    expect(&s_full, bytes);
    cp_async_bulk(space_cluster, space_global, s_tile, in, bytes, &s_full); // here other
  }
  __syncthreads();
  if (how == Load::written_under && tid == 5)
    s_tile[tid] = 0; // here other
  if (how == Load::source_changed && tid == 5)
    in[tid] = 0; // here other
  if (how != Load::without_wait)
    while (!mbarrier_try_wait_parity(&s_full, how == Load::of_wrong_parity)) {
    }
  out[tid] = s_tile[threads - 1 - tid]; // here other
}
template <Load how> __global__ void loaded_kernel(int *in, int *out) { loaded<how>(in, out); }
HAZARD_WITH(bulk_load_not_waited_for, shared_race, unfinished_copy) {
  loaded_kernel<Load::without_wait><<<1, threads>>>(m.in, m.out);
}
HAZARD_WITH(bulk_load_waited_for_by_the_wrong_parity, shared_race, unfinished_copy) {
  loaded_kernel<Load::of_wrong_parity><<<1, threads>>>(m.in, m.out);
}
HAZARD(bulk_load_written_under, shared_race) {
  loaded_kernel<Load::written_under><<<1, threads>>>(m.in, m.out);
}
HAZARD(bulk_load_whose_source_changes, global_race) {
  loaded_kernel<Load::source_changed><<<1, threads>>>(m.in, m.out);
}
CORRECT(bulk_load) { loaded_kernel<Load::right><<<1, threads>>>(m.in, m.out); }

// What is expected is not what comes.
__global__ void miscounted_kernel(const int *in, int *out, unsigned expected) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  make_ready(&s_full);
  if (threadIdx.x == 0) {
    expect(&s_full, expected);
    cp_async_bulk(space_cluster, space_global, s_tile, in, bytes, &s_full);
  }
  while (!mbarrier_try_wait_parity(&s_full, 0)) { // here
  }
  out[threadIdx.x] = s_tile[threadIdx.x];
}
HAZARD(bulk_load_of_fewer_bytes, deadlock) {
  miscounted_kernel<<<1, threads>>>(m.in, m.out, bytes + 16);
}
HAZARD(bulk_load_of_more_bytes, deadlock) {
  miscounted_kernel<<<1, threads>>>(m.in, m.out, bytes - 16);
}

__global__ void askew_kernel(const int *in, int *out, int shift, unsigned moved) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  make_ready(&s_full);
  if (threadIdx.x == 0) {
    expect(&s_full, moved);
    cp_async_bulk(space_cluster, space_global, s_tile, in + shift, moved, &s_full); // here
  }
  while (!mbarrier_try_wait_parity(&s_full, 0)) {
  }
  out[threadIdx.x] = s_tile[threadIdx.x];
}
HAZARD(bulk_load_from_an_odd_place, misaligned) {
  askew_kernel<<<1, threads>>>(m.in, m.out, 1, bytes);
}
HAZARD(bulk_load_of_odd_bytes, misaligned) {
  askew_kernel<<<1, threads>>>(m.in, m.out, 0, bytes - 4);
}
HAZARD(bulk_load_beyond_the_end, out_of_bounds) {
  askew_kernel<<<1, threads>>>(m.in, m.out, hazards::elements - 32, bytes);
}

__global__ void left_alone_kernel(const int *in, int *out) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  make_ready(&s_full);
  if (threadIdx.x == 0) {
    expect(&s_full, bytes);
    cp_async_bulk(space_cluster, space_global, s_tile, in, bytes, &s_full); // here
  }
  out[threadIdx.x] = 1;
}
HAZARD(bulk_load_that_nobody_waits_for, unfinished_copy) {
  left_alone_kernel<<<1, threads>>>(m.in, m.out);
}

// One barrier for two buffers: the thread that brings the tiles does not wait until the first one was used.
template <bool Waits> __device__ inline void refilled(const int *in, int *out) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full, s_empty;
  const unsigned tid = threadIdx.x;
  if (tid == 0)
    mbarrier_init(&s_empty, threads);
  make_ready(&s_full);
  for (unsigned tile = 0; tile < 3; ++tile) {
    if (tid == 0) {
      if (Waits && tile > 0)
        while (!mbarrier_try_wait_parity(&s_empty, (tile - 1) % 2)) {
        }
      expect(&s_full, bytes);
      const int *const from = in + tile * threads;
      cp_async_bulk(space_cluster, space_global, s_tile, from, bytes, &s_full); // here other
    }
    while (!mbarrier_try_wait_parity(&s_full, tile % 2)) {
    }
    out[tile * threads + tid] = s_tile[threads - 1 - tid]; // here other
    if (Waits)
      mbarrier_arrive(&s_empty);
  }
}
template <bool Waits> __global__ void refilled_kernel(const int *in, int *out) {
  refilled<Waits>(in, out);
}
HAZARD_WITH(bulk_load_into_what_is_still_read, shared_race, deadlock) {
  refilled_kernel<false><<<1, threads>>>(m.in, m.out);
}
CORRECT(bulk_loads_into_one_buffer) { refilled_kernel<true><<<1, threads>>>(m.in, m.out); }

// ------------------------------------------------------------------------------------ stores

enum class Store { right, fenced_by_its_thread, without_fence, fenced_too_early };
template <Store how> __device__ inline void stored(int *out) {
  __shared__ alignas(16) int s_tile[threads];
  const unsigned tid = threadIdx.x;
  if (how == Store::fenced_too_early)
    fence_proxy_async(space_shared);
  s_tile[tid] = static_cast<int>(tid); // other
  if (how != Store::without_fence && how != Store::fenced_by_its_thread &&
      how != Store::fenced_too_early)
    fence_proxy_async(space_shared);
  __syncthreads();
  if (tid == 0) {
    if (how == Store::fenced_by_its_thread)
      fence_proxy_async();
    cp_async_bulk(space_global, space_shared, out, s_tile, bytes); // here
    cp_async_bulk_commit_group();
    cp_async_bulk_wait_group_read(n32_t<0>());
  }
}
template <Store how> __global__ void stored_kernel(int *out) { stored<how>(out); }
HAZARD(bulk_store_without_proxy_fence, proxy_fence) {
  stored_kernel<Store::without_fence><<<1, threads>>>(m.out);
}
HAZARD(bulk_store_fenced_before_the_writes, proxy_fence) {
  stored_kernel<Store::fenced_too_early><<<1, threads>>>(m.out);
}
CORRECT(bulk_store) { stored_kernel<Store::right><<<1, threads>>>(m.out); }
CORRECT(bulk_store_fenced_by_its_thread) {
  stored_kernel<Store::fenced_by_its_thread><<<1, threads>>>(m.out);
}

// By the thread that begins it alone, before the others have come.
__global__ void fenced_by_one_kernel(int *out) {
  __shared__ alignas(16) int s_tile[threads];
  s_tile[threadIdx.x] = static_cast<int>(threadIdx.x); // other
  if (threadIdx.x == 0)
    fence_proxy_async(space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk(space_global, space_shared, out, s_tile, bytes); // here
    cp_async_bulk_commit_group();
    cp_async_bulk_wait_group_read(n32_t<0>());
  }
}
HAZARD(bulk_store_fenced_by_one, proxy_fence) { fenced_by_one_kernel<<<1, threads>>>(m.out); }

// The next tile goes where a store may still read; what was stored is read before it is there.
template <bool Right, bool Again> __device__ inline void used_again(int *out) {
  __shared__ alignas(16) int s_tile[threads];
  const unsigned tid = threadIdx.x;
  for (int tile = 0; tile < 2; ++tile) {
    s_tile[tid] = tile; // here other
    fence_proxy_async(space_shared);
    __syncthreads();
    if (tid == 0) {
      cp_async_bulk(space_global, space_shared, out, s_tile, bytes); // here other
      cp_async_bulk_commit_group();
      if (Right)
        cp_async_bulk_wait_group(n32_t<0>());
      else if (!Again)
        cp_async_bulk_wait_group_read(n32_t<0>());
    }
    __syncthreads();
    if (!Again)
      out[threads + tid] = out[threads - 1 - tid]; // here other
    __syncthreads();
  }
  if (tid == 0)
    cp_async_bulk_wait_group(n32_t<0>());
}
template <bool Right, bool Again> __global__ void used_again_kernel(int *out) {
  used_again<Right, Again>(out);
}
HAZARD_WITH(bulk_store_whose_source_changes, shared_race, global_race) {
  used_again_kernel<false, true><<<1, threads>>>(m.out);
}
HAZARD(bulk_store_that_is_read_too_early, global_race) {
  used_again_kernel<false, false><<<1, threads>>>(m.out);
}
CORRECT(bulk_stores_from_one_buffer) { used_again_kernel<true, true><<<1, threads>>>(m.out); }
CORRECT(bulk_stores_that_are_read) { used_again_kernel<true, false><<<1, threads>>>(m.out); }

// What a bulk copy has brought, another one may take along as it is; blocks add into one array.
__global__ void through_kernel(const int *in, int *out, int *sums) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  make_ready(&s_full);
  if (threadIdx.x == 0) {
    expect(&s_full, bytes);
    cp_async_bulk(space_cluster, space_global, s_tile, in, bytes, &s_full);
    while (!mbarrier_try_wait_parity(&s_full, 0)) {
    }
    cp_async_bulk(space_global, space_shared, out + blockIdx.x * threads, s_tile, bytes);
    cp_reduce_async_bulk(space_global, space_shared, op_add, sums, s_tile, bytes);
    cp_async_bulk_commit_group();
    cp_async_bulk_wait_group(n32_t<0>());
  }
}
CORRECT(bulk_copies_through_a_block) { through_kernel<<<3, threads>>>(m.in, m.out, m.out + 1024); }

} // namespace
