// Bulk copies between global and shared memory: on a barrier's phase, by groups, and as reductions.
#include "phases.cuh"

#include <cuda/barrier>
#include <cuda/ptx>

#include <cstdint>
#include <numeric>

#ifdef __NVCC__
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif

namespace {

namespace ptx = cuda::ptx;
using conformance::in_shared, conformance::make_ready, conformance::wait_for;
constexpr int threads = 128;
constexpr unsigned tile_bytes = threads * sizeof(int);

// Says how many bytes are to come, and lets them come.
__device__ void load(int *s_to, const int *from, unsigned bytes, uint64_t *barrier) {
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(in_shared(barrier)), "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      :
      : "r"(in_shared(s_to)), "l"(from), "r"(bytes), "r"(in_shared(barrier))
      : "memory");
}

__global__ void one_stage(int *out, const int *in) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  const int tid = static_cast<int>(threadIdx.x), first = static_cast<int>(blockIdx.x) * threads;
  if (tid == 0) {
    make_ready(&s_full, 1);
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  }
  __syncthreads();
  if (tid == 0)
    load(s_tile, in + first, tile_bytes, &s_full);
  wait_for(&s_full, 0);
  out[first + tid] = s_tile[threads - 1 - tid];
}

std::vector<int> numbers(size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST_CASE("a bulk load on a barrier's phase") {
  constexpr int blocks = 3;
  const conformance::DeviceArray<int> in(numbers(blocks * threads));
  conformance::DeviceArray<int> out(blocks * threads);
  one_stage<<<blocks, threads>>>(out.data(), in.data());
  const std::vector<int> values = out.to_host();
  for (int i = 0; i < blocks * threads; ++i)
    REQUIRE(values[static_cast<size_t>(i)] == i / threads * threads + threads - 1 - i % threads);
}

// Two tiles under way in each direction; parities by hand.
__global__ void two_stages(int *out, const int *in, int tiles) {
  __shared__ alignas(16) int s_in[2][threads], s_out[2][threads];
  __shared__ uint64_t s_full[2];
  const int tid = static_cast<int>(threadIdx.x);
  if (tid == 0) {
    make_ready(&s_full[0], 1);
    make_ready(&s_full[1], 1);
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    for (int tile = 0; tile < 2 && tile < tiles; ++tile)
      load(s_in[tile], in + tile * threads, tile_bytes, &s_full[tile]);
  }
  __syncthreads();
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % 2;
    wait_for(&s_full[stage], static_cast<unsigned>(tile / 2) % 2);
    if (tid == 0) // the tile before the last one has left its place
      asm volatile("cp.async.bulk.wait_group.read 1;" : : : "memory");
    __syncthreads();
    s_out[stage][tid] = s_in[stage][threads - 1 - tid] + 1;
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    __syncthreads();
    if (tid == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                   :
                   : "l"(out + tile * threads), "r"(in_shared(s_out[stage])), "r"(tile_bytes)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" : : : "memory");
      if (tile + 2 < tiles)
        load(s_in[stage], in + (tile + 2) * threads, tile_bytes, &s_full[stage]);
    }
  }
  if (tid == 0)
    asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
}

TEST_CASE("two stages of bulk loads, and stores by groups") {
  for (const int tiles : {1, 2, 3, 8}) {
    CAPTURE(tiles);
    const conformance::DeviceArray<int> in(numbers(static_cast<size_t>(tiles * threads)));
    conformance::DeviceArray<int> out(static_cast<size_t>(tiles * threads));
    two_stages<<<1, threads>>>(out.data(), in.data(), tiles);
    const std::vector<int> values = out.to_host();
    for (int i = 0; i < tiles * threads; ++i)
      REQUIRE(values[static_cast<size_t>(i)] ==
              i / threads * threads + threads - 1 - i % threads + 1);
  }
}

