#include "devices.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "api.hpp"
#include "device.hpp"
#include "emu/devices.hpp"
#include "emu/runtime_device.hpp"
#include "surroundings.hpp"

namespace emu {

namespace {

constinit std::atomic<int> wanted{1};
/// By the device that reaches, and the one that is reached.
constinit std::atomic<bool> reach[most_devices][most_devices] = {};
constinit std::atomic<bool> reach_pool[most_devices][most_devices] = {};

} // namespace

constinit thread_local int current_device = 0;
int running_device = 0;

int device_count_so_far() {
  return number_from_environment("EMU_DEVICES", 1, most_devices, wanted);
}

int device_count() {
  static const int count = device_count_so_far();
  return count;
}

int want_devices(int count) {
  wanted = count < 1 ? 1 : count > most_devices ? most_devices : count;
  return device_count();
}

bool peers_are_possible() { return number_from_environment("EMU_PEERS", 0, 1, 1) == 1; }

bool may_reach(int device, int other) {
  return device == other || reach[device][other].load(std::memory_order_relaxed);
}

bool let_reach(int device, int other) {
  if (device != other && peers_are_possible())
    reach[device][other] = true;
  return device == other || peers_are_possible();
}

bool may_reach_pool(int device, int owner) {
  return device == owner || reach_pool[device][owner].load(std::memory_order_relaxed);
}

void let_reach_pool(int device, int owner, bool may) { reach_pool[device][owner] = may; }

void forget_peers(int device) {
  for (int other = 0; other < most_devices; ++other) {
    reach[device][other] = reach[other][device] = false;
    reach_pool[device][other] = reach_pool[other][device] = false;
  }
}

} // namespace emu

using namespace emu;

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  return query_call([&] {
    if (!valid_device(device) || !valid_device(peer))
      return cudaErrorInvalidDevice;
    if (can == nullptr)
      return cudaErrorInvalidValue;
    *can = device != peer && peers_are_possible();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return device_call([&] {
    if (!valid_device(peer))
      return cudaErrorInvalidDevice;
    if (flags != 0)
      return cudaErrorInvalidValue;
    if (peer == current_device || !peers_are_possible())
      return cudaErrorPeerAccessUnsupported;
    return reach[current_device][peer].exchange(true) ? cudaErrorPeerAccessAlreadyEnabled
                                                      : cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return device_call([&] {
    if (!valid_device(peer))
      return cudaErrorInvalidDevice;
    const bool was_enabled = peer != current_device && reach[current_device][peer].exchange(false);
    return was_enabled ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

cudaError_t
cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int device, int peer) {
  return query_call([&] {
    if (value == nullptr)
      return cudaErrorInvalidValue;
    if (!valid_device(device) || !valid_device(peer) || device == peer)
      return cudaErrorInvalidDevice;
    switch (attribute) {
    case cudaDevP2PAttrPerformanceRank: // 0 is the best
      *value = 0;
      return cudaSuccess;
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
      *value = peers_are_possible();
      return cudaSuccess;
    case cudaDevP2PAttrCudaArrayAccessSupported: // textures stay with their device
    case cudaDevP2PAttrOnlyPartialNativeAtomicSupported:
      *value = 0;
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}
