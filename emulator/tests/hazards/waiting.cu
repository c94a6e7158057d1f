// Threads that wait for each other wrongly: barriers, shuffles, deadlocks, loops without end.
#include "hazards.hpp"

namespace {

__global__ void two_barriers_kernel(int *out) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid;
  if (tid < 32)
    __syncthreads(); // other
  else
    __syncthreads(); // here
  out[tid] = s_data[63 - tid];
}
HAZARD(barrier_in_both_branches, divergent_barrier) { two_barriers_kernel<<<1, 64>>>(m.out); }

// Half of each warp waits at another barrier than the other half.
__global__ void barriers_in_a_warp_kernel(int *out) {
  const unsigned tid = threadIdx.x;
  if (tid % 2 == 0)
    __syncthreads(); // other
  else
    __syncthreads(); // here
  out[tid] = tid;
}
HAZARD(barriers_in_a_warp, divergent_barrier) { barriers_in_a_warp_kernel<<<1, 64>>>(m.out); }

// Rounds of different number: some are in the loop's barrier, others behind it.
__global__ void uneven_rounds_kernel(int *out) {
  const unsigned tid = threadIdx.x;
  for (unsigned round = 0; round < 1 + tid / 32; ++round)
    __syncthreads(); // here other
  out[tid] = tid;
  __syncthreads(); // here other
}
HAZARD_WITH(uneven_rounds, divergent_barrier, exited_at_barrier) {
  uneven_rounds_kernel<<<1, 64>>>(m.out);
}

__global__ void returns_kernel(int *out, unsigned n) {
  const unsigned tid = threadIdx.x;
  if (tid >= n)
    return;
  out[tid] = tid;
  __syncthreads(); // here
}
WARNING(return_before_barrier, exited_at_barrier) { returns_kernel<<<1, 64>>>(m.out, 50); }

// A ticket that each warp draws for itself: the one is done when the other still has work.
__global__ void told_by_shuffle_kernel(int *next, int *out) {
  while (true) {
    int first = threadIdx.x % 32 == 0 ? atomicAdd(next, 1) : 0;
    first = __shfl_sync(0xffffffff, first, 0);
    if (first >= 1)
      break;
    out[threadIdx.x] = first;
    __syncthreads(); // here
  }
}
WARNING(told_by_shuffle, exited_at_barrier) { told_by_shuffle_kernel<<<1, 64>>>(m.out, m.out + 1); }

// By itself that is a warning; here it brings about a race, and is what to mend.
__global__ void in_a_branch_kernel(int *out) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  if (tid < 32) {
    s_data[tid] = tid;
    __syncthreads(); // here
  }
  out[tid] = s_data[tid % 32];
}
HAZARD_WITH(barrier_in_a_branch, exited_at_barrier, shared_race) {
  in_a_branch_kernel<<<1, 64>>>(m.out);
}

// The load that a thread without an element of its own would have had to make.
__global__ void returns_too_early_kernel(int *out, unsigned n) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  if (tid >= n)
    return;
  s_data[tid] = tid;
  __syncthreads(); // here
  out[tid] = s_data[63 - tid];
}
HAZARD_WITH(returns_without_loading, exited_at_barrier, uninitialised) {
  returns_too_early_kernel<<<1, 64>>>(m.out, 50);
}

// The last thread leaves the loop one round early, and with it the kernel.
__global__ void leaves_early_kernel(int *out) {
  const unsigned tid = threadIdx.x;
  for (unsigned round = 0; round < 4; ++round) {
    if (tid == 63 && round == 3)
      return;
    __syncthreads(); // here
  }
  out[tid] = tid;
}
WARNING(leaves_a_loop_early, exited_at_barrier) { leaves_early_kernel<<<1, 64>>>(m.out); }

// ----------------------------------------------------------------------------------- warp operations

__global__ void from_an_exited_lane_kernel(int *out) {
  const unsigned lane = threadIdx.x;
  if (lane >= 16)
    return;
  out[lane] = __shfl_down_sync(0xffffffffu, lane, 16); // here
}
HAZARD(shuffle_from_an_exited_lane, invalid_shuffle) {
  from_an_exited_lane_kernel<<<1, 32>>>(m.out);
}

// A vote of those that keep something, with a mask that names all.
__global__ void vote_in_a_branch_kernel(int *out) {
  if (threadIdx.x % 2 == 0)
    out[threadIdx.x] = static_cast<int>(__ballot_sync(0xffffffffu, 1)); // here
}
WARNING(vote_in_a_branch, absent_lanes) { vote_in_a_branch_kernel<<<1, 32>>>(m.out); }

__global__ void outside_the_mask_kernel(int *out) {
  const unsigned lane = threadIdx.x;
  if (lane < 8)
    out[lane] = __shfl_sync(0xffu, lane, 12); // here
}
HAZARD(shuffle_from_outside_the_mask, invalid_shuffle) {
  outside_the_mask_kernel<<<1, 32>>>(m.out);
}

