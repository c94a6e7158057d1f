// Asynchronous copies that nobody waits for, or too few, and those that are waited for.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "hazards.hpp"

namespace cg = cooperative_groups;

namespace {

constexpr int threads = 64;

__global__ void no_wait_kernel(const int *in, int *out) {
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x;
  __pipeline_memcpy_async(&s_tile[tid], &in[tid], sizeof(int)); // other
  __pipeline_commit();
  __syncthreads();
  out[tid] = s_tile[threads - 1 - tid]; // here
}
HAZARD(copy_without_wait, shared_race) { no_wait_kernel<<<1, threads>>>(m.in, m.out); }

__global__ void late_wait_kernel(const int *in, int *out) {
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x;
  __pipeline_memcpy_async(&s_tile[tid], &in[tid], sizeof(int)); // other
  __pipeline_commit();
  __syncthreads();
  __pipeline_wait_prior(0);
  out[tid] = s_tile[threads - 1 - tid]; // here
}
HAZARD(waited_behind_the_barrier, shared_race) { late_wait_kernel<<<1, threads>>>(m.in, m.out); }

// Not even its own thread may.
__global__ void no_wait_of_its_own_kernel(const int *in, int *out) {
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x;
  __pipeline_memcpy_async(&s_tile[tid], &in[tid], sizeof(int)); // other
  __pipeline_commit();
  out[tid] = s_tile[tid]; // here
}
HAZARD(copy_read_by_its_own_thread, shared_race) {
  no_wait_of_its_own_kernel<<<1, threads>>>(m.in, m.out);
}

// What is written there is lost, or not.
__global__ void written_over_kernel(const int *in, int *out) {
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x;
  __pipeline_memcpy_async(&s_tile[tid], &in[tid], sizeof(int)); // other
  __pipeline_commit();
  if (tid % 2 == 0)
    s_tile[tid] = 0; // here
  __pipeline_wait_prior(0);
  __syncthreads();
  out[tid] = s_tile[threads - 1 - tid];
}
HAZARD(write_under_a_copy, shared_race) { written_over_kernel<<<1, threads>>>(m.in, m.out); }

__global__ void two_copies_kernel(const int *in, int *out) {
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x;
  __pipeline_memcpy_async(&s_tile[tid], &in[tid], sizeof(int)); // other
  __pipeline_memcpy_async(&s_tile[tid], &in[tid + 1], sizeof(int)); // here
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[tid] = s_tile[tid];
}
HAZARD(two_copies_to_one_place, shared_race) { two_copies_kernel<<<1, threads>>>(m.in, m.out); }

// Two buffers. The wait is for `But` groups less than all; without the second barrier the next copy goes where others
// still read.
template <int But, bool Commits, bool There, bool Left>
__device__ inline void two_buffers(const int *in, int *out, int (*s_tile)[threads]) {
  const unsigned tid = threadIdx.x;
  constexpr int tiles = 4;
  const auto begin = [&](int tile) {
    int *const to = &s_tile[tile % 2][tid];
    if (tile < tiles)
      __pipeline_memcpy_async(to, &in[tile * threads + tid], sizeof(int)); // here other
    if (Commits)
      __pipeline_commit();
  };
  begin(0);
  for (int tile = 0; tile < tiles; ++tile) {
    begin(tile + 1);
    __pipeline_wait_prior(But);
    if (There)
      __syncthreads();
    out[tile * threads + tid] = s_tile[tile % 2][threads - 1 - tid]; // here
    if (Left)
      __syncthreads();
  }
  if (!Commits)
    __pipeline_commit();
  __pipeline_wait_prior(0);
}
template <int But, bool Commits, bool There, bool Left>
__global__ void two_buffers_kernel(const int *in, int *out) {
  __shared__ int s_tile[2][threads];
  two_buffers<But, Commits, There, Left>(in, out, s_tile);
}
HAZARD(wait_for_too_few_groups, shared_race) {
  two_buffers_kernel<2, true, true, true><<<1, threads>>>(m.in, m.out);
}
HAZARD(wait_without_commit, shared_race) {
  two_buffers_kernel<1, false, true, true><<<1, threads>>>(m.in, m.out);
}
HAZARD_WITH(no_barrier_behind_the_wait, shared_race, uninitialised) {
  two_buffers_kernel<1, true, false, true><<<1, threads>>>(m.in, m.out);
}
HAZARD(stage_filled_again_too_early, shared_race) {
  two_buffers_kernel<1, true, true, false><<<1, threads>>>(m.in, m.out);
}
CORRECT(two_buffers_by_groups) {
  two_buffers_kernel<1, true, true, true><<<1, threads>>>(m.in, m.out);
}

// Its own thread knows that the copy is done, the others learn it from a barrier behind the wait.
__global__ void barrier_before_wait_kernel(const int *in, int *out) {
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x;
  __pipeline_memcpy_async(&s_tile[tid], &in[tid], sizeof(int)); // other
  __pipeline_commit();
  __syncthreads();
  __pipeline_wait_prior(0);
  out[tid] = s_tile[threads - 1 - tid]; // here
}
HAZARD(barrier_before_the_wait, shared_race) {
  barrier_before_wait_kernel<<<1, threads>>>(m.in, m.out);
}

__global__ void source_changes_kernel(int *in, int *out) {
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x;
  __pipeline_memcpy_async(&s_tile[tid], &in[tid], sizeof(int)); // other
  __pipeline_commit();
  in[tid] = 0; // here
  __pipeline_wait_prior(0);
  out[tid] = s_tile[tid];
}
HAZARD(source_changed_before_the_wait, global_race) {
  source_changes_kernel<<<1, threads>>>(m.in, m.out);
}

// A barrier between orders the threads, but not the copy.
__global__ void source_changed_by_another_kernel(int *in, int *out) {
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x;
  __pipeline_memcpy_async(&s_tile[tid], &in[tid], sizeof(int)); // other
  __pipeline_commit();
  __syncthreads();
  in[threads - 1 - tid] = 0; // here
  __syncthreads();
  __pipeline_wait_prior(0);
  out[tid] = s_tile[tid];
}
HAZARD(source_changed_behind_a_barrier, global_race) {
  source_changed_by_another_kernel<<<1, threads>>>(m.in, m.out);
}

// A copy from what was changed before, and a change when it was waited for.
__global__ void source_in_order_kernel(int *in, int *out) {
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x;
  in[tid] += 1;
  __syncthreads();
  __pipeline_memcpy_async(&s_tile[tid], &in[threads - 1 - tid], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  in[tid] += 1;
  out[tid] = s_tile[threads - 1 - tid];
}
CORRECT(source_changed_before_and_after) { source_in_order_kernel<<<1, threads>>>(m.in, m.out); }

template <bool Waits> __global__ void group_kernel(const int *in, int *out) {
  __shared__ int s_tile[threads];
  const auto block = cg::this_thread_block();
  const unsigned tid = threadIdx.x;
  for (int tile = 0; tile < 3; ++tile) {
    cg::memcpy_async(block, s_tile, in + tile * threads, sizeof s_tile); // here other
    if (Waits)
      cg::wait(block);
    else
      block.sync();
    out[tile * threads + tid] = s_tile[threads - 1 - tid]; // here
    block.sync();
  }
}
HAZARD(copy_of_a_group_without_wait, shared_race) {
  group_kernel<false><<<1, threads>>>(m.in, m.out);
}
CORRECT(copy_of_a_group) { group_kernel<true><<<1, threads>>>(m.in, m.out); }

template <bool Waits> __global__ void barrier_kernel(const int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> s_there;
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x;
  if (tid == 0)
    init(&s_there, threads);
  __syncthreads();
  for (int tile = 0; tile < 3; ++tile) {
    cuda::memcpy_async(&s_tile[tid], &in[tile * threads + tid], sizeof(int), s_there); // here other
    auto token = s_there.arrive();
    if (Waits)
      s_there.wait(std::move(token));
    else
      __syncthreads();
    out[tile * threads + tid] = s_tile[threads - 1 - tid]; // here
    __syncthreads();
  }
}
HAZARD(barrier_not_waited_for, shared_race) { barrier_kernel<false><<<1, threads>>>(m.in, m.out); }
CORRECT(copies_by_a_barrier) { barrier_kernel<true><<<1, threads>>>(m.in, m.out); }

// The first warp fills the stages, the others use them. Without the wait they read what is not there yet.
template <bool Waits> __global__ void stages_kernel(const int *in, int *out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> s_state;
  __shared__ int s_tile[2][threads];
  const auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(
      block, &s_state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const auto warp = cg::tiled_partition<32>(block);
  for (int tile = 0; tile < 5; ++tile) {
    int *const s_now = s_tile[tile % 2];
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(warp, s_now, in + tile * threads, sizeof *s_tile, pipe); // here other
      pipe.producer_commit();
    } else {
      if (Waits)
        pipe.consumer_wait();
      for (unsigned i = threadIdx.x - 32; i < threads; i += 32)
        out[tile * threads + i] = s_now[threads - 1 - i]; // here
      pipe.consumer_release();
    }
  }
}
HAZARD_WITH(stage_not_waited_for, shared_race, uninitialised) {
  stages_kernel<false><<<1, threads>>>(m.in, m.out);
}
CORRECT(stages_with_roles) { stages_kernel<true><<<1, threads>>>(m.in, m.out); }

// By inline PTX.
template <bool Waits> __global__ void ptx_kernel(const int *in, int *out) {
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x;
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(&s_tile[tid]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"(to), "l"(in + tid)); // other
  asm volatile("cp.async.commit_group;");
  if (Waits)
    asm volatile("cp.async.wait_all;" : : : "memory");
  else
    asm volatile("cp.async.wait_group 1;" : : : "memory");
  __syncthreads();
  out[tid] = s_tile[threads - 1 - tid]; // here
}
HAZARD(copy_by_ptx_waited_for_too_late, shared_race) {
  ptx_kernel<false><<<1, threads>>>(m.in, m.out);
}
CORRECT(copy_by_ptx) { ptx_kernel<true><<<1, threads>>>(m.in, m.out); }

// A copy that is waited for by its own thread alone, which alone reads it.
__global__ void private_kernel(const int *in, int *out) {
  __shared__ int s_tile[2 * threads];
  const unsigned tid = threadIdx.x;
  int sum = 0;
  for (int tile = 0; tile < 4; ++tile) {
    __pipeline_memcpy_async(&s_tile[2 * tid], &in[(tile * threads + tid) * 2], 2 * sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    sum += s_tile[2 * tid] + s_tile[2 * tid + 1];
  }
  out[tid] = sum;
}
CORRECT(copies_of_each_thread_for_itself) { private_kernel<<<1, threads>>>(m.in, m.out); }

// Blocks that take turns each have copies of their own under way, to the same places of their shared memory.
template <bool Waits> __global__ void grid_kernel(const int *in, int *out) {
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x, first = blockIdx.x * threads;
  __pipeline_memcpy_async(&s_tile[tid], &in[first + tid], sizeof(int)); // other
  __pipeline_commit();
  cg::this_grid().sync();
  if (Waits)
    __pipeline_wait_prior(0);
  __syncthreads();
  out[first + tid] = s_tile[threads - 1 - tid]; // here
}
template <bool Waits> void launch_grid(const int *in, int *out) {
  void *arguments[] = {&in, &out};
  cudaLaunchCooperativeKernel(grid_kernel<Waits>, dim3(3), dim3(threads), arguments, 0, nullptr);
}
HAZARD(copies_of_a_grid_without_wait, shared_race) { launch_grid<false>(m.in, m.out); }
CORRECT(copies_of_a_grid) { launch_grid<true>(m.in, m.out); }

// Zeros at the edge, of which nothing is read.
__global__ void edge_kernel(const int *in, int *out, int n) {
  __shared__ int s_tile[threads];
  const int tid = static_cast<int>(threadIdx.x);
  __pipeline_memcpy_async(
      &s_tile[tid], tid < n ? &in[tid] : in, sizeof(int), tid < n ? 0 : sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[tid] = s_tile[threads - 1 - tid];
}
CORRECT(zeros_at_the_edge) { edge_kernel<<<1, threads>>>(m.in, m.out, 50); }

} // namespace
