// Threads and blocks that wait for each other with nothing but memory. All blocks fit on a GPU at a time.
#include "conformance.cuh"

namespace {

using conformance::DeviceArray;

__global__ void own_barrier(int *out, unsigned *arrived, unsigned rounds) {
  for (unsigned round = 1; round <= rounds; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrived, 1u);
      while (atomicAdd(arrived, 0u) < round * gridDim.x) {
      }
      __threadfence();
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] +=
        static_cast<int>(atomicAdd(arrived, 0u) / gridDim.x / round);
  }
}

// Each block waits for the one behind it: the last one is the first to go on.
__global__ void from_the_last(volatile int *done, int *order, int *passed) {
  if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x) {
    while (done[blockIdx.x + 1] == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    order[atomicAdd(passed, 1)] = static_cast<int>(blockIdx.x);
    __threadfence();
    done[blockIdx.x] = 1;
  }
}

__device__ int look(const int *word) { return *static_cast<const volatile int *>(word); }

// Each thread waits for the one behind it, in every form of loop.
__global__ void within_a_block(volatile int *done, unsigned form) {
  const unsigned next = threadIdx.x + 1;
  if (next < blockDim.x) {
    if (form == 0)
      while (!done[next]) {
      }
    else if (form == 1)
      for (; done[next] == 0;)
        ;
    else if (form == 2)
      for (;;) {
        if (done[next])
          break;
      }
    else if (form == 3)
      do {
      } while (done[next] != 1);
    else if (form == 4)
      while (const int left = 1 - done[next]) {
        if (left < 0)
          return;
      }
    if (form == 5)
      while (look(const_cast<const int *>(done) + next) == 0) {
      }
    if (form == 6) {
    again:
      if (!done[next])
        goto again;
    }
    const auto behind = done + next;
    if (form == 7)
      while (*behind == 0) {
      }
    __threadfence();
  }
  done[threadIdx.x] = 1;
}

__global__ void waits_by_ptx(int *done) {
  const unsigned next = threadIdx.x + 1;
  int seen = next == blockDim.x;
  while (seen == 0)
    asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(seen) : "l"(done + next) : "memory");
  __threadfence();
  asm volatile("st.volatile.global.s32 [%0], %1;" ::"l"(done + threadIdx.x), "r"(1) : "memory");
}

} // namespace

TEST_CASE("a barrier of all blocks made of atomics, in a launch like any other") {
  for (const unsigned blocks : {2u, 9u, 100u}) {
    CAPTURE(blocks);
    const unsigned threads = 96, rounds = 5;
    DeviceArray<int> out(std::vector<int>(blocks * threads, 0));
    DeviceArray<unsigned> arrived(std::vector<unsigned>{0});
    own_barrier<<<blocks, threads>>>(out.data(), arrived.data(), rounds);
    for (const int value : out.to_host())
      REQUIRE(value == rounds);
  }
}

TEST_CASE("blocks wait for blocks with higher numbers") {
  for (const int blocks : {2, 40, 100}) {
    CAPTURE(blocks);
    DeviceArray<int> done(std::vector<int>(static_cast<size_t>(blocks), 0));
    DeviceArray<int> order(std::vector<int>(static_cast<size_t>(blocks), -1));
    DeviceArray<int> passed(std::vector<int>{0});
    from_the_last<<<blocks, 64>>>(done.data(), order.data(), passed.data());
    const std::vector<int> came = order.to_host();
    for (int i = 0; i < blocks; ++i)
      REQUIRE(came[static_cast<size_t>(i)] == blocks - 1 - i);
  }
}

TEST_CASE("threads wait for threads of their warp and block through volatile words") {
  for (unsigned form = 0; form < 8; ++form) {
    CAPTURE(form);
    DeviceArray<int> done(std::vector<int>(128, 0));
    within_a_block<<<1, 128>>>(done.data(), form);
    for (const int value : done.to_host())
      REQUIRE(value == 1);
  }
  DeviceArray<int> done(std::vector<int>(64, 0));
  waits_by_ptx<<<1, 64>>>(done.data());
  for (const int value : done.to_host())
    REQUIRE(value == 1);
}
