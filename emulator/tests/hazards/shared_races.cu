// Races in shared memory.
#include "hazards.hpp"

namespace {

__global__ void missing_barrier_kernel(int *out) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid; // other
  out[tid] = s_data[63 - tid]; // here
}
HAZARD(missing_barrier, shared_race) { missing_barrier_kernel<<<1, 64>>>(m.out); }

// The barrier stands on the wrong side of what it is for.
__global__ void barrier_ahead_of_both_kernel(int *out) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  __syncthreads();
  s_data[tid] = tid; // other
  out[tid] = s_data[63 - tid]; // here
}
HAZARD(barrier_ahead_of_both, shared_race) { barrier_ahead_of_both_kernel<<<1, 64>>>(m.out); }

// Lane 0 of each warp takes itself for the only one.
__global__ void first_lane_of_each_warp_kernel(int *out) {
  __shared__ int s_first;
  if (threadIdx.x % 32 == 0)
    s_first = threadIdx.x; // here other
  __syncthreads();
  out[threadIdx.x] = s_first;
}
HAZARD(first_lane_of_each_warp, shared_race) { first_lane_of_each_warp_kernel<<<1, 64>>>(m.out); }

// Two buffers take turns, and the barrier is ahead of the rounds.
__global__ void one_barrier_for_all_rounds_kernel(int *out) {
  __shared__ int s_data[2][64];
  const unsigned tid = threadIdx.x;
  s_data[0][tid] = tid;
  __syncthreads();
  for (int round = 0; round < 4; ++round) {
    const int neighbour = s_data[round % 2][(tid + 32) % 64]; // here
    s_data[(round + 1) % 2][tid] = neighbour + 1; // other
  }
  out[tid] = s_data[0][tid];
}
HAZARD(one_barrier_for_all_rounds, shared_race) {
  one_barrier_for_all_rounds_kernel<<<1, 64>>>(m.out);
}

__global__ void missing_barrier_in_warp_kernel(int *out) {
  __shared__ int s_data[32];
  const unsigned lane = threadIdx.x;
  s_data[lane] = lane; // other
  out[lane] = s_data[lane ^ 1]; // here
}
HAZARD(missing_barrier_in_warp, shared_race) { missing_barrier_in_warp_kernel<<<1, 32>>>(m.out); }

__global__ void wait_of_half_a_warp_kernel(int *out) {
  __shared__ int s_data[32];
  const unsigned lane = threadIdx.x;
  s_data[lane] = lane; // other
  if (lane < 16)
    __syncwarp();
  out[lane] = s_data[lane ^ 16]; // here
}
HAZARD(wait_of_half_a_warp, shared_race) { wait_of_half_a_warp_kernel<<<1, 32>>>(m.out); }

// One race within warps, one between them: the second is told first.
__global__ void near_and_far_kernel(int *out) {
  __shared__ int s_near[64], s_far[64];
  const unsigned tid = threadIdx.x;
  s_near[tid] = tid; // other
  s_far[tid] = tid; // other
  out[tid] = s_near[tid ^ 1]; // here
  out[tid] += s_far[63 - tid]; // here
}
HAZARD(near_and_far, shared_race) { near_and_far_kernel<<<1, 64>>>(m.out); }

// The barrier at the end of the round is missing: the next round writes what others still read.
__global__ void missing_second_barrier_kernel(int *out) {
  __shared__ int s_data[128];
  const unsigned tid = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    s_data[tid] = round * tid; // here
    __syncthreads();
    for (int step = 32; step < 128; step += 32)
      sum += s_data[(tid + step) % 128]; // other
  }
  out[tid] = sum;
}
HAZARD(missing_second_barrier, shared_race) { missing_second_barrier_kernel<<<1, 128>>>(m.out); }

// Within a round two threads have an element in common, whatever stands between the rounds.
__global__ void pairs_overlap_kernel(int *out) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid;
  __syncthreads();
  for (unsigned stride = 1; stride < 64; stride *= 2) {
    const unsigned at = stride * tid;
    if (at + stride < 64)
      s_data[at] += s_data[at + stride]; // here other
    __syncthreads();
  }
  out[tid] = s_data[0];
}
HAZARD(pairs_overlap, shared_race) { pairs_overlap_kernel<<<1, 64>>>(m.out); }

// Rounds of a tree with nothing between them.
__global__ void rounds_without_barrier_kernel(int *out) {
  __shared__ int s_data[128];
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid;
  __syncthreads();
  for (unsigned stride = 64; stride > 0; stride /= 2)
    if (tid < stride)
      s_data[tid] += s_data[tid + stride]; // here other
  __syncthreads();
  out[tid] = s_data[0];
}
HAZARD(rounds_without_barrier, shared_race) { rounds_without_barrier_kernel<<<1, 128>>>(m.out); }

