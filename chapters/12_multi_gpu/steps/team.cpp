#include "steps/team.hpp"

namespace {

bool can_reach(int device, int other) {
  int answer = 0;
  LAB_CHECK(cudaDeviceCanAccessPeer(&answer, device, other));
  return answer != 0;
}

std::vector<int> find_devices() {
  int count = 0;
  // Without a driver there is none; whoever chooses a device says what to do about that.
  if (cudaGetDeviceCount(&count) != cudaSuccess)
    static_cast<void>(cudaGetLastError());
  std::vector<int> devices = {0};
  for (int device = 1; device < count && devices.size() < most_ranks; ++device) {
    bool reaches_all = true;
    for (int other : devices)
      reaches_all = reaches_all && can_reach(device, other) && can_reach(other, device);
    if (reaches_all)
      devices.push_back(device);
  }
  if (devices.size() == 1)
    devices.push_back(0);
  return devices;
}

// Lets the current device reach the memory of another one. Asked for before, it already may.
void enable_access_to(int device) {
  const cudaError_t error = cudaDeviceEnablePeerAccess(device, 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled)
    static_cast<void>(cudaGetLastError());
  else
    LAB_CHECK(error);
}

} // namespace

const std::vector<int> &devices_of_ranks() {
  static const std::vector<int> devices = find_devices();
  return devices;
}

bool ranks_have_devices() { return devices_of_ranks()[1] != 0; }

Team::Team(int ranks)
    : streams_(ranks > 0 ? static_cast<size_t>(ranks) : devices_of_ranks().size()),
      events_(streams_.size()) {
  for (int rank = 0; rank < size(); ++rank) {
    const OnDevice current(device(rank));
    const size_t r = static_cast<size_t>(rank);
    LAB_CHECK(cudaStreamCreateWithFlags(&streams_[r], cudaStreamNonBlocking));
    LAB_CHECK(cudaEventCreateWithFlags(&events_[r], cudaEventDisableTiming));
    for (int other = 0; other < size(); ++other)
      if (device(other) != device(rank))
        enable_access_to(device(other));
  }
  LAB_CHECK(cudaEventCreateWithFlags(&begin_, cudaEventDisableTiming));
}

Team::~Team() {
  cudaEventDestroy(begin_);
  for (size_t r = 0; r < streams_.size(); ++r) {
    cudaEventDestroy(events_[r]);
    cudaStreamDestroy(streams_[r]);
  }
}

// Device 0 is current, unless somebody says otherwise: its default stream is the one that is meant.
void Team::fork() const {
  LAB_CHECK(cudaEventRecord(begin_, nullptr));
  for (cudaStream_t stream : streams_)
    LAB_CHECK(cudaStreamWaitEvent(stream, begin_));
}

void Team::join() const {
  for (size_t r = 0; r < streams_.size(); ++r) {
    LAB_CHECK(cudaEventRecord(events_[r], streams_[r]));
    LAB_CHECK(cudaStreamWaitEvent(nullptr, events_[r]));
  }
}

void Team::wait(int rank, int other) const {
  const size_t o = static_cast<size_t>(other);
  LAB_CHECK(cudaEventRecord(events_[o], streams_[o]));
  LAB_CHECK(cudaStreamWaitEvent(stream(rank), events_[o]));
}

void Team::meet() const {
  for (size_t r = 0; r < streams_.size(); ++r)
    LAB_CHECK(cudaEventRecord(events_[r], streams_[r]));
  for (size_t r = 0; r < streams_.size(); ++r)
    for (size_t other = 0; other < streams_.size(); ++other)
      if (other != r)
        LAB_CHECK(cudaStreamWaitEvent(streams_[r], events_[other]));
}

void synchronize_all() {
  for (int device : devices_of_ranks()) {
    const OnDevice current(device);
    LAB_CHECK(cudaDeviceSynchronize());
  }
}

unsigned blocks_for(size_t n) {
  const size_t all = (n + block - 1) / block;
  const size_t room = static_cast<size_t>(lab::choose_device().resident_blocks(block));
  return static_cast<unsigned>(all == 0 ? 1 : all < room ? all : room);
}
