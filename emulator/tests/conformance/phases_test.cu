// Barriers with phases (mbarrier), by PTX and by libcu++'s names for it; barriers of a part of a block.
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

__device__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(in_shared(barrier)) : "memory");
}
// And the other one, here with labels of its own for each place.
__device__ void wait_again(uint64_t *barrier, unsigned parity) {
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               "$again_%=:\n\t"
               "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], %1, 1000000;\n\t"
               "@!p bra.uni $again_%=;\n\t"
               "}"
               :
               : "r"(in_shared(barrier)), "r"(parity)
               : "memory");
}

// The first half of the block makes numbers, the second half uses them: two stages, with parities by hand.
__global__ void two_stages(int *out, int tiles) {
  __shared__ uint64_t s_full[2], s_empty[2];
  __shared__ int s_tile[2][threads / 2];
  constexpr int half = threads / 2;
  const int i = static_cast<int>(threadIdx.x) % half;
  if (threadIdx.x < 2) {
    make_ready(&s_full[threadIdx.x], half);
    make_ready(&s_empty[threadIdx.x], half);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % 2;
    const unsigned parity = static_cast<unsigned>(tile / 2) % 2;
    if (threadIdx.x < half) {
      wait_for(&s_empty[stage], parity ^ 1); // the first time there is nothing to wait for
      s_tile[stage][i] = 1000 * tile + i;
      arrive(&s_full[stage]);
    } else {
      wait_again(&s_full[stage], parity);
      sum += s_tile[stage][half - 1 - i];
      arrive(&s_empty[stage]);
    }
  }
  if (threadIdx.x >= half)
    out[i] = sum;
}

TEST_CASE("two stages, by mbarriers and parities") {
  for (const int tiles : {1, 2, 3, 9}) {
    CAPTURE(tiles);
    conformance::DeviceArray<int> out(threads / 2);
    two_stages<<<1, threads>>>(out.data(), tiles);
    const std::vector<int> sums = out.to_host();
    for (int i = 0; i < threads / 2; ++i)
      REQUIRE(sums[static_cast<size_t>(i)] ==
              1000 * tiles * (tiles - 1) / 2 + tiles * (threads / 2 - 1 - i));
  }
}

// One thread, one phase after the other.
__global__ void alone(unsigned *out) {
  __shared__ uint64_t s_barrier;
  const unsigned at = in_shared(&s_barrier);
  uint64_t state, later;
  unsigned number, done;
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(at), "r"(5));
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(at), "r"(3)
               : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(number) : "l"(state));
  out[0] = number; // before it
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(later) : "r"(at) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(number) : "l"(later));
  out[1] = number;
  const auto test = [&](uint64_t of) {
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "mbarrier.test_wait.shared.b64 p, [%1], %2;\n\t"
                 "selp.b32 %0, 1, 0, p;\n\t"
                 "}"
                 : "=r"(done)
                 : "r"(at), "l"(of)
                 : "memory");
    return done;
  };
  const auto test_parity = [&](unsigned parity) {
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\t"
                 "selp.b32 %0, 1, 0, p;\n\t"
                 "}"
                 : "=r"(done)
                 : "r"(at), "r"(parity)
                 : "memory");
    return done;
  };
  out[2] = test(later) + 10 * test_parity(0) + 100 * test_parity(1);
  asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" : : "r"(at) : "memory");
  out[3] = test(later) + 10 * test_parity(0) + 100 * test_parity(1);
  // Of the five, four are left.
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(at), "r"(4)
               : "memory");
  out[4] = test(state);
  // Bytes count, too, in whatever order they are told of.
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(at), "r"(48)
               : "memory");
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" : : "r"(at), "r"(16));
  asm volatile("mbarrier.arrive.shared.b64 _, [%0], %1;" : : "r"(at), "r"(3) : "memory");
  out[5] = test(state);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" : : "r"(at), "r"(64));
  out[6] = test(state);
  asm volatile("mbarrier.inval.shared.b64 [%0];" : : "r"(at));
}

