// Two threads take the same two locks in opposite order.
#pragma once

#include "problem.hpp"

#include <cuda/atomic>

namespace trap_two_locks {

inline const char *why =
    "thread 0 holds lock 0 and waits for lock 1, thread 32 holds lock 1 and waits for lock 0: "
    "neither "
    "gives up what it has, so both wait for ever. Let all threads take locks in one order. (Here "
    "each "
    "waits until the other has its first lock, so it happens each time, and gives up after 1000 "
    "tries. In real programs it takes bad luck.)";

using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

constexpr unsigned enough = 1000; // a real one would never come back

__device__ inline bool take(unsigned *lock) {
  for (unsigned tries = 0; tries < enough; ++tries)
    if (Word(*lock).exchange(1u, cuda::memory_order_acquire) == 0u)
      return true;
  return false;
}

__device__ inline void wait_for_both(unsigned *here) {
  Word(*here).fetch_add(1u, cuda::memory_order_relaxed);
  while (Word(*here).load(cuda::memory_order_relaxed) < 2u) {
  }
}

// done: how many threads held both locks.
__global__ void work_under_two_locks(unsigned *done, unsigned *locks) {
  if (threadIdx.x % 32 != 0)
    return;
  const unsigned mine = threadIdx.x / 32, other = 1 - mine;
  take(&locks[mine]);
  wait_for_both(&locks[2]);
  if (take(&locks[other]))
    Word(*done).fetch_add(1u, cuda::memory_order_relaxed);
  wait_for_both(&locks[3]); // nobody gives up early, which would let the other through
}

inline void run(Histogram &p) {
  empty_bins(p);
  work_under_two_locks<<<1, 64>>>(p.d_bins.data(), p.d_bins.data() + 1);
  LAB_CHECK_LAUNCH();
}

inline lab::Verdict check(Histogram &p) {
  return lab::compare_value("threads that held both locks", p.d_bins.at(0), 2u);
}

} // namespace trap_two_locks
