// Barriers with phases and of a part of a block: what they order, and what goes wrong with them.
#include <cuda/barrier>
#include <cuda/ptx>

#include "hazards.hpp"

namespace {

namespace ptx = cuda::ptx;
constexpr int threads = 64;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void wait_for(uint64_t *barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
  }
}

// The first warp makes numbers, the second one uses them.
enum class Wrong { nothing, no_wait, released_too_early };
template <Wrong wrong> __device__ inline void stages(int *out) {
  __shared__ uint64_t s_full[2], s_empty[2];
  __shared__ int s_tile[2][32];
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; ++i) {
      ptx::mbarrier_init(&s_full[i], 32);
      ptx::mbarrier_init(&s_empty[i], 1);
    }
  __syncthreads();
  int sum = 0;
  const int tiles = wrong == Wrong::no_wait ? 2 : 6;
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % 2;
    const unsigned parity = static_cast<unsigned>(tile / 2) % 2;
    if (threadIdx.x < 32) {
      wait_for(&s_empty[stage], parity ^ 1);
      s_tile[stage][lane] = tile * static_cast<int>(lane); // here other
      ptx::mbarrier_arrive(&s_full[stage]);
    } else {
      if (wrong != Wrong::no_wait)
        wait_for(&s_full[stage], parity);
      if (wrong == Wrong::released_too_early && lane == 0)
        ptx::mbarrier_arrive(&s_empty[stage]);
      sum += s_tile[stage][31 - lane]; // here other
      __syncwarp();
      if (wrong == Wrong::nothing && lane == 0) // for all of its warp
        ptx::mbarrier_arrive(&s_empty[stage]);
    }
  }
  out[threadIdx.x] = sum;
}
template <Wrong wrong> __global__ void stages_kernel(int *out) { stages<wrong>(out); }
HAZARD_WITH(phase_not_waited_for, shared_race, uninitialised) {
  stages_kernel<Wrong::no_wait><<<1, threads>>>(m.out);
}
// The producer may come to be two phases ahead, which a parity does not tell.
HAZARD_WITH(stage_released_too_early, shared_race, deadlock) {
  stages_kernel<Wrong::released_too_early><<<1, threads>>>(m.out);
}
CORRECT(two_stages_by_phases) { stages_kernel<Wrong::nothing><<<1, threads>>>(m.out); }

__global__ void missing_arrival_kernel(int *out) {
  __shared__ uint64_t s_full[2];
  if (threadIdx.x == 0)
    ptx::mbarrier_init(&s_full[1], 33); // one more than come
  __syncthreads();
  if (threadIdx.x < 32)
    ptx::mbarrier_arrive(&s_full[1]);
  while (!ptx::mbarrier_try_wait_parity(&s_full[1], 0)) { // here
  }
  out[threadIdx.x] = 1;
}
HAZARD(phase_without_an_arrival, deadlock) { missing_arrival_kernel<<<1, threads>>>(m.out); }

__global__ void not_met_kernel(int *out) {
  __shared__ Barrier s_barrier;
  if (threadIdx.x == 0)
    init(&s_barrier, threads); // here other
  static_cast<void>(s_barrier.arrive()); // here other
  out[threadIdx.x] = 1;
}
HAZARD_WITH(no_barrier_behind_init, shared_race, uninitialised) {
  not_met_kernel<<<1, threads>>>(m.out);
}

__global__ void too_many_kernel(int *out) {
  __shared__ Barrier s_barrier;
  if (threadIdx.x == 0)
    init(&s_barrier, 8);
  __syncthreads();
  static_cast<void>(s_barrier.arrive(threadIdx.x == 40 ? 9 : 8)); // here
  out[threadIdx.x] = 1;
}
HAZARD(more_arrivals_than_expected, invalid_barrier) { too_many_kernel<<<1, threads>>>(m.out); }

__global__ void made_ready_again_kernel(int *out) {
  __shared__ uint64_t s_barrier;
  if (threadIdx.x == 0)
    ptx::mbarrier_init(&s_barrier, threads + 1);
  __syncthreads();
  ptx::mbarrier_arrive(&s_barrier);
  __syncthreads();
  if (threadIdx.x == 0)
    ptx::mbarrier_init(&s_barrier, threads); // here
  __syncthreads();
  out[threadIdx.x] = 1;
}
HAZARD(made_ready_again_within_a_phase, invalid_barrier) {
  made_ready_again_kernel<<<1, threads>>>(m.out);
}

__global__ void never_made_ready_kernel(int *out) {
  __shared__ uint64_t s_barrier;
  asm volatile("mbarrier.inval.shared.b64 [%0];"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&s_barrier))));
  ptx::mbarrier_arrive(&s_barrier); // here
  out[threadIdx.x] = 1;
}
HAZARD(arrival_at_no_barrier, invalid_barrier) { never_made_ready_kernel<<<1, 1>>>(m.out); }

