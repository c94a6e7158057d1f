/// @file
/// For exercises about several processes: each rank is a thread, with a device of its own. NCCL makes no
/// difference between the two; what it takes to start processes, and MPI, are left out.
#pragma once

#include "checker/devices.hpp"
#include "checker/rank_threads.hpp"

namespace checker {

/// Whoever waits in NCCL has others beside it in the same process, which are not slow.
[[maybe_unused]] static const bool impatient = setenv("EMU_NCCL_PATIENCE_MS", "400", 0) == 0;

/// So many ranks, or as many as there are devices: NCCL has one for each.
inline int at_most_devices(int ranks) {
  int count = 0;
  LAB_CHECK(cudaGetDeviceCount(&count));
  return ranks < count ? ranks : count;
}

} // namespace checker
