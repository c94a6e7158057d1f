// Asynchronous copies that are waited for, in every form (pipelines and barriers beside: barriers_test.cu).
#include "conformance.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include <numeric>

#ifdef __NVCC__
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif

namespace cg = cooperative_groups;

namespace {

constexpr int threads = 96;

template <class T> std::vector<T> numbers(size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T{1});
  return values;
}

// Pieces of N words, of which the last ones are not read but set to 0; each thread its own.
template <int N> __global__ void pieces(const unsigned *in, unsigned *out, int zero_words) {
  __shared__ alignas(16) unsigned s_words[threads * N];
  const int first = static_cast<int>(threadIdx.x) * N;
  for (int i = 0; i < N; ++i)
    s_words[first + i] = 7;
  __pipeline_memcpy_async(
      &s_words[first], &in[first], N * sizeof(unsigned), zero_words * sizeof(unsigned));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  for (int i = 0; i < N; ++i)
    out[first + i] = s_words[first + i];
}

template <int N> void check_pieces() {
  const auto values = numbers<unsigned>(threads * N);
  const conformance::DeviceArray<unsigned> in(values);
  for (int zero_words = 0; zero_words <= N; ++zero_words) {
    CAPTURE(zero_words);
    conformance::DeviceArray<unsigned> out(values.size());
    pieces<N><<<1, threads>>>(in.data(), out.data(), zero_words);
    const auto got = out.to_host();
    for (int i = 0; i < threads * N; ++i)
      REQUIRE(got[static_cast<size_t>(i)] ==
              (i % N < N - zero_words ? values[static_cast<size_t>(i)] : 0u));
  }
}

TEST_CASE("pieces of 4, 8 and 16 bytes, and zeros at their end") {
  check_pieces<1>();
  check_pieces<2>();
  check_pieces<4>();
}

// Some bytes of a word.
__global__ void bytes_of_words(const unsigned *in, unsigned *out) {
  __shared__ unsigned s_words[4];
  __pipeline_memcpy_async(&s_words[threadIdx.x], &in[threadIdx.x], 4, threadIdx.x);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = s_words[threadIdx.x];
}

TEST_CASE("zeros that are no whole words") {
  const conformance::DeviceArray<unsigned> in(std::vector<unsigned>(4, 0x04030201u));
  conformance::DeviceArray<unsigned> out(4);
  bytes_of_words<<<1, 4>>>(in.data(), out.data());
  CHECK(out.to_host() == std::vector<unsigned>{0x04030201u, 0x00030201u, 0x00000201u, 0x00000001u});
}

// Tile after tile, with so many groups under way that no wait is for all of them.
template <int Stages, class Copy, class Wait>
__device__ void
ring(const int *in, int *out, int tiles, int (*s_tile)[threads], Copy copy, Wait wait) {
  const int tid = static_cast<int>(threadIdx.x);
  for (int tile = 0; tile < Stages - 1; ++tile)
    copy(s_tile[tile], in + tile * threads, tile < tiles);
  for (int tile = 0; tile < tiles; ++tile) {
    wait();
    __syncthreads(); // the tile is there for all, and the one before is nobody's any more
    const int next = tile + Stages - 1;
    copy(s_tile[next % Stages], in + next * threads, next < tiles);
    out[tile * threads + tid] = s_tile[tile % Stages][threads - 1 - tid];
  }
}

template <int Stages> __global__ void ring_of_primitives(const int *in, int *out, int tiles) {
  __shared__ int s_tile[Stages][threads];
  const unsigned tid = threadIdx.x;
  ring<Stages>(
      in,
      out,
      tiles,
      s_tile,
      [&](int *to, const int *from, bool there) {
        if (there)
          __pipeline_memcpy_async(to + tid, from + tid, sizeof(int));
        __pipeline_commit();
      },
      [] { __pipeline_wait_prior(Stages - 2); });
}