TEST_CASE("arrivals, dropped ones, states, bytes") {
  conformance::DeviceArray<unsigned> out(7);
  alone<<<1, 1>>>(out.data());
  CHECK(out.to_host() == std::vector<unsigned>{5, 2, 100, 11, 1, 0, 1});
}

// cuda::barrier is an mbarrier, whose functions libcu++ has, too.
__global__ void by_name(int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> s_barrier;
  __shared__ int s_value[threads];
  if (threadIdx.x == 0)
    init(&s_barrier, threads);
  __syncthreads();
  uint64_t *const handle = cuda::device::barrier_native_handle(s_barrier);
  s_value[threadIdx.x] = static_cast<int>(threadIdx.x);
  const uint64_t state =
      threadIdx.x % 2
          ? ptx::mbarrier_arrive(handle)
          : ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, handle, 1);
  while (!ptx::mbarrier_try_wait(handle, state)) {
  }
  int sum = s_value[(threadIdx.x + 1) % threads];
  auto token = s_barrier.arrive();
  s_barrier.wait(std::move(token));
  s_value[threadIdx.x] += 1000;
  if (threadIdx.x == 0)
    token = cuda::device::barrier_arrive_tx(s_barrier, 1, 0);
  else
    static_cast<void>(
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, handle));
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, handle, 0)) {
  }
  out[threadIdx.x] = sum + s_value[(threadIdx.x + 2) % threads];
}

TEST_CASE("cuda::barrier's native handle") {
  conformance::DeviceArray<int> out(threads);
  by_name<<<1, threads>>>(out.data());
  const std::vector<int> sums = out.to_host();
  for (int t = 0; t < threads; ++t)
    REQUIRE(sums[static_cast<size_t>(t)] == (t + 1) % threads + (t + 2) % threads + 1000);
}

// Copies of threads that tell a barrier: counted among the arrivals, or beside them.
template <bool by_name> __global__ void told_by_copies(int *out, const int *in) {
  __shared__ uint64_t s_counted, s_beside;
  __shared__ int s_first[threads], s_second[threads];
  const unsigned tid = threadIdx.x;
  if (tid == 0) {
    make_ready(&s_counted, threads);
    make_ready(&s_beside, threads);
  }
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
               :
               : "r"(in_shared(&s_first[tid])), "l"(in + tid)
               : "memory");
  if (by_name)
    ptx::cp_async_mbarrier_arrive_noinc(&s_counted);
  else
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];"
                 :
                 : "r"(in_shared(&s_counted))
                 : "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
               :
               : "r"(in_shared(&s_second[tid])), "l"(in + threads + tid)
               : "memory");
  if (by_name)
    ptx::cp_async_mbarrier_arrive(&s_beside);
  else
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];"
                 :
                 : "r"(in_shared(&s_beside))
                 : "memory");
  arrive(&s_beside);
  wait_for(&s_counted, 0);
  const int first = s_first[threads - 1 - tid];
  wait_for(&s_beside, 0);
  out[tid] = first + 1000 * s_second[threads - 1 - tid];
}

TEST_CASE("copies of threads that tell a barrier") {
  std::vector<int> numbers(2 * threads);
  std::iota(numbers.begin(), numbers.end(), 0);
  const conformance::DeviceArray<int> in(numbers);
  conformance::DeviceArray<int> out(threads);
  for (const auto kernel : {told_by_copies<false>, told_by_copies<true>}) {
    kernel<<<1, threads>>>(out.data(), in.data());
    const std::vector<int> values = out.to_host();
    for (int t = 0; t < threads; ++t)
      REQUIRE(values[static_cast<size_t>(t)] == threads - 1 - t + 1000 * (2 * threads - 1 - t));
  }
}

