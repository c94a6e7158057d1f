/// @file
/// One sum on all ranks, as in the chapter, but each rank is a process: the ways that there are.
#pragma once

#include "problem.hpp"
#include "ranks/world.hpp"
#include "rivals/nccl_ranks.hpp"

#include "ladder/chapter.hpp"

/// This rank's vector of n floats, room for the sum, and what the ways need.
class RankSum {
public:
  RankSum(size_t n, unsigned long long seed);
  ~RankSum();
  RankSum(const RankSum &) = delete;
  RankSum &operator=(const RankSum &) = delete;

  /// Right on this rank?
  lab::Verdict check() const;
  size_t bytes() const { return n * sizeof(float); }

  size_t n;
  cudaStream_t stream = nullptr;
  lab::DeviceBuffer<float> in, out;
  lab::PinnedBuffer<float> h_in, h_sum;

private:
  std::vector<double> expected_;
};

/// Memory and events of the ranks before and after this one, as CUDA's IPC opens them.
class Neighbours {
public:
  explicit Neighbours(const RankSum &own);
  ~Neighbours();
  Neighbours(const Neighbours &) = delete;
  Neighbours &operator=(const Neighbours &) = delete;

  /// The stream waits until both neighbours' streams have come as far.
  void meet(cudaStream_t stream);

  const float *in = nullptr, *out = nullptr; ///< of the rank before

private:
  int turn_ = 0;
  bool before_is_after_ = false;
  cudaEvent_t own_[2] = {}, before_[2] = {}, after_[2] = {};
};

/// All of them: what is asked for is asked of the stream, or done when they return.
namespace sums {
void through_the_host(RankSum &p);
void by_cuda_aware_mpi(RankSum &p);
void ring_by_ipc(RankSum &p, Neighbours &neighbours);
void by_nccl(RankSum &p, ncclComm_t all);
/// Within a machine, then between machines, then within again.
void in_two_steps(RankSum &p, ncclComm_t machine, ncclComm_t across);

/// The chapter's ring: one process, all devices.
void ring_of_one_process(Vectors &p);
} // namespace sums

/// A communicator of the ranks that give the same colour, in their order.
/// @param colour from 0 to world().size() - 1
ncclComm_t make_communicator(int colour);