template <int Stages> __global__ void ring_of_ptx(const int *in, int *out, int tiles) {
  __shared__ int s_tile[Stages][threads];
  const unsigned tid = threadIdx.x;
  ring<Stages>(
      in,
      out,
      tiles,
      s_tile,
      [&](int *to, const int *from, bool there) {
        const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to + tid));
        const int bytes = there ? 4 : 0;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                     :
                     : "r"(address), "l"(there ? from + tid : in), "r"(bytes)
                     : "memory");
        asm volatile("cp.async.commit_group;" : : : "memory");
      },
      [] {
        asm volatile("cp.async.wait_group %0;" : : "n"(Stages - 2) : "memory");
      });
}

template <int Stages> __global__ void ring_of_a_thread(const int *in, int *out, int tiles) {
  __shared__ int s_tile[Stages][threads];
  const unsigned tid = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  ring<Stages>(
      in,
      out,
      tiles,
      s_tile,
      [&](int *to, const int *from, bool there) {
        pipe.producer_acquire();
        if (there)
          cuda::memcpy_async(to + tid, from + tid, sizeof(int), pipe);
        pipe.producer_commit();
      },
      [&] {
        pipe.consumer_wait();
        pipe.consumer_release();
      });
}

// The same, with the number of stages that may be left.
template <int Stages> __global__ void ring_but_the_last(const int *in, int *out, int tiles) {
  __shared__ int s_tile[Stages][threads];
  const unsigned tid = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  ring<Stages>(
      in,
      out,
      tiles,
      s_tile,
      [&](int *to, const int *from, bool there) {
        if (there)
          cuda::memcpy_async(to + tid, from + tid, sizeof(int), pipe);
        pipe.producer_commit();
      },
      [&] { cuda::pipeline_consumer_wait_prior<Stages - 2>(pipe); });
}

template <int Stages> __global__ void ring_of_a_group(const int *in, int *out, int tiles) {
  __shared__ int s_tile[Stages][threads];
  const auto block = cg::this_thread_block();
  ring<Stages>(
      in,
      out,
      tiles,
      s_tile,
      [&](int *to, const int *from, bool there) {
        cg::memcpy_async(block, to, there ? from : in, sizeof(int) * threads);
      },
      [&] { cg::wait_prior<Stages - 2>(block); });
}

template <class Kernel> void check_ring(Kernel kernel) {
  for (const int tiles : {1, 2, 3, 4, 11}) {
    CAPTURE(tiles);
    const auto values = numbers<int>(static_cast<size_t>(tiles * threads));
    const conformance::DeviceArray<int> in(values);
    conformance::DeviceArray<int> out(values.size());
    kernel<<<3, threads>>>(in.data(), out.data(), tiles);
    const auto got = out.to_host();
    for (int i = 0; i < tiles * threads; ++i)
      REQUIRE(got[static_cast<size_t>(i)] == i / threads * threads + threads - i % threads);
  }
}

TEST_CASE("rings of two to four stages") {
  check_ring(ring_of_primitives<2>);
  check_ring(ring_of_primitives<3>);
  check_ring(ring_of_primitives<4>);
  check_ring(ring_of_ptx<2>);
  check_ring(ring_of_ptx<4>);
  check_ring(ring_of_a_thread<2>);
  check_ring(ring_of_a_thread<3>);
  check_ring(ring_but_the_last<2>);
  check_ring(ring_but_the_last<3>);
  check_ring(ring_of_a_group<2>);
  check_ring(ring_of_a_group<3>);
}