// Two warps hand numbers to two others through two named barriers; the last warp has a third one for itself.
__global__ void named(int *out, int turns) {
  __shared__ int s_value[64];
  const int t = static_cast<int>(threadIdx.x);
  int sum = 0;
  if (t < 64) {
    for (int turn = 0; turn < turns; ++turn) {
      asm volatile("bar.sync 2, 128;" : : : "memory"); // taken
      s_value[t] = 100 * turn + t;
      asm volatile("barrier.arrive.aligned 1, 128;" : : : "memory"); // there
    }
  } else if (t < 128) {
    for (int turn = 0; turn < turns; ++turn) {
      asm volatile("bar.arrive 2, %0;" : : "n"(128) : "memory");
      asm volatile("bar.sync %0, %1;" : : "r"(1), "r"(128) : "memory");
      sum += s_value[127 - t];
    }
  } else {
    unsigned odd;
    int all, any;
    asm volatile("{\n\t"
                 ".reg .pred p, q, r, s;\n\t"
                 "setp.ne.u32 p, %3, 0;\n\t"
                 "bar.red.popc.u32 %0, 3, 32, p;\n\t"
                 "bar.red.and.pred q, 3, 32, p;\n\t"
                 "bar.red.or.pred r, 3, 32, p;\n\t"
                 "selp.b32 %1, 1, 0, q;\n\t"
                 "selp.b32 %2, 1, 0, r;\n\t"
                 "}"
                 : "=r"(odd), "=r"(all), "=r"(any)
                 : "r"(t % 2)
                 : "memory");
    sum = static_cast<int>(odd) + 100 * all + 1000 * any;
  }
  asm volatile("barrier.sync 0;" : : : "memory");
  out[t] = sum;
}

TEST_CASE("barriers of a part of a block") {
  constexpr int turns = 5;
  conformance::DeviceArray<int> out(160);
  named<<<1, 160>>>(out.data(), turns);
  const std::vector<int> sums = out.to_host();
  for (int t = 0; t < 160; ++t)
    REQUIRE(sums[static_cast<size_t>(t)] == (t < 64 ? 0
                                             : t < 128
                                                 ? 100 * turns * (turns - 1) / 2 + turns * (127 - t)
                                                 : 1016));
}

// The whole block at a barrier other than 0, and a reduction at 0.
__global__ void whole(int *out) {
  __shared__ int s_value[threads];
  s_value[threadIdx.x] = static_cast<int>(threadIdx.x);
  asm volatile("bar.sync 7;" : : : "memory");
  const int next = s_value[(threadIdx.x + 1) % threads];
  unsigned few;
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               "setp.lt.u32 p, %1, 5;\n\t"
               "bar.red.popc.u32 %0, 0, p;\n\t"
               "}"
               : "=r"(few)
               : "r"(threadIdx.x)
               : "memory");
  out[threadIdx.x] = next + 1000 * static_cast<int>(few);
}

TEST_CASE("a whole block at a named barrier") {
  conformance::DeviceArray<int> out(threads);
  whole<<<1, threads>>>(out.data());
  const std::vector<int> values = out.to_host();
  for (int t = 0; t < threads; ++t)
    REQUIRE(values[static_cast<size_t>(t)] == (t + 1) % threads + 5000);
}

__global__ void elected(unsigned *out) {
  unsigned leader, is_leader;
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               "elect.sync %0|p, %2;\n\t"
               "selp.b32 %1, 1, 0, p;\n\t"
               "}"
               : "=r"(leader), "=r"(is_leader)
               : "r"(0xffffffffu));
  out[threadIdx.x] = leader * 10 + is_leader;
}

TEST_CASE("one lane of a warp is elected") {
  conformance::DeviceArray<unsigned> out(32);
  elected<<<1, 32>>>(out.data());
  const std::vector<unsigned> values = out.to_host();
  const unsigned leader = values[0] / 10;
  for (unsigned lane = 0; lane < 32; ++lane)
    REQUIRE(values[lane] == leader * 10 + (lane == leader));
}

} // namespace