// The same, unrolled.
__global__ void unrolled_rounds_kernel(int *out) {
  __shared__ int s_data[128];
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid;
  __syncthreads();
#pragma GCC unroll 8
  for (unsigned stride = 64; stride > 0; stride /= 2)
    if (tid < stride)
      s_data[tid] += s_data[tid + stride]; // here other
  __syncthreads();
  out[tid] = s_data[0];
}
HAZARD(unrolled_rounds, shared_race) { unrolled_rounds_kernel<<<1, 128>>>(m.out); }

// A __syncwarp() between rounds does not part the lanes of one.
__global__ void lanes_in_place_kernel(int *out) {
  __shared__ int s_data[32];
  const unsigned lane = threadIdx.x;
  s_data[lane] = lane;
  __syncwarp();
  for (unsigned stride = 16; stride > 0; stride /= 2) {
    s_data[lane] += s_data[(lane + stride) % 32]; // here other
    __syncwarp();
  }
  out[lane] = s_data[lane];
}
HAZARD(lanes_in_place, shared_race) { lanes_in_place_kernel<<<1, 32>>>(m.out); }

// __syncwarp() orders the lanes of a warp, not the warps.
__global__ void syncwarp_is_too_little_kernel(int *out) {
  __shared__ int s_first;
  const unsigned tid = threadIdx.x;
  if (tid == 0)
    s_first = 7;
  __syncthreads();
  out[tid] = s_first; // other
  __syncwarp();
  if (tid == blockDim.x - 1)
    s_first = 8; // here
}
HAZARD(syncwarp_is_too_little, shared_race) { syncwarp_is_too_little_kernel<<<1, 128>>>(m.out); }

// From 64 sums on a barrier of the warp is taken for enough: two warps still have one each.
__global__ void warps_go_on_too_early_kernel(int *out) {
  __shared__ int s_data[256];
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid;
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (tid < half)
      s_data[tid] += s_data[tid + half]; // here other
    if (half > 64)
      __syncthreads();
    else
      __syncwarp();
  }
  out[tid] = s_data[0]; // here
}
HAZARD(warps_go_on_too_early, shared_race) { warps_go_on_too_early_kernel<<<1, 256>>>(m.out); }

// The warps' barriers stand between rounds, and the race is within one.
__global__ void scan_by_warps_kernel(int *out) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid;
  __syncthreads();
  if (tid > 0)
    s_data[tid] += s_data[tid - 1]; // here other
  __syncwarp();
  out[tid] = s_data[tid];
}
HAZARD(scan_by_warps, shared_race) { scan_by_warps_kernel<<<1, 64>>>(m.out); }

// A fence lets others see, and makes nobody wait.
__global__ void fence_for_a_barrier_kernel(int *out) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid; // other
  __threadfence_block();
  out[tid] = s_data[63 - tid]; // here
}
HAZARD(fence_for_a_barrier, shared_race) { fence_for_a_barrier_kernel<<<1, 64>>>(m.out); }

__global__ void fence_in_a_warp_kernel(int *out) {
  __shared__ int s_data[32];
  const unsigned lane = threadIdx.x;
  s_data[lane] = lane; // other
  __threadfence_block();
  out[lane] = s_data[31 - lane]; // here
}
HAZARD(fence_in_a_warp, shared_race) { fence_in_a_warp_kernel<<<1, 32>>>(m.out); }

// The last lane of a warp to read is the one that writes.
__global__ void last_lane_writes_kernel(int *out) {
  __shared__ int s_value;
  const unsigned lane = threadIdx.x;
  if (lane == 0)
    s_value = 1;
  __syncthreads();
  const int value = s_value; // other
  if (lane == 31)
    s_value = value + 1; // here
  out[lane] = value;
}
HAZARD(last_lane_writes, shared_race) { last_lane_writes_kernel<<<1, 32>>>(m.out); }

__global__ void last_one_wins_kernel(int *out) {
  __shared__ int s_winner;
  s_winner = threadIdx.x; // here other
  __syncthreads();
  out[threadIdx.x] = s_winner;
}
HAZARD(last_one_wins, shared_race) { last_one_wins_kernel<<<1, 64>>>(m.out); }

__global__ void all_say_yes_kernel(int *out) {
  __shared__ int s_found;
  s_found = 0; // here other
  __syncthreads();
  out[threadIdx.x] = s_found;
}
WARNING(all_write_the_same, same_value_race) { all_say_yes_kernel<<<1, 64>>>(m.out); }

