/// @file
/// The chapter's devices: which take part, a stream on each, and who waits for whom.
#pragma once

#include "ladder/chapter.hpp"

#include <cstddef>
#include <vector>

using std::size_t;

constexpr int most_ranks = 8; // who takes part is called a rank, as NCCL and MPI do
constexpr int block = 256; // threads per block, but for where it is said

/// Makes a device current while it lives; then the one that was current before it.
class OnDevice {
public:
  explicit OnDevice(int device) {
    LAB_CHECK(cudaGetDevice(&before_));
    LAB_CHECK(cudaSetDevice(device));
  }
  ~OnDevice() { static_cast<void>(cudaSetDevice(before_)); }
  OnDevice(const OnDevice &) = delete;
  OnDevice &operator=(const OnDevice &) = delete;

private:
  int before_ = 0;
};

/// The device of each rank: device 0, and all that can reach it and each other's memory, eight at most.
/// Where there is no second one, two ranks share device 0: results can be checked, speeds say nothing.
const std::vector<int> &devices_of_ranks();

/// Whether each rank has a device of its own.
bool ranks_have_devices();

/// A stream for each rank, on its device, and events to make them wait for one another. Each device
/// may reach the memory of all others while one lives, and afterwards.
class Team {
public:
  /// @param ranks this many of them, the first ones; 0: all
  explicit Team(int ranks = 0);
  ~Team();
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  int size() const { return static_cast<int>(streams_.size()); }
  int device(int rank) const { return devices_of_ranks()[static_cast<size_t>(rank)]; }
  cudaStream_t stream(int rank) const { return streams_[static_cast<size_t>(rank)]; }

  /// What is asked of all streams from here on waits for the default stream of device 0.
  void fork() const;
  /// The default stream of device 0 waits for what all streams have been asked for so far.
  void join() const;
  /// The stream of `rank` waits for what the stream of `other` has been asked for so far.
  void wait(int rank, int other) const;
  /// Each stream waits for all others: nobody goes on before all have got here.
  void meet() const;

private:
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_; // of each stream, where it was asked last how far it is
  cudaEvent_t begin_ = nullptr;
};

/// Waits for all devices of the ranks.
void synchronize_all();

/// n elements in the memory of a device.
template <class T> lab::DeviceBuffer<T> on_device(int device, size_t n) {
  const OnDevice current(device);
  return lab::DeviceBuffer<T>(n);
}

/// Blocks of `block` threads for n elements of work: no more than the device holds at a time.
unsigned blocks_for(size_t n);
