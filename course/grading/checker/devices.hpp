/// @file
/// For checkers of exercises about several devices. The emulator makes four of them; on a machine
/// with a single GPU all ranks share it, so that values can be checked there, and nothing else.
#pragma once

#include "checker/streams.hpp"

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

namespace checker {

/// Whether the emulator could be told.
[[maybe_unused]] static const bool four_devices = setenv("EMU_DEVICES", "4", 1) == 0;

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

/// While it lives CUDA speaks of so many devices, of those that there are. On a GPU there are those that there are.
class FewerDevices {
public:
  explicit FewerDevices(int count) : devices_("EMU_DEVICES", std::to_string(count)) {}

private:
  detail::Variable devices_;
};

/// The device of each rank, so that ranks share one only where there are fewer. Rank 0 does not get
/// device 0 if there is another: who takes one for the other shall see it.
inline std::vector<int> devices_of(int ranks) {
  int count = 0;
  LAB_CHECK(cudaGetDeviceCount(&count));
  std::vector<int> devices;
  for (int rank = 0; rank < ranks; ++rank)
    devices.push_back((rank + 1) % count);
  return devices;
}

/// Lets each of these devices reach the memory of the others: its kernels can follow pointers into it
/// then, and copies need not go through the host.
/// @return whether all of them can
inline bool let_reach_each_other(const std::vector<int> &devices) {
  bool all = true;
  for (int device : devices)
    for (int other : devices) {
      if (device == other)
        continue;
      int can = 0;
      LAB_CHECK(cudaDeviceCanAccessPeer(&can, device, other));
      all = all && can;
      if (!can)
        continue;
      const OnDevice current(device);
      const cudaError_t error = cudaDeviceEnablePeerAccess(other, 0);
      if (error == cudaErrorPeerAccessAlreadyEnabled) // it lasts until a device is reset
        static_cast<void>(cudaGetLastError());
      else
        LAB_CHECK(error);
    }
  return all;
}

/// n poisoned elements in the memory of a device.
template <class T> lab::DeviceBuffer<T> poisoned_on(int device, std::size_t n) {
  const OnDevice current(device);
  auto buffer = poisoned<T>(n);
  LAB_CHECK(cudaDeviceSynchronize());
  return buffer;
}

/// These values in the memory of a device.
template <class T> lab::DeviceBuffer<T> on_device(int device, const std::vector<T> &values) {
  const OnDevice current(device);
  auto buffer = on_device(values);
  LAB_CHECK(cudaDeviceSynchronize());
  return buffer;
}

/// Waits for all these devices.
inline void wait_for(const std::vector<int> &devices) {
  for (int device : devices) {
    const OnDevice current(device);
    LAB_CHECK(cudaDeviceSynchronize());
  }
}

/// "0, 3, 7": how messages list numbers.
template <class T> std::string listed(const std::vector<T> &numbers) {
  std::string all;
  for (const T number : numbers)
    all += (all.empty() ? "" : ", ") + std::to_string(number);
  return all;
}

/// A stream and an event for each rank, on its device.
struct RankStreams : Streams {
  /// @param devices of the ranks, as devices_of() gives them
  explicit RankStreams(const std::vector<int> &devices) : Streams(0) {
    for (int device : devices) {
      const OnDevice current(device);
      LAB_CHECK(cudaStreamCreateWithFlags(&streams.emplace_back(), cudaStreamNonBlocking));
      LAB_CHECK(cudaEventCreateWithFlags(&events.emplace_back(), cudaEventDisableTiming));
    }
  }
};

/// Ends the case as failed unless so many kernels were launched, on all devices together.
inline void
expect_launches(const std::string &what, const emu::Observation &seen, std::size_t least) {
  std::size_t launches = 0;
  for (const emu::KernelReport &kernel : seen.kernels)
    launches += kernel.launches;
  expect(launches >= least,
         "no_kernel",
         what + ": the values are right, but there are " + std::to_string(launches) +
             " launches of a kernel, and it takes " + std::to_string(least) + " at least");
}

/// Ends the case as failed unless the device that was current before the learner's call still is.
inline void expect_current(int before) {
  int now = -1;
  LAB_CHECK(cudaGetDevice(&now));
  static_cast<void>(cudaSetDevice(before));
  expect(now == before,
         "current_changed",
         "device " + std::to_string(before) +
             " was current before the call, and now it is device " + std::to_string(now) +
             ": whoever called goes on with the wrong one");
}

} // namespace checker
