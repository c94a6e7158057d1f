// All ranks meet inside their kernels: each block tells the blocks of its number on the other devices
// that it has come so far, and waits until they say the same.
#pragma once

#include "steps/team.hpp"

#include <cuda/atomic>

constexpr unsigned most_meeting_blocks = 32; // so few that all of them surely run at the same time

/// Words in each rank's memory: told[rank][block * most_ranks + who] is how often `who` has come there.
struct Signals {
  unsigned *told[most_ranks];
  int rank, ranks;
};

// For the whole block. What any thread of these blocks stored before is seen by all of them after.
__device__ inline void meet(const Signals &s, unsigned times) {
  using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;
  __syncthreads(); // all threads of this block have come, and their stores with them
  const int other = static_cast<int>(threadIdx.x);
  if (other < s.ranks) {
    const size_t row = static_cast<size_t>(blockIdx.x) * most_ranks;
    __threadfence_system();
    Word(s.told[other][row + s.rank]).store(times, cuda::memory_order_release);
    const Word from_other(s.told[s.rank][row + other]);
    // The difference, not "<": a count may come round. It gives up after seconds: a rank is missing.
    const long long start = clock64();
    while (static_cast<int>(from_other.load(cuda::memory_order_acquire) - times) < 0)
      if (clock64() - start > 10000000000ll)
        break;
  }
  __syncthreads();
}
