// cuda::barrier and cuda::pipeline.
#include "conformance.cuh"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include <numeric>

#ifdef __NVCC__
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif

namespace cg = cooperative_groups;

namespace {

constexpr int threads = 128;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Everybody hands its value on, round after round.
__global__ void rounds(int *out, int count) {
  __shared__ Barrier s_barrier;
  __shared__ int s_value[threads];
  if (threadIdx.x == 0)
    init(&s_barrier, threads);
  __syncthreads();
  int value = static_cast<int>(threadIdx.x);
  for (int i = 0; i < count; ++i) {
    s_value[threadIdx.x] = value;
    Barrier::arrival_token token = s_barrier.arrive();
    s_barrier.wait(static_cast<Barrier::arrival_token &&>(token));
    value = s_value[(threadIdx.x + 1) % threads];
    s_barrier.arrive_and_wait();
  }
  out[threadIdx.x] = value;
}

TEST_CASE("a barrier is passed again and again") {
  conformance::DeviceArray<int> out(threads);
  rounds<<<1, threads>>>(out.data(), 9);
  const std::vector<int> values = out.to_host();
  for (int t = 0; t < threads; ++t)
    REQUIRE(values[static_cast<size_t>(t)] == (t + 9) % threads);
}

// Half of the block makes numbers, the other half uses them; neither waits for its own kind alone.
__global__ void two_roles(int *out, int count) {
  __shared__ Barrier s_ready[2], s_free[2];
  __shared__ int s_buffer[2][threads / 2];
  if (threadIdx.x < 2) {
    init(&s_ready[threadIdx.x], threads);
    init(&s_free[threadIdx.x], threads);
  }
  __syncthreads();
  const int half = threads / 2, i = static_cast<int>(threadIdx.x) % half;
  if (threadIdx.x < threads / 2) {
    for (int turn = 0; turn < count; ++turn) {
      s_free[turn % 2].arrive_and_wait();
      s_buffer[turn % 2][i] = turn * 1000 + i;
      static_cast<void>(s_ready[turn % 2].arrive());
    }
  } else {
    static_cast<void>(s_free[0].arrive());
    static_cast<void>(s_free[1].arrive());
    int sum = 0;
    for (int turn = 0; turn < count; ++turn) {
      s_ready[turn % 2].arrive_and_wait();
      sum += s_buffer[turn % 2][half - 1 - i];
      static_cast<void>(s_free[turn % 2].arrive());
    }
    out[i] = sum;
  }
}

TEST_CASE("producers and consumers with barriers") {
  conformance::DeviceArray<int> out(threads / 2);
  two_roles<<<1, threads>>>(out.data(), 7);
  const std::vector<int> values = out.to_host();
  for (int i = 0; i < threads / 2; ++i)
    REQUIRE(values[static_cast<size_t>(i)] == 21000 + 7 * (threads / 2 - 1 - i));
}

__global__ void dropping(int *out) {
  __shared__ Barrier s_barrier;
  __shared__ int s_count;
  if (threadIdx.x == 0) {
    init(&s_barrier, threads);
    s_count = 0;
  }
  __syncthreads();
  for (int left = 4; left > 0; --left) {
    atomicAdd(&s_count, 1);
    if (static_cast<int>(threadIdx.x) % 4 == left % 4) {
      s_barrier.arrive_and_drop();
      return;
    }
    s_barrier.arrive_and_wait();
    out[(4 - left) * threads + threadIdx.x] = s_count;
    s_barrier.arrive_and_wait();
    if (left == 2) // the last quarter is alone
      return;
  }
}

TEST_CASE("threads that drop out are not waited for") {
  conformance::DeviceArray<int> out(std::vector<int>(4 * threads, -1));
  dropping<<<1, threads>>>(out.data());
  // Those who drop count for the first of the two barriers of a round only.
  const std::vector<int> values = out.to_host();
  CHECK(values[1] == threads);
  CHECK(values[threads + 1] == threads + 3 * threads / 4);
}

template <int Stages> __global__ void staged(int *out, const int *in, int tiles) {
  __shared__ int s_tile[Stages][threads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> s_state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &s_state);
  int next = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    for (; next < tiles && next < tile + Stages; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(
          block, s_tile[next % Stages], in + next * threads, sizeof(int) * threads, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[tile * threads + static_cast<int>(threadIdx.x)] =
        s_tile[tile % Stages][threads - 1 - threadIdx.x];
    pipe.consumer_release();
  }
}

__global__ void staged_alone(int *out, const int *in, int tiles) {
  __shared__ int s_tile[2][threads];
  const unsigned t = threadIdx.x;
  __pipeline_memcpy_async(&s_tile[0][t], &in[t], sizeof(int));
  __pipeline_commit();
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles)
      __pipeline_memcpy_async(
          &s_tile[(tile + 1) % 2][t], &in[(tile + 1) * threads + static_cast<int>(t)], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[tile * threads + static_cast<int>(t)] = s_tile[tile % 2][threads - 1 - t];
    __syncthreads();
  }
}

template <class Kernel> void check_staged(Kernel kernel, int tiles) {
  CAPTURE(tiles);
  std::vector<int> values(static_cast<size_t>(tiles * threads));
  std::iota(values.begin(), values.end(), 0);
  const conformance::DeviceArray<int> in(values);
  conformance::DeviceArray<int> out(values.size());
  kernel<<<1, threads>>>(out.data(), in.data(), tiles);
  const std::vector<int> results = out.to_host();
  for (int i = 0; i < tiles * threads; ++i)
    REQUIRE(results[static_cast<size_t>(i)] == i / threads * threads + (threads - 1 - i % threads));
}

TEST_CASE("pipelines of one, two and three stages") {
  for (const int tiles : {1, 2, 3, 10}) {
    check_staged(staged<1>, tiles);
    check_staged(staged<2>, tiles);
    check_staged(staged<3>, tiles);
    check_staged(staged_alone, tiles);
  }
}

// The first warp fills, the others use.
__global__ void roles(int *out, const int *in, int tiles) {
  __shared__ int s_tile[2][threads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> s_state;
  const auto block = cg::this_thread_block();
  const bool producer = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(
      block, &s_state, producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const auto warp = cg::tiled_partition<32>(block);
  for (int tile = 0; tile < tiles; ++tile) {
    if (producer) {
      pipe.producer_acquire();
      cuda::memcpy_async(warp, s_tile[tile % 2], in + tile * threads, sizeof(int) * threads, pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      for (int i = static_cast<int>(threadIdx.x) - 32; i < threads; i += threads - 32)
        out[tile * threads + i] = s_tile[tile % 2][threads - 1 - i];
      pipe.consumer_release();
    }
  }
}

TEST_CASE("pipelines whose threads have roles") {
  check_staged(roles, 1);
  check_staged(roles, 7);
}

} // namespace
