/// @file
/// The chapter's plate, each band of which belongs to a process.
#pragma once

#include "demos/heat.hpp"
#include "ranks/world.hpp"
#include "rivals/nccl_ranks.hpp"

/// How bands tell each other their outermost rows.
enum class Tell {
  nothing, ///< not at all: wrong, and what the rest costs
  through_the_host, ///< copied to the host, sent by MPI, copied to the device
  nccl, ///< ncclSend and ncclRecv, no more urgent than the inside
};

/// This rank's band, of rows x cols in all.
class RankPlate {
public:
  /// @param all of all ranks that share the plate
  RankPlate(size_t rows, size_t cols, unsigned long long seed, ncclComm_t all);
  ~RankPlate();
  RankPlate(const RankPlate &) = delete;
  RankPlate &operator=(const RankPlate &) = delete;

  /// Asks for so many steps; waits for nothing unless MPI is needed for it.
  void go(int steps, Order order, Tell tell);
  /// This rank's rows, waited for.
  std::vector<float> download();
  /// Where its rows begin among those of the plate.
  size_t first_row() const { return static_cast<size_t>(rank_) * band_; }
  size_t band() const { return band_; }
  /// All streams begin when this one gets to it, and it waits for all in the end.
  cudaStream_t stream() const { return inside_; }

private:
  void step_all(int from, Tell tell);
  void step_edges_first(int from, Tell tell);
  void tell_rows(int buffer, Tell tell, cudaStream_t stream);
  void send_and_receive(int buffer, cudaStream_t stream);
  void by_way_of_the_host(int buffer, cudaStream_t stream);
  float *row(int buffer, size_t index) const { return buffers_[buffer].data() + index * cols_; }

  int rank_ = 0, ranks_ = 0;
  ncclComm_t all_;
  size_t cols_, band_;
  int now_ = 0; // which buffer holds the plate
  lab::DeviceBuffer<float> buffers_[2]; // band_ + 2 rows: a neighbour's on either side
  lab::PinnedBuffer<float> h_rows_; // two that are sent, two that come
  cudaStream_t inside_ = nullptr, edges_ = nullptr, messages_ = nullptr;
  cudaEvent_t inside_done_ = nullptr, edges_done_ = nullptr, told_ = nullptr;
};
