/// @file
/// A plate of rows x cols points in bands of rows, one for each rank: each point becomes the mean of its
/// four neighbours, step by step. Bands that touch tell each other their outermost rows.
#pragma once

#include "steps/team.hpp"

#include <string>

/// Who goes first in a step.
enum class Order {
  all_then_tell, ///< a band's rows, all of them; then the outermost are told to the neighbours
  edges_first, ///< the outermost rows; they are told while the rows inside are computed
};

/// The plate on the devices of a team.
class Plate {
public:
  /// @param rows a multiple of the ranks, and two for each at least
  Plate(int ranks, size_t rows, size_t cols, unsigned long long seed);
  ~Plate();
  Plate(const Plate &) = delete;
  Plate &operator=(const Plate &) = delete;

  /// Asks for so many steps. Waits for nothing.
  void go(int steps, Order order);
  /// All rows, waited for.
  std::vector<float> download();

  int ranks() const { return team_.size(); }
  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  /// Bytes of this band's outermost rows that go to other devices in a step.
  size_t bytes_told(int rank) const;

private:
  void step_all(int from);
  void step_edges_first(int from);
  void tell(int rank, int buffer, cudaStream_t stream);
  float *
  row(int rank, int buffer, size_t index); // index: [0, band_ + 2), the neighbours' rows included

  Team team_;
  size_t rows_, cols_, band_; // band_: rows of each rank
  int now_ = 0; // which buffer holds the plate
  std::vector<lab::DeviceBuffer<float>> buffers_[2]; // [rank]
  std::vector<cudaStream_t> edges_; // [rank]: a second stream, for the outermost rows
  std::vector<cudaEvent_t> told_, inside_, edge_done_; // [rank]
};

/// What the plate holds at the beginning, a row above it and one below, which never change, included.
std::vector<float> plate_at_start(size_t rows, size_t cols, unsigned long long seed);

/// The same steps on the host, by plain loops.
std::vector<float> plate_on_host(size_t rows, size_t cols, unsigned long long seed, int steps);
