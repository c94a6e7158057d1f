// Programs that do not wait for their copies, or not for all of them: what they bring is not there.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_pipeline.h>
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace cg = cooperative_groups;

namespace {

constexpr int threads = 64;
constexpr int poison = -1;

// What each thread of two blocks finds, in host memory: kernels run on this CPU.
template <class Kernel> std::vector<int> found(Kernel kernel, int blocks = 2) {
  std::vector<int> in(4 * threads), out(static_cast<size_t>(blocks) * threads, 77);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<int>(i);
  kernel<<<blocks, threads>>>(in.data(), out.data());
  CHECK(cudaGetLastError() == cudaSuccess);
  return out;
}

template <class Kernel> void all_find(Kernel kernel, int value) {
  for (const int each : found(kernel))
    REQUIRE(each == value);
}
template <class Kernel> void all_find_their_own(Kernel kernel) {
  const std::vector<int> all = found(kernel);
  for (size_t i = 0; i < all.size(); ++i)
    REQUIRE(all[i] == static_cast<int>(i) % threads);
}

__device__ int number() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__device__ void begin(int *to, const int *from) { __pipeline_memcpy_async(to, from, sizeof(int)); }

template <bool Barrier> __global__ void nobody_waits(const int *in, int *out) {
  __shared__ int s_tile[threads];
  begin(&s_tile[threadIdx.x], &in[threadIdx.x]);
  __pipeline_commit();
  if (Barrier)
    __syncthreads();
  out[number()] = s_tile[threadIdx.x];
}

TEST_CASE("without a wait a copy's destination has no sensible value") {
  all_find(nobody_waits<false>, poison);
  all_find(nobody_waits<true>, poison);
}

__global__ void float_of_a_copy(const float *in, float *out) {
  __shared__ float s_value;
  s_value = 3;
  __pipeline_memcpy_async(&s_value, in, sizeof(float));
  *out = s_value;
}

TEST_CASE("as a float it is none") {
  float in = 1, out = 2;
  float_of_a_copy<<<1, 1>>>(&in, &out);
  CHECK(std::isnan(out));
}

template <int But> __global__ void two_groups(const int *in, int *out) {
  __shared__ int s_tile[2][threads];
  for (int i = 0; i < 2; ++i) {
    begin(&s_tile[i][threadIdx.x], &in[threadIdx.x]);
    __pipeline_commit();
  }
  __pipeline_wait_prior(But);
  out[number()] =
      s_tile[0][threadIdx.x] == static_cast<int>(threadIdx.x) ? s_tile[1][threadIdx.x] : 78;
}

TEST_CASE("a wait is for all groups but the last ones") {
  all_find_their_own(two_groups<0>);
  all_find(two_groups<1>, poison);
  all_find(two_groups<2>, 78);
}

__global__ void not_committed(const int *in, int *out) {
  __shared__ int s_tile[threads];
  begin(&s_tile[threadIdx.x], &in[threadIdx.x]);
  __pipeline_wait_prior(0);
  out[number()] = s_tile[threadIdx.x];
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

TEST_CASE("what is in no group yet is not waited for") { all_find(not_committed, poison); }

// Thread 0 of a warp comes first here.
__global__ void of_another_thread(const int *in, int *out) {
  __shared__ int s_tile[threads];
  begin(&s_tile[threadIdx.x], &in[threadIdx.x]);
  __pipeline_commit();
  __syncthreads();
  if (threadIdx.x == 0)
    __pipeline_wait_prior(0);
  __syncthreads();
  out[number()] = s_tile[threadIdx.x];
}

TEST_CASE("a wait is for the thread's own copies") {
  const std::vector<int> all = found(of_another_thread);
  for (size_t i = 0; i < all.size(); ++i)
    REQUIRE(all[i] == (i % threads == 0 ? 0 : poison));
}

__global__ void source_changes(const int *in, int *out) {
  __shared__ int s_tile[threads];
  out[number()] = in[0] + 5;
  begin(&s_tile[threadIdx.x], &out[number()]);
  __pipeline_commit();
  out[number()] = 6;
  __pipeline_wait_prior(0);
  out[number()] = s_tile[threadIdx.x];
}

TEST_CASE("a copy reads when it is waited for") { all_find(source_changes, 6); }

template <bool Waits> __global__ void of_a_group(const int *in, int *out) {
  __shared__ int s_tile[threads];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, s_tile, in, sizeof s_tile);
  if (Waits)
    cg::wait(block);
  else
    block.sync();
  out[number()] = s_tile[threadIdx.x];
}

TEST_CASE("groups wait by themselves") {
  all_find_their_own(of_a_group<true>);
  all_find(of_a_group<false>, poison);
}

template <bool Waits> __global__ void of_a_barrier(const int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> s_there;
  __shared__ int s_tile[threads];
  if (threadIdx.x == 0)
    init(&s_there, threads);
  __syncthreads();
  cuda::memcpy_async(&s_tile[threadIdx.x], &in[threadIdx.x], sizeof(int), s_there);
  auto token = s_there.arrive();
  if (Waits)
    s_there.wait(std::move(token));
  __syncthreads();
  out[number()] = s_tile[threadIdx.x];
}

TEST_CASE("a barrier that nobody waits for ends nothing") {
  all_find_their_own(of_a_barrier<true>);
  all_find(of_a_barrier<false>, poison);
}

// Two stages; the second one is read before it is waited for.
template <bool Early> __global__ void of_stages(const int *in, int *out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> s_state;
  __shared__ int s_tile[2][threads];
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &s_state);
  for (auto &tile : s_tile) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, tile, in, sizeof tile, pipe);
    pipe.producer_commit();
  }
  pipe.consumer_wait();
  const int first = s_tile[Early][threadIdx.x];
  __syncthreads(); // nobody waits for the second one before
  pipe.consumer_release();
  pipe.consumer_wait();
  out[number()] = Early ? first : s_tile[1][threadIdx.x];
  pipe.consumer_release();
}

