/// @file
/// The threads that play ranks: in the learner's process, or on a GPU in the only one.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

namespace checker {

/// In which round, from 1 on, a rank has received a message, and from which rank: the first 32, in order.
using Heard = std::vector<std::pair<int, int>>;

/// What on_ranks() leaves behind.
struct AfterRanks {
  std::vector<int> current; ///< [rank] the device that was current in the end
  /// [rank] 2 and the rank to which it sends (-1: there is none below), where nobody receives; or from which it receives,
  /// negative; 0: it is not stuck
  std::vector<int> stuck;
  /// [rank] how many rounds its messages took, and those that they had to wait for
  std::vector<int> rounds;
  /// [rank] 1 and the rank to which it has sent before it first received something; 0: it has not sent first, or
  /// received nothing
  std::vector<int> sent_first;
  std::vector<Heard> heard; ///< [rank]
};

/// Calls work(rank) for all ranks at the same time, each in a thread of its own with its device current. Learners'
/// functions have send_to() and receive_from() there, which are MPI_Ssend and MPI_Recv without their types.
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
  int stuck, rounds, sent_first; ///< as in AfterRanks
  Heard heard;
};

/// work(rank) for each device's rank, all at the same time.
std::vector<RankEnd> run_ranks(const std::vector<int> &devices,
                               const std::function<void(int rank)> &work);

} // namespace checker

/// A message to another rank: it ends when that one has received it. When one has waited in vain for half a second, all
/// give up.
void send_to(const void *data, size_t bytes, int rank);
void receive_from(void *data, size_t bytes, int rank);