// As in code from before 2017: a warp was thought to run in step, `volatile` to be enough.
__global__ void volatile_tail_kernel(const int *in, int *out) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = in[tid];
  __syncthreads();
  if (tid < 32) {
    volatile int *v = s_data;
    v[tid] = v[tid] + v[tid + 32]; // here other
    v[tid] = v[tid] + v[tid + 16]; // here other
    v[tid] = v[tid] + v[tid + 8]; // here other
  }
  if (tid == 0)
    *out = s_data[0];
}
HAZARD(volatile_tail, shared_race) { volatile_tail_kernel<<<1, 64>>>(m.in, m.out); }

// Hillis and Steele's scan in one buffer.
__global__ void scan_in_place_kernel(int *out) {
  __shared__ int s_sum[128];
  const unsigned tid = threadIdx.x;
  s_sum[tid] = 1;
  __syncthreads();
  for (unsigned step = 1; step < 128; step *= 2) {
    if (tid >= step)
      s_sum[tid] += s_sum[tid - step]; // here other
    __syncthreads();
  }
  out[tid] = s_sum[tid];
}
HAZARD(scan_in_place, shared_race) { scan_in_place_kernel<<<1, 128>>>(m.out); }

// Who reads too late what others have put elsewhere finds a wrong place, and meets another one there.
__global__ void places_read_too_late_kernel(int *out) {
  __shared__ int s_values[32];
  const int lane = threadIdx.x, value = (13 * lane + 5) % 32;
  int place = 0;
  s_values[lane] = value;
  __syncwarp();
  for (int other = 0; other < 32; ++other)
    place += s_values[other] < value; // here other
  s_values[place % 32] = value; // here other
  __syncwarp();
  out[lane] = s_values[lane];
}
HAZARD(places_read_too_late, shared_race) { places_read_too_late_kernel<<<1, 32>>>(m.out); }

__global__ void histogram_without_atomics_kernel(const int *in, int *out) {
  __shared__ int s_bins[8];
  const unsigned tid = threadIdx.x;
  if (tid < 8)
    s_bins[tid] = 0;
  __syncthreads();
  ++s_bins[in[tid] % 8]; // here other
  __syncthreads();
  if (tid < 8)
    out[tid] = s_bins[tid];
}
HAZARD(histogram_without_atomics, shared_race) {
  histogram_without_atomics_kernel<<<1, 64>>>(m.in, m.out);
}

__global__ void halo_without_barrier_kernel(const int *in, int *out) {
  __shared__ int s_tile[66];
  const unsigned tid = threadIdx.x;
  s_tile[tid + 1] = in[tid]; // other
  if (tid == 0)
    s_tile[0] = s_tile[65] = 0;
  if (tid > 0 && tid < 63)
    out[tid] = s_tile[tid] + s_tile[tid + 1] + s_tile[tid + 2]; // here
}
HAZARD(halo_without_barrier, shared_race) { halo_without_barrier_kernel<<<1, 64>>>(m.in, m.out); }

// The first write of the word's four bytes must not be forgotten for the other three.
__global__ void bytes_kernel(int *out) {
  __shared__ char s_bytes[128];
  const unsigned tid = threadIdx.x;
  s_bytes[tid] = static_cast<char>(tid); // other
  out[tid] = s_bytes[(tid + 64) % 128]; // here
}
HAZARD(bytes_of_one_word, shared_race) { bytes_kernel<<<1, 128>>>(m.out); }

struct Record {
  int key, value, weight, next, flags;
};

__global__ void structures_kernel(int *out) {
  __shared__ Record s_records[64];
  const unsigned tid = threadIdx.x;
  const Record mine = {static_cast<int>(tid), 1, 2, 3, 4};
  s_records[tid] = mine; // other
  const Record theirs = s_records[63 - tid]; // here
  out[tid] = theirs.key + theirs.flags;
}
HAZARD(structures, shared_race) { structures_kernel<<<1, 64>>>(m.out); }

__global__ void copied_by_memcpy_kernel(const int *in, int *out) {
  __shared__ int s_data[256];
  const unsigned tid = threadIdx.x;
  memcpy(s_data + 4 * tid, in + 4 * tid, 16); // other
  memcpy(out + 4 * tid, s_data + 4 * (63 - tid), 16); // here
}
HAZARD(copied_by_memcpy, shared_race) { copied_by_memcpy_kernel<<<1, 64>>>(m.in, m.out); }

__global__ void vectors_kernel(int *out) {
  __shared__ int4 s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = make_int4(1, 2, 3, tid); // other
  out[tid] = reinterpret_cast<int *>(s_data)[255 - tid]; // here
}
HAZARD(vector_against_scalar, shared_race) { vectors_kernel<<<1, 64>>>(m.out); }