__global__ void behind_the_lowest_kernel(int *out) {
  const unsigned lane = threadIdx.x, same = __match_any_sync(0xffffffffu, lane % 4);
  out[lane] = __shfl_sync(same, lane, __ffs(same)); // here
}
HAZARD(asks_behind_the_lowest, invalid_shuffle) { behind_the_lowest_kernel<<<1, 32>>>(m.out); }

__global__ void first_of_a_mask_by_0_kernel(int *out) {
  const unsigned lane = threadIdx.x;
  if (lane % 2 == 1)
    out[lane] = __shfl_sync(0xaaaaaaaau, lane, 0); // here
}
HAZARD(asks_the_first_of_a_mask_by_0, invalid_shuffle) {
  first_of_a_mask_by_0_kernel<<<1, 32>>>(m.out);
}

// Undefined, but for powers of two up to 32.
__global__ void width_kernel(int *out, int width) {
  out[threadIdx.x] = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x), 0, width); // here
}
HAZARD(width_of_twenty, invalid_shuffle) { width_kernel<<<1, 32>>>(m.out, 20); }
HAZARD(width_of_none, invalid_shuffle) { width_kernel<<<1, 32>>>(m.out, 0); }
HAZARD(width_beyond_a_warp, invalid_shuffle) { width_kernel<<<1, 32>>>(m.out, 64); }

__global__ void not_in_its_mask_kernel(int *out) {
  const unsigned lane = threadIdx.x;
  out[lane] = __any_sync(1u << ((lane + 1) % 32), 1); // here
}
HAZARD_WITH(caller_not_in_its_mask, invalid_shuffle, deadlock) {
  not_in_its_mask_kernel<<<1, 32>>>(m.out);
}

// Those that vote and those that go on to the shuffle are named by one mask.
__global__ void vote_of_some_kernel(int *out) {
  const unsigned lane = threadIdx.x;
  unsigned votes = 0;
  if (lane < 20)
    votes = __ballot_sync(0xffffffffu, lane % 2 == 0); // here
  out[lane] = __shfl_sync(0xffffffffu, static_cast<int>(votes), 0); // other
}
HAZARD(vote_against_shuffle, invalid_shuffle) { vote_of_some_kernel<<<1, 32>>>(m.out); }

// One call, made in two places: a warp meets there all the same.
__global__ void shuffle_in_both_branches_kernel(int *out) {
  const int lane = threadIdx.x;
  if (lane < 16)
    out[lane] = __shfl_xor_sync(0xffffffffu, lane, 16);
  else
    out[lane] = __shfl_xor_sync(0xffffffffu, 2 * lane, 16);
}
CORRECT(shuffle_in_both_branches) { shuffle_in_both_branches_kernel<<<1, 32>>>(m.out); }

// Half the warp wants a shuffle of all, the other half waits at a barrier for the first.
__global__ void shuffle_against_barrier_kernel(int *out) {
  unsigned lane = threadIdx.x;
  if (lane < 16)
    lane += __shfl_xor_sync(0xffffffffu, lane, 1); // here
  else
    __syncthreads(); // other
  out[threadIdx.x] = lane;
}
HAZARD(shuffle_against_barrier, deadlock) { shuffle_against_barrier_kernel<<<1, 32>>>(m.out); }

__global__ void barrier_against_syncwarp_kernel(int *out) {
  if (threadIdx.x == 3)
    __syncwarp(); // here
  __syncthreads(); // other
  out[threadIdx.x] = 1;
}
HAZARD(syncwarp_of_one_lane, deadlock) { barrier_against_syncwarp_kernel<<<1, 64>>>(m.out); }

// ------------------------------------------------------------------------------ loops without end

// The index grows by nothing: in[0] is zero.
__global__ void never_ends_kernel(const int *in, int *out) {
  int sum = 0;
  for (unsigned i = threadIdx.x; i < 100; i += in[0]) // here
    sum += in[i]; // here
  out[threadIdx.x] = sum;
}
HAZARD(condition_never_false, endless_loop) { never_ends_kernel<<<1, 32>>>(m.in, m.out); }

__global__ void never_unlocked_kernel(int *out) {
  if (threadIdx.x == 0)
    while (atomicCAS(out, 0, 1) != 0) { // here
    }
}
HAZARD(lock_never_released, endless_loop) { never_unlocked_kernel<<<2, 32>>>(m.out); }

__global__ void nobody_answers_kernel(int *out) {
  volatile int *flag = out;
  if (threadIdx.x == 0)
    while (*flag == 0) { // here
    }
}
HAZARD(flag_never_set, endless_loop) { nobody_answers_kernel<<<1, 64>>>(m.out); }

// Right where all blocks run at the same time.
__global__ void own_barrier_kernel(int *out) {
  if (threadIdx.x == 0) {
    atomicAdd(out, 1);
    while (atomicAdd(out, 0) < int(gridDim.x)) { // here
    }
  }
}
HAZARD(barrier_of_blocks, endless_loop) { own_barrier_kernel<<<3, 32>>>(m.out); }

} // namespace