// All that was begun, committed or not.
__global__ void wait_for_all(const int *in, int *out) {
  __shared__ int s_two[2];
  for (int i = 0; i < 2; ++i) {
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(&s_two[i]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"(to), "l"(in + i) : "memory");
    if (i == 0)
      asm volatile("cp.async.commit_group;" : : : "memory");
  }
  asm volatile("cp.async.wait_all;" : : : "memory");
  out[0] = s_two[0];
  out[1] = s_two[1];
}

TEST_CASE("cp.async.wait_all") {
  const conformance::DeviceArray<int> in(std::vector<int>{5, 6});
  conformance::DeviceArray<int> out(2);
  wait_for_all<<<1, 1>>>(in.data(), out.data());
  CHECK(out.to_host() == std::vector<int>{5, 6});
}

// Each thread copies, all wait by a barrier; round after round into two buffers.
__global__ void by_a_barrier(const int *in, int *out, int tiles) {
  __shared__ cuda::barrier<cuda::thread_scope_block> s_there[2];
  __shared__ int s_tile[2][threads];
  const int tid = static_cast<int>(threadIdx.x);
  if (tid < 2)
    init(&s_there[tid], threads);
  __syncthreads();
  for (int tile = 0; tile < tiles; ++tile) {
    auto &there = s_there[tile % 2];
    cuda::memcpy_async(&s_tile[tile % 2][tid], &in[tile * threads + tid], sizeof(int), there);
    if (tile % 3 == 0)
      there.arrive_and_wait();
    else {
      auto token = there.arrive();
      there.wait(std::move(token));
    }
    out[tile * threads + tid] = s_tile[tile % 2][threads - 1 - tid];
  }
}

TEST_CASE("a barrier's phase ends with the copies of its threads") { check_ring(by_a_barrier); }

// Threads make these copies themselves: to global memory, within shared memory, of bytes.
__global__ void not_by_a_device(const int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> s_done;
  __shared__ int s_from[threads], s_to[threads];
  __shared__ char s_bytes[threads];
  const int tid = static_cast<int>(threadIdx.x);
  if (tid == 0)
    init(&s_done, threads);
  s_from[tid] = tid;
  __syncthreads();
  cuda::memcpy_async(&s_to[tid], &s_from[tid], sizeof(int), s_done);
  cuda::memcpy_async(&out[tid], &s_from[tid], sizeof(int), s_done);
  cuda::memcpy_async(&s_bytes[tid], reinterpret_cast<const char *>(in) + tid, 1, s_done);
  s_done.arrive_and_wait();
  out[tid] += 1000 * s_to[threads - 1 - tid] + 1000000 * s_bytes[tid];
}

TEST_CASE("copies that are no operation of a device's") {
  const conformance::DeviceArray<int> in(std::vector<int>(threads / 4, 0x02020202));
  conformance::DeviceArray<int> out(threads);
  not_by_a_device<<<1, threads>>>(in.data(), out.data());
  const auto got = out.to_host();
  for (int t = 0; t < threads; ++t)
    REQUIRE(got[static_cast<size_t>(t)] == t + 1000 * (threads - 1 - t) + 2000000);
}

// Copies of several blocks are under way while these wait for each other.
__global__ void across_a_grid(const int *in, int *out) {
  __shared__ int s_tile[threads];
  const unsigned tid = threadIdx.x, first = blockIdx.x * threads;
  __pipeline_memcpy_async(&s_tile[tid], &in[first + tid], sizeof(int));
  __pipeline_commit();
  cg::this_grid().sync();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[first + tid] = s_tile[threads - 1 - tid];
}

TEST_CASE("copies under way across a barrier of the grid") {
  constexpr int blocks = 4;
  const conformance::DeviceArray<int> in(numbers<int>(blocks * threads));
  conformance::DeviceArray<int> out(blocks * threads);
  const int *from = in.data();
  int *to = out.data();
  void *arguments[] = {&from, &to};
  CHECK_OK(cudaLaunchCooperativeKernel(
      across_a_grid, dim3(blocks), dim3(threads), arguments, 0, nullptr));
  const auto got = out.to_host();
  for (int i = 0; i < blocks * threads; ++i)
    REQUIRE(got[static_cast<size_t>(i)] == i / threads * threads + threads - i % threads);
}

// What a block leaves under way is nothing to those that come after it.
__global__ void leaves_it(const int *in) {
  __shared__ int s_tile[threads];
  __pipeline_memcpy_async(&s_tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
  __pipeline_commit();
}

TEST_CASE("a kernel may end while copies are under way") {
  const conformance::DeviceArray<int> in(numbers<int>(threads));
  leaves_it<<<5, threads>>>(in.data());
  CHECK_OK(cudaDeviceSynchronize());
  check_ring(ring_of_primitives<3>);
}

} // namespace