__global__ void dynamic_kernel(int *out) {
  extern __shared__ int s_dynamic[];
  const unsigned tid = threadIdx.x;
  s_dynamic[tid] = tid; // other
  out[tid] = s_dynamic[(tid + 1) % 64]; // here
}
HAZARD(dynamic_shared_memory, shared_race) { dynamic_kernel<<<1, 64, 64 * sizeof(int)>>>(m.out); }

// The sum is read before all have added.
__global__ void atomic_against_read_kernel(int *out) {
  __shared__ int s_sum;
  if (threadIdx.x == 0)
    s_sum = 0;
  __syncthreads();
  atomicAdd(&s_sum, 1); // here
  out[threadIdx.x] = s_sum; // other
}
HAZARD(atomic_against_read, shared_race) { atomic_against_read_kernel<<<1, 64>>>(m.out); }

// Set to zero without waiting for it.
__global__ void atomic_against_write_kernel(int *out) {
  __shared__ int s_sum;
  if (threadIdx.x == 0)
    s_sum = 0; // other
  atomicAdd(&s_sum, 1); // here
  __syncthreads();
  out[threadIdx.x] = s_sum;
}
HAZARD_WITH(atomic_against_write, shared_race, uninitialised) {
  atomic_against_write_kernel<<<1, 64>>>(m.out);
}

// A partial mask orders only the lanes it names.
__global__ void half_the_mask_kernel(int *out) {
  __shared__ int s_data[32];
  const unsigned lane = threadIdx.x;
  s_data[lane] = lane; // other
  __syncwarp(lane < 16 ? 0x0000ffffu : 0xffff0000u);
  out[lane] = s_data[31 - lane]; // here
}
HAZARD(half_the_mask, shared_race) { half_the_mask_kernel<<<1, 32>>>(m.out); }

// A column of the tile is whole only behind all rounds, and here each round reads one.
__global__ void one_loop_for_both_kernel(const int *in, int *out) {
  __shared__ int s_tile[32][33];
  for (unsigned row = threadIdx.y; row < 32; row += 8) {
    s_tile[row][threadIdx.x] = in[threadIdx.x]; // here
    __syncthreads();
    out[32 * row + threadIdx.x] = s_tile[threadIdx.x][row]; // other
  }
}
HAZARD(one_loop_for_both, shared_race) {
  one_loop_for_both_kernel<<<1, dim3(32, 8)>>>(m.in, m.out);
}

// Two buffers take turns, and the barrier parts what needs none.
__global__ void barrier_before_the_other_buffer_kernel(const int *in, int *out) {
  __shared__ int s_data[2][64];
  const unsigned tid = threadIdx.x;
  s_data[0][tid] = in[tid];
  __syncthreads();
  for (int round = 0; round < 4; ++round) {
    const int next = s_data[round % 2][(tid + 1) % 64]; // here
    __syncthreads();
    s_data[(round + 1) % 2][tid] = next + 1; // other
  }
  __syncthreads();
  out[tid] = s_data[0][tid];
}
HAZARD(barrier_before_the_other_buffer, shared_race) {
  barrier_before_the_other_buffer_kernel<<<1, 64>>>(m.in, m.out);
}

// The same with one buffer, which needs a barrier on either side of the write.
__global__ void one_barrier_for_one_buffer_kernel(const int *in, int *out) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = in[tid];
  __syncthreads();
  for (int round = 0; round < 4; ++round) {
    const int next = s_data[(tid + 1) % 64] + s_data[(tid + 2) % 64]; // here
    __syncthreads();
    s_data[tid] = next; // other
  }
  __syncthreads();
  out[tid] = s_data[tid];
}
HAZARD(one_barrier_for_one_buffer, shared_race) {
  one_barrier_for_one_buffer_kernel<<<1, 64>>>(m.in, m.out);
}

// One buffer where two are needed: the tile for the next round overwrites what is still used.
__global__ void single_buffer_kernel(const int *in, int *out) {
  __shared__ int s_tile[64];
  const unsigned tid = threadIdx.x;
  int sum = 0;
  s_tile[tid] = in[tid];
  for (int round = 1; round < 4; ++round) {
    __syncthreads();
    sum += s_tile[63 - tid]; // other
    s_tile[tid] = in[round * 64 + tid]; // here
  }
  out[tid] = sum;
}
HAZARD(single_buffer, shared_race) { single_buffer_kernel<<<1, 64>>>(m.in, m.out); }

// Slower threads read the value of the next round, and go to another barrier than the faster ones.
__global__ void flag_of_the_next_round_kernel() {
  __shared__ bool s_more;
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x == 0)
      s_more = round % 2 == 0; // here other
    __syncthreads();
    if (s_more) // here other
      __syncthreads();
  }
}
HAZARD_WITH(flag_of_the_next_round, shared_race, divergent_barrier exited_at_barrier) {
  flag_of_the_next_round_kernel<<<1, 64>>>();
}

} // namespace