// A warp brings tiles, three others use them; the three meet by a named barrier.
__global__ void with_roles(int *out, const int *in, int tiles) {
  constexpr int consumers = 96;
  __shared__ alignas(16) int s_tile[2][threads];
  __shared__ uint64_t s_full[2], s_empty[2];
  __shared__ int s_sum[consumers];
  const int tid = static_cast<int>(threadIdx.x);
  if (tid < 2) {
    make_ready(&s_full[tid], 1);
    make_ready(&s_empty[tid], consumers / 32);
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
  }
  __syncthreads();
  if (tid >= consumers) {
    if (tid == consumers)
      for (int tile = 0; tile < tiles; ++tile) {
        wait_for(&s_empty[tile % 2], static_cast<unsigned>(tile / 2 + 1) % 2);
        load(s_tile[tile % 2], in + tile * threads, tile_bytes, &s_full[tile % 2]);
      }
    return;
  }
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    wait_for(&s_full[tile % 2], static_cast<unsigned>(tile / 2) % 2);
    for (int i = tid; i < threads; i += consumers)
      sum += s_tile[tile % 2][i];
    __syncwarp();
    if (tid % 32 == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                   :
                   : "r"(in_shared(&s_empty[tile % 2]))
                   : "memory");
  }
  s_sum[tid] = sum;
  asm volatile("bar.sync 1, 96;" : : : "memory");
  if (tid == 0) {
    for (int i = 1; i < consumers; ++i)
      sum += s_sum[i];
    *out = sum;
  }
}

TEST_CASE("a warp that brings, and warps that use") {
  for (const int tiles : {1, 2, 7}) {
    CAPTURE(tiles);
    const conformance::DeviceArray<int> in(numbers(static_cast<size_t>(tiles * threads)));
    conformance::DeviceArray<int> out(1);
    with_roles<<<1, threads>>>(out.data(), in.data(), tiles);
    const int n = tiles * threads;
    CHECK(out.to_host()[0] == n * (n - 1) / 2);
  }
}

// Blocks add into one array.
__global__ void reduced(unsigned *sums, float *floats, int *most) {
  __shared__ alignas(16) unsigned s_ones[threads];
  __shared__ alignas(16) float s_halves[threads];
  __shared__ alignas(16) int s_place[threads];
  const int tid = static_cast<int>(threadIdx.x);
  s_ones[tid] = 1;
  s_halves[tid] = 0.5f;
  s_place[tid] = tid % 2 ? static_cast<int>(blockIdx.x) : -1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (tid == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;"
                 :
                 : "l"(sums), "r"(in_shared(s_ones)), "r"(tile_bytes)
                 : "memory");
    ptx::cp_reduce_async_bulk(
        ptx::space_global, ptx::space_shared, ptx::op_add, floats, s_halves, tile_bytes);
    ptx::cp_reduce_async_bulk(
        ptx::space_global, ptx::space_shared, ptx::op_max, most, s_place, tile_bytes);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}

TEST_CASE("bulk reductions") {
  constexpr unsigned blocks = 6;
  conformance::DeviceArray<unsigned> sums(std::vector<unsigned>(threads, 10));
  conformance::DeviceArray<float> floats(std::vector<float>(threads, 1));
  conformance::DeviceArray<int> most(std::vector<int>(threads, 0));
  reduced<<<blocks, threads>>>(sums.data(), floats.data(), most.data());
  CHECK(sums.to_host() == std::vector<unsigned>(threads, 10 + blocks));
  CHECK(floats.to_host() == std::vector<float>(threads, 1 + 0.5f * blocks));
  const std::vector<int> values = most.to_host();
  CHECK(values[0] == 0);
  CHECK(values[1] == blocks - 1);
}

// The same by libcu++'s names, on a cuda::barrier that all threads arrive at.
__global__ void by_name(int *out, const int *in) {
  __shared__ alignas(16) int s_tile[threads], s_back[threads];
  __shared__ cuda::barrier<cuda::thread_scope_block> s_full;
  constexpr unsigned bytes = tile_bytes; // is passed by reference
  const unsigned tid = threadIdx.x;
  if (tid == 0) {
    init(&s_full, threads);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (tid == 0) {
      cuda::device::memcpy_async_tx(
          s_tile, in + round * threads, cuda::aligned_size_t<16>(bytes), s_full);
      token = cuda::device::barrier_arrive_tx(s_full, 1, bytes);
    } else {
      token = s_full.arrive();
    }
    s_full.wait(std::move(token));
    s_back[tid] = s_tile[threads - 1 - tid];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (tid == 0) {
      ptx::cp_async_bulk(
          ptx::space_global, ptx::space_shared, out + round * threads, s_back, bytes);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncthreads();
  }
}

TEST_CASE("bulk copies by libcu++'s names") {
  const conformance::DeviceArray<int> in(numbers(3 * threads));
  conformance::DeviceArray<int> out(3 * threads);
  by_name<<<1, threads>>>(out.data(), in.data());
  const std::vector<int> values = out.to_host();
  for (int i = 0; i < 3 * threads; ++i)
    REQUIRE(values[static_cast<size_t>(i)] == i / threads * threads + threads - 1 - i % threads);
}

} // namespace
