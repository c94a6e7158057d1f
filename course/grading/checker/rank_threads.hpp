/// @file
/// The threads that play ranks: in the learner's process, or on a GPU in the only one.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

namespace checker {

/// What on_ranks() leaves behind.
struct AfterRanks {
  std::vector<int> current; ///< [rank] the device that was current in the end
  std::vector<bool>
      left_alone; ///< [rank] whether it waited in broadcast() for ranks that never came
  /// [rank] 2 and the rank to which it sends (-1: there is none below), where nobody receives; or from which it receives,
  /// negative; 0: it is not stuck
  std::vector<int> stuck;
  /// [rank] how many rounds its messages took, and those that they had to wait for
  std::vector<int> rounds;
  std::vector<int> root; ///< [rank] of its last broadcast(); -1: it has called none
  std::vector<std::uint64_t> bytes; ///< [rank] of that
  /// The first one that others have waited for in broadcast(); -1: none.
  int stayed_away() const {
    const bool any = std::find(left_alone.begin(), left_alone.end(), true) != left_alone.end();
    return any ? static_cast<int>(std::find(left_alone.begin(), left_alone.end(), false) -
                                  left_alone.begin())
               : -1;
  }
};

/// Calls work(rank) for all ranks at the same time, each in a thread of its own with its device current. Learners'
/// functions have `void broadcast(void *data, size_t bytes, int root)` there, which is MPI_Bcast without its types, and
/// send_to() and receive_from(), which are MPI_Ssend and MPI_Recv.
///
/// In the judge work() runs twice for each rank: first up to what it calls of the learner's, which the other
/// process then does for all ranks together, and once more to go on with what came of it. So it makes one such
/// call, and does nothing before it that counts how often.
/// @throws what the first rank throws, or lab::CudaError if a call of CUDA's has failed in its thread
AfterRanks on_ranks(const std::vector<int> &devices, const std::function<void(int rank)> &work);

/// How a rank has ended.
struct RankEnd {
  std::exception_ptr thrown; ///< by its work
  cudaError_t error; ///< the thread's last one
  int current; ///< device
  bool left_alone; ///< in broadcast()
  int stuck, rounds, root; ///< as in AfterRanks
  std::uint64_t bytes; ///< so, too
};

/// work(rank) for each device's rank, all at the same time.
std::vector<RankEnd> run_ranks(const std::vector<int> &devices,
                               const std::function<void(int rank)> &work);

} // namespace checker

/// The root's bytes become everybody's; all ranks call it. Who is left alone gives up after half a second.
void broadcast(void *data, size_t bytes, int root);

/// A message to another rank: it ends when that one has received it. When one has waited in vain for half a second, all
/// give up.
void send_to(const void *data, size_t bytes, int rank);
void receive_from(void *data, size_t bytes, int rank);
