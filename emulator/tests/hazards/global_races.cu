// Races in global memory, most of them between blocks, which no barrier orders.
//
// Kernels that are right with a fence, and wrong without it, are registered twice.
#include <cuda/atomic>

#include "hazards.hpp"

namespace {

__global__ void lost_update_kernel(int *out) {
  if (threadIdx.x == 0)
    out[0] = out[0] + 1; // here other
}
HAZARD(lost_update, global_race) { lost_update_kernel<<<4, 32>>>(m.out); }

// Each block reads its neighbour's part, which that one may have overwritten or not.
__global__ void neighbours_in_place_kernel(int *data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int right = data[(i + 1) % (gridDim.x * blockDim.x)]; // here other
  __syncthreads();
  data[i] = right; // here other
}
HAZARD(neighbours_in_place, global_race) { neighbours_in_place_kernel<<<4, 64>>>(m.out); }

__global__ void missing_barrier_kernel(int *out) {
  const unsigned tid = threadIdx.x;
  out[tid] = tid; // other
  out[1024 + tid] = out[127 - tid]; // here
}
HAZARD(global_missing_barrier, global_race) { missing_barrier_kernel<<<1, 128>>>(m.out); }

__global__ void missing_syncwarp_kernel(int *out) {
  const unsigned lane = threadIdx.x;
  out[lane] = lane; // other
  out[1024 + lane] = out[lane ^ 1]; // here
}
HAZARD(global_missing_syncwarp, global_race) { missing_syncwarp_kernel<<<1, 32>>>(m.out); }

// ------------------------------------------------------------------ the last block sums up the rest

enum class Fence { none, block, device };

template <Fence FENCE> __device__ void fence() {
  if (FENCE == Fence::block)
    __threadfence_block();
  if (FENCE == Fence::device)
    __threadfence();
}

template <Fence BEFORE, Fence BEHIND> __global__ void last_block_kernel(const int *in, int *out) {
  __shared__ bool s_last;
  int *partial = out + 1024, *finished = out + 2048;
  const unsigned tid = threadIdx.x;
  partial[blockIdx.x * blockDim.x + tid] = in[tid] + 1; // other
  fence<BEFORE>();
  __syncthreads();
  if (tid == 0)
    s_last = atomicAdd(finished, 1) == static_cast<int>(gridDim.x) - 1;
  __syncthreads();
  if (!s_last)
    return;
  fence<BEHIND>();
  int sum = 0;
  for (unsigned block = 0; block < gridDim.x; ++block)
    sum += partial[block * blockDim.x + tid]; // here
  out[tid] = sum;
}
HAZARD(last_block_without_fence, global_race) {
  last_block_kernel<Fence::none, Fence::device><<<8, 64>>>(m.in, m.out);
}
HAZARD(last_block_without_a_second_fence, global_race) {
  last_block_kernel<Fence::device, Fence::none><<<8, 64>>>(m.in, m.out);
}
CORRECT(last_block) { last_block_kernel<Fence::device, Fence::device><<<8, 64>>>(m.in, m.out); }

// What one thread has left in front of its fence another one reads behind its own.
template <Fence READING> __global__ void last_thread_kernel(int *out) {
  int *finished = out + 2048;
  if (threadIdx.x != 0)
    return;
  out[blockIdx.x] = 1; // other
  __threadfence();
  if (atomicAdd(finished, 1) + 1 != static_cast<int>(gridDim.x))
    return;
  fence<READING>();
  for (unsigned block = 0; block < gridDim.x; ++block)
    out[1024] += out[block]; // here
}
HAZARD(last_thread_without_a_second_fence, global_race) {
  last_thread_kernel<Fence::none><<<4, 32>>>(m.out);
}
CORRECT(last_thread) { last_thread_kernel<Fence::device><<<4, 32>>>(m.out); }

// With both fences, but through the cache that no write is told of.
template <bool READ_ONLY, class T>
__global__ void last_thread_by_ldg_kernel(T *out, int *finished) {
  if (threadIdx.x != 0)
    return;
  out[blockIdx.x] = 1; // other
  __threadfence();
  if (atomicAdd(finished, 1) + 1 != static_cast<int>(gridDim.x))
    return;
  __threadfence();
  for (unsigned block = 0; block < gridDim.x; ++block)
    out[1024] += READ_ONLY ? __ldg(&out[block]) : __ldcg(&out[block]); // here
}
HAZARD(last_thread_by_ldg, stale_read) {
  last_thread_by_ldg_kernel<true><<<4, 32>>>(m.out, m.out + 2048);
}
HAZARD(bytes_by_ldg, stale_read) {
  last_thread_by_ldg_kernel<true>
      <<<4, 32>>>(reinterpret_cast<unsigned char *>(m.out), m.out + 2048);
}
CORRECT(last_thread_by_ldcg) { last_thread_by_ldg_kernel<false><<<4, 32>>>(m.out, m.out + 2048); }

// What launches before have written is there, and so is what is written elsewhere.
__global__ void read_only_input_kernel(const int *in, int *out) {
  out[threadIdx.x] = __ldg(&in[threadIdx.x]);
}
CORRECT(ldg_of_an_input) {
  read_only_input_kernel<<<1, 32>>>(m.in, m.out);
  read_only_input_kernel<<<1, 32>>>(m.out, m.out + 32);
}

// One thread fences, after the one barrier and before the other, for all of its block.
template <Fence FENCE> __global__ void last_block_one_fence_kernel(const int *in, int *out) {
  __shared__ bool s_last;
  int *partial = out + 1024, *finished = out + 2048;
  const unsigned tid = threadIdx.x;
  partial[blockIdx.x * blockDim.x + tid] = in[tid] + 1; // other
  __syncthreads();
  if (tid == 0) {
    fence<FENCE>();
    s_last = atomicInc(reinterpret_cast<unsigned *>(finished), gridDim.x - 1) == gridDim.x - 1;
    fence<FENCE>();
  }
  __syncthreads();
  if (!s_last)
    return;
  int sum = 0;
  for (unsigned block = 0; block < gridDim.x; ++block)
    sum += partial[block * blockDim.x + tid]; // here
  out[tid] = sum;
}
HAZARD(last_block_with_a_blocks_fence, global_race) {
  last_block_one_fence_kernel<Fence::block><<<8, 64>>>(m.in, m.out);
}
CORRECT(last_block_fences_of_one_thread) {
  last_block_one_fence_kernel<Fence::device><<<8, 64>>>(m.in, m.out);
}

// The fence of one thread, ahead of the barrier, covers what it has done itself.
__global__ void fence_ahead_of_the_barrier_kernel(int *out) {
  __shared__ bool s_last;
  int *partial = out + 1024, *finished = out + 2048;
  partial[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; // other
  if (threadIdx.x == 0)
    __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    s_last = atomicInc(reinterpret_cast<unsigned *>(finished), gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  if (s_last)
    out[threadIdx.x] = partial[threadIdx.x]; // here
}
HAZARD(fence_ahead_of_the_barrier, global_race) {
  fence_ahead_of_the_barrier_kernel<<<4, 64>>>(m.out);
}

// Each block adds to each count once, and none of them is a flag.
__global__ void looks_before_it_hands_over_kernel(int *out) {
  if (out[threadIdx.x] < 1000) // here
    atomicAdd(&out[threadIdx.x], 1); // other
}
HAZARD(looks_before_it_hands_over, global_race) {
  looks_before_it_hands_over_kernel<<<4, 64>>>(m.out);
}

// ---------------------------------------------------------------------------------- scopes, locks

__global__ void block_scope_kernel(int *out) {
  atomicAdd_block(out, 1); // here other
}
HAZARD(block_scope_between_blocks, global_race) { block_scope_kernel<<<4, 32>>>(m.out); }
CORRECT(block_scope_in_a_block) { block_scope_kernel<<<1, 128>>>(m.out); }

// A counter of each block's own, of its scope; then a device-wide one.
__global__ void two_scopes_kernel(int *out) {
  atomicAdd_block(out + 1 + blockIdx.x, 1);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(out, out[1 + blockIdx.x]);
}
CORRECT(two_scopes) { two_scopes_kernel<<<4, 64>>>(m.out); }

template <Fence FENCE> __global__ void lock_kernel(int *out) {
  int *lock = out + 1024;
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  fence<FENCE>();
  out[0] = out[0] + 1; // here other
  fence<FENCE>();
  atomicExch(lock, 0);
}
HAZARD(lock_without_fences, global_race) { lock_kernel<Fence::none><<<8, 32>>>(m.out); }
HAZARD(lock_with_a_blocks_fences, global_race) { lock_kernel<Fence::block><<<8, 32>>>(m.out); }
CORRECT(lock) { lock_kernel<Fence::device><<<8, 32>>>(m.out); }

// All lanes of a warp want the lock: each takes it in turn.
__global__ void lock_of_each_lane_kernel(int *out) {
  int *lock = out + 1024;
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      out[0] = out[0] + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
CORRECT(lock_of_each_lane) { lock_of_each_lane_kernel<<<2, 64>>>(m.out); }

// Unlocked by a plain store, which the compiler may move and no atomic has to see.
__global__ void plain_unlock_kernel(int *out) {
  int *lock = out + 1024;
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0, 1) != 0) { // here
  }
  __threadfence();
  atomicAdd(out, 1);
  __threadfence();
  *lock = 0; // here other
}
HAZARD(plain_unlock, global_race) { plain_unlock_kernel<<<4, 32>>>(m.out); }

// ------------------------------------------------------------------------------- flags, look-back

// The first block to come leaves a value; the others wait for its flag. (CUDA promises no order of
// blocks, so waiting for one that may not have begun would be a mistake of its own.)
template <bool VOLATILE, Fence FENCE> __global__ void message_kernel(int *out) {
  int *flag = out + 1024, *ticket = out + 1025;
  if (threadIdx.x != 0)
    return;
  if (atomicAdd(ticket, 1) == 0) {
    out[0] = 42; // other
    fence<FENCE>();
    if (VOLATILE)
      *static_cast<volatile int *>(flag) = 1;
    else
      atomicExch(flag, 1);
  } else {
    if (VOLATILE)
      while (*static_cast<volatile int *>(flag) == 0) {
      }
    else
      while (atomicAdd(flag, 0) == 0) {
      }
    fence<FENCE>();
    out[1 + blockIdx.x] = out[0]; // here
  }
}
HAZARD(message_without_fence, global_race) { message_kernel<false, Fence::none><<<4, 32>>>(m.out); }
HAZARD(volatile_message_without_fence, global_race) {
  message_kernel<true, Fence::none><<<4, 32>>>(m.out);
}
CORRECT(message) { message_kernel<false, Fence::device><<<4, 32>>>(m.out); }
CORRECT(volatile_message) { message_kernel<true, Fence::device><<<4, 32>>>(m.out); }

// The first block to come releases; the second one counts on, relaxed; the third one's first thread reads in what order,
// and all of its block what the first one has left.
template <cuda::memory_order READ> __global__ void released_kernel(int *out) {
  __shared__ int s_place;
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(out[1024]);
  if (threadIdx.x == 0)
    s_place = atomicAdd(out + 1025, 1);
  __syncthreads();
  if (s_place == 0) {
    out[threadIdx.x] = 42; // other
    __syncthreads();
    if (threadIdx.x == 0)
      flag.store(1, cuda::memory_order_release);
  } else if (threadIdx.x == 0) {
    while (flag.load(READ) != s_place) {
    }
    if (s_place == 1)
      flag.fetch_add(1, cuda::memory_order_relaxed);
  }
  __syncthreads();
  if (s_place == 2)
    out[64 + threadIdx.x] = out[63 - threadIdx.x]; // here
}
HAZARD(released_and_read_relaxed, global_race) {
  released_kernel<cuda::memory_order_relaxed><<<3, 64>>>(m.out);
}
CORRECT(released_and_acquired) { released_kernel<cuda::memory_order_acquire><<<3, 64>>>(m.out); }

// A warp that is thought to run in step: here each word is one lane's, and no flag.
__global__ void volatile_sum_kernel(int *out) {
  volatile int *v = out;
  for (int offset = 16; offset > 0; offset /= 2)
    v[threadIdx.x] = v[threadIdx.x] + v[threadIdx.x + offset]; // here other
}
HAZARD(volatile_sum, global_race) { volatile_sum_kernel<<<1, 32>>>(m.out); }

__global__ void plain_flag_kernel(int *out) {
  if (threadIdx.x == 0 && blockIdx.x == 0)
    out[0] = 1; // other
  if (threadIdx.x == 0 && blockIdx.x == 1)
    out[1] = out[0]; // here
}
HAZARD(plain_flag, global_race) { plain_flag_kernel<<<2, 32>>>(m.out); }

// Scan with a look-back: each block waits for the sum of all blocks before it, adds its own, and
// hands it on. Blocks take their numbers in the order in which they start.
template <Fence FENCE> __global__ void look_back_kernel(const int *in, int *out) {
  __shared__ int s_block, s_before;
  int *ticket = out + 1024, *ready = out + 1025, *sums = out + 2048;
  const unsigned tid = threadIdx.x;
  if (tid == 0) {
    s_block = atomicAdd(ticket, 1);
    int before = 0;
    if (s_block > 0) {
      while (atomicAdd(ready + s_block - 1, 0) == 0) {
      }
      fence<FENCE>();
      before = sums[s_block - 1]; // here
    }
    sums[s_block] = before + 32; // other
    fence<FENCE>();
    atomicExch(ready + s_block, 1);
    s_before = before;
  }
  __syncthreads();
  out[s_block * 32 + tid] = s_before + in[tid];
}
HAZARD(look_back_without_fence, global_race) {
  look_back_kernel<Fence::none><<<8, 32>>>(m.in, m.out);
}
CORRECT(look_back) { look_back_kernel<Fence::device><<<8, 32>>>(m.in, m.out); }

// -------------------------------------------------------------------------------- other mistakes

// A barrier of one block does not make the others wait.
__global__ void one_block_clears_kernel(int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    out[0] = 0; // other
  __syncthreads();
  atomicAdd(out, 1); // here
}
HAZARD(one_block_clears, global_race) { one_block_clears_kernel<<<4, 32>>>(m.out); }

__global__ void adds_beside_atomics_kernel(int *out) {
  if (out[0] < 1000) // here
    atomicAdd(out, 1); // other
}
HAZARD(adds_beside_atomics, global_race) { adds_beside_atomics_kernel<<<1, 64>>>(m.out); }

// What atomicCAS looks at again, need not be looked at by an atomic before.
__global__ void exchange_maximum_kernel(const int *in, int *out) {
  int old = *out, assumed; // here
  do {
    assumed = old;
    if (in[threadIdx.x] + static_cast<int>(blockIdx.x) <= assumed)
      break;
    old = atomicCAS(out, assumed, in[threadIdx.x] + static_cast<int>(blockIdx.x)); // other
  } while (old != assumed);
}
WARNING(first_look_at_a_maximum, first_look) { exchange_maximum_kernel<<<4, 64>>>(m.in, m.out); }

__global__ void exchange_sum_kernel(unsigned long long *out) {
  unsigned long long old = *out, assumed; // here
  do {
    assumed = old;
    const double sum = 1.5 + __longlong_as_double(static_cast<long long>(assumed));
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(sum));
    old = atomicCAS(out, assumed, bits); // other
  } while (old != assumed);
}
WARNING(first_look_at_a_double, first_look) {
  exchange_sum_kernel<<<4, 64>>>(reinterpret_cast<unsigned long long *>(m.out));
}

// The value of the look goes elsewhere.
__global__ void exchanges_another_kernel(int *out) {
  const int seen = *out; // here
  atomicCAS(out, 2 * static_cast<int>(threadIdx.x), seen); // other
}
HAZARD(first_look_for_nothing, global_race) { exchanges_another_kernel<<<1, 64>>>(m.out); }

// A lock that is opened by another atomic: who finds it closed by an ordinary read may do so for ever.
__global__ void test_and_set_kernel(int *out) {
  if (threadIdx.x % 32 != 0)
    return;
  while (out[0] != 0 || atomicCAS(out, 0, 1) != 0) // here
    __nanosleep(10);
  out[1 + blockIdx.x] = 1;
  atomicExch(out, 0); // other
}
HAZARD(lock_read_by_plain_loads, global_race) { test_and_set_kernel<<<4, 32>>>(m.out); }

// Threads take turns by atomicCAS, and wait by ordinary reads. The first one begins when the other one does wait.
__global__ void waits_by_plain_loads_kernel(int *out) {
  const int turn = 1 - static_cast<int>(threadIdx.x) / 32;
  if (threadIdx.x % 32 != 0)
    return;
  while (turn == 0 && atomicAdd(out + 1, 0) == 0)
    __nanosleep(10);
  for (int looks = 0; out[0] != turn; ++looks) // here
    if (looks == 2)
      atomicExch(out + 1, 1);
  atomicCAS(out, turn, turn + 1); // other
}
HAZARD(turns_awaited_by_plain_loads, global_race) { waits_by_plain_loads_kernel<<<1, 64>>>(m.out); }

// The first block's atomics come in between: its plain write must not be forgotten over them.
__global__ void reads_the_counter_kernel(int *out) {
  atomicAdd(out, 1); // other
  __syncthreads();
  if (threadIdx.x == 0)
    out[1 + blockIdx.x] = out[0]; // here
}
HAZARD(reads_the_counter, global_race) { reads_the_counter_kernel<<<4, 32>>>(m.out); }

__global__ void all_found_kernel(int *out) {
  if (threadIdx.x == 0)
    out[0] = 1; // here other
}
WARNING(blocks_write_the_same, same_value_race) { all_found_kernel<<<4, 32>>>(m.out); }

struct Point {
  int x, y, z;
};
__global__ void last_point_wins_kernel(Point *out) {
  const Point mine = {static_cast<int>(blockIdx.x), 1, 2};
  if (threadIdx.x == 0)
    *out = mine; // here other
}
HAZARD(structure_between_blocks, global_race) {
  last_point_wins_kernel<<<4, 32>>>(reinterpret_cast<Point *>(m.out));
}

__device__ int total;
__global__ void variable_kernel() {
  if (threadIdx.x == 0)
    total += 1; // here other
}
HAZARD(device_variable, global_race) { variable_kernel<<<4, 32>>>(); }

// Every block writes the first word of the next one's part.
__global__ void overlapping_parts_kernel(int *out) {
  const unsigned first = blockIdx.x * 32;
  out[first + threadIdx.x] = blockIdx.x; // here other
  if (threadIdx.x == 0)
    out[first + 32] = -1; // here other
}
HAZARD(overlapping_parts, global_race) { overlapping_parts_kernel<<<4, 32>>>(m.out); }

} // namespace
