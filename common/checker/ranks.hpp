/// @file
/// For exercises about several processes: each rank is a thread, with a device of its own. NCCL makes no
/// difference between the two; what it takes to start processes, and MPI, are left out.
#pragma once

#include "checker/devices.hpp"

#include <functional>
#include <vector>

namespace checker {

/// Whoever waits in NCCL has others beside it in the same process, which are not slow.
[[maybe_unused]] static const bool impatient = setenv("EMU_NCCL_PATIENCE_MS", "400", 0) == 0;

/// What on_ranks() leaves behind.
struct AfterRanks {
  std::vector<int> current; ///< [rank] the device that was current in the end
  bool left_alone = false; ///< somebody waited in broadcast() for ranks that never came
};

/// Calls work(rank) for all ranks at the same time, each in a thread of its own with its device current. Learners'
/// functions have `void broadcast(void *data, size_t bytes, int root)` there, which is MPI_Bcast without its types.
///
/// In the judge work() runs twice for each rank: first up to what it calls of the learner's, which the other
/// process then does for all ranks together, and once more to go on with what came of it. So it makes one such
/// call, and does nothing before it that counts how often.
/// @throws what the first rank throws, or lab::CudaError if a call of CUDA's has failed in its thread
AfterRanks on_ranks(const std::vector<int> &devices, const std::function<void(int rank)> &work);

/// So many ranks, or as many as there are devices: NCCL has one for each.
inline int at_most_devices(int ranks) {
  int count = 0;
  LAB_CHECK(cudaGetDeviceCount(&count));
  return ranks < count ? ranks : count;
}

} // namespace checker
