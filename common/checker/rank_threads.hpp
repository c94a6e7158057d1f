/// @file
/// The threads that play ranks: in the learner's process, or on a GPU in the only one.
#pragma once

#include <cuda_runtime.h>

#include <exception>
#include <functional>
#include <vector>

namespace checker {

/// How a rank has ended.
struct RankEnd {
  std::exception_ptr thrown; ///< by its work
  cudaError_t error; ///< the thread's last one
  int current; ///< device
  bool left_alone; ///< in broadcast()
};

/// work(rank) for each device's rank, all at the same time.
std::vector<RankEnd> run_ranks(const std::vector<int> &devices,
                               const std::function<void(int rank)> &work);

} // namespace checker

/// The root's bytes become everybody's; all ranks call it. Who is left alone gives up after half a second.
void broadcast(void *data, size_t bytes, int root);