// What one has learned at a barrier, it passes on at the next one.
__global__ void passed_on_kernel(int *out) {
  __shared__ uint64_t s_first, s_second;
  __shared__ int s_value[32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&s_first, 32);
    ptx::mbarrier_init(&s_second, 1);
  }
  __syncthreads();
  if (warp == 0) {
    s_value[lane] = static_cast<int>(lane);
    ptx::mbarrier_arrive(&s_first);
  } else if (warp == 1) {
    wait_for(&s_first, 0);
    if (lane == 7)
      ptx::mbarrier_arrive(&s_second);
  } else {
    wait_for(&s_second, 0);
    out[lane] = s_value[31 - lane];
  }
}
CORRECT(phases_pass_on) { passed_on_kernel<<<1, 96>>>(m.out); }

// An arrival makes known, and learns nothing: who only arrives has not waited.
__global__ void only_arrives_kernel(int *out) {
  __shared__ uint64_t s_barrier;
  __shared__ int s_value[32];
  if (threadIdx.x == 0)
    ptx::mbarrier_init(&s_barrier, threads);
  __syncthreads();
  if (threadIdx.x < 32)
    s_value[threadIdx.x] = 1; // other
  ptx::mbarrier_arrive(&s_barrier);
  if (threadIdx.x >= 32)
    out[threadIdx.x] = s_value[threadIdx.x - 32]; // here
}
HAZARD_WITH(arrival_without_wait, shared_race, uninitialised) {
  only_arrives_kernel<<<1, threads>>>(m.out);
}

// Many phases, a barrier of all and one of half of the block.
__global__ void many_phases_kernel(int *out) {
  __shared__ Barrier s_all, s_half;
  __shared__ int s_value[threads];
  if (threadIdx.x == 0) {
    init(&s_all, threads);
    init(&s_half, threads / 2);
  }
  __syncthreads();
  const unsigned tid = threadIdx.x;
  for (int round = 0; round < 40; ++round) {
    s_value[tid] = round;
    if (tid < threads / 2) {
      s_half.arrive_and_wait();
      out[tid] += s_value[threads / 2 - 1 - tid];
    }
    s_all.arrive_and_wait();
    out[tid] += s_value[threads - 1 - tid];
    s_all.arrive_and_wait();
  }
}
CORRECT(many_phases) { many_phases_kernel<<<1, threads>>>(m.out); }

// Who waits for a phase that all have dropped out of finds it ended.
__global__ void all_dropped_kernel(int *out) {
  __shared__ Barrier s_barrier;
  if (threadIdx.x == 0)
    init(&s_barrier, threads);
  __syncthreads();
  s_barrier.arrive_and_drop();
  s_barrier.wait_parity(false);
  out[threadIdx.x] = 1;
}
CORRECT(phase_that_all_drop_out_of) { all_dropped_kernel<<<1, threads>>>(m.out); }

// --------------------------------------------------------------------------------- named barriers

template <bool Waits> __device__ inline void by_name(int *out) {
  __shared__ int s_value[32];
  if (threadIdx.x < 32) {
    s_value[threadIdx.x] = 1; // other
    asm volatile("bar.arrive 1, 64;" : : : "memory");
  } else {
    if (Waits)
      asm volatile("bar.sync 1, 64;" : : : "memory");
    else
      asm volatile("bar.arrive 1, 64;" : : : "memory");
    out[threadIdx.x] = s_value[63 - threadIdx.x]; // here
  }
}
template <bool Waits> __global__ void by_name_kernel(int *out) { by_name<Waits>(out); }
HAZARD_WITH(named_barrier_not_waited_for, shared_race, uninitialised) {
  by_name_kernel<false><<<1, threads>>>(m.out);
}
CORRECT(named_barrier) { by_name_kernel<true><<<1, threads>>>(m.out); }

__global__ void odd_count_kernel(int *out) {
  asm volatile("bar.sync 1, 33;" : : : "memory"); // here
  out[threadIdx.x] = 1;
}
HAZARD(named_barrier_of_33_threads, invalid_barrier) { odd_count_kernel<<<1, threads>>>(m.out); }

__global__ void two_counts_kernel(int *out) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;" : : : "memory"); // here other
  else
    asm volatile("bar.sync 1, 96;" : : : "memory"); // here other
  out[threadIdx.x] = 1;
}
HAZARD(named_barrier_of_two_counts, invalid_barrier) { two_counts_kernel<<<1, threads>>>(m.out); }

__global__ void missing_warp_kernel(int *out) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 3, 64;" : : : "memory"); // here
  out[threadIdx.x] = 1;
}
HAZARD(named_barrier_without_a_warp, deadlock) { missing_warp_kernel<<<1, threads>>>(m.out); }

} // namespace