TEST_CASE("a stage is there when it was waited for") {
  all_find_their_own(of_stages<false>);
  all_find(of_stages<true>, poison);
}

// --------------------------------------------------------------------------------- bulk copies

namespace ptx = cuda::ptx;

// Before the wait, or behind it; in between, its thread changes what is to be copied.
template <bool Early, bool Changed> __global__ void by_bulk(int *in, int *out) {
  __shared__ alignas(16) int s_tile[threads];
  __shared__ uint64_t s_full;
  const unsigned t = threadIdx.x;
  int *const mine = in + blockIdx.x * threads;
  if (t == 0) {
    ptx::mbarrier_init(&s_full, 1);
    ptx::mbarrier_arrive_expect_tx(
        ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s_full, sizeof s_tile);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s_tile, mine, sizeof s_tile, &s_full);
    for (int i = 0; Changed && i < threads; ++i)
      mine[i] = 5;
  }
  __syncthreads();
  const int first = s_tile[t];
  while (!ptx::mbarrier_try_wait_parity(&s_full, 0)) {
  }
  out[number()] =
      (Early ? first : s_tile[t]) - (Early || Changed ? 0 : threads * static_cast<int>(blockIdx.x));
}

TEST_CASE("a bulk load comes when its phase is waited for") {
  all_find(by_bulk<true, false>, poison);
  all_find_their_own(by_bulk<false, false>);
  all_find(by_bulk<false, true>, 5);
}

enum class Until { nothing, read, done };
template <Until until> __global__ void stored_late(const int *in, int *out) {
  __shared__ alignas(16) int s_tile[threads];
  const unsigned t = threadIdx.x;
  s_tile[t] = in[t];
  __syncthreads();
  if (t == 0) {
    ptx::cp_async_bulk(
        ptx::space_global, ptx::space_shared, out + blockIdx.x * threads, s_tile, sizeof s_tile);
    ptx::cp_async_bulk_commit_group();
    if (until == Until::read)
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    if (until == Until::done)
      ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
  __syncthreads();
  const int there = out[number()];
  if (until != Until::done && there != 77)
    s_tile[t] = 1000; // it came too early
  else
    s_tile[t] = until == Until::done && there != static_cast<int>(t) ? 1000 : 5;
  __syncthreads();
  if (t == 0 && until == Until::nothing)
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

TEST_CASE("a bulk store reads and writes as late as its waits allow") {
  all_find(stored_late<Until::nothing>, 5);
  all_find_their_own(stored_late<Until::read>);
  all_find_their_own(stored_late<Until::done>);
}

} // namespace
