// Which devices may reach each other's memory, and what a device's pool gives out.
#include "context/api.hpp"
#include "context/devices.hpp"
#include "emu/runtime/runtime_device.hpp"
#include "emu/runtime/runtime_memory.hpp"
#include "memory/allocations.hpp"

namespace {

using namespace emu;

/// Its own device can't be shut out, and nobody may only read.
cudaError_t check(const cudaMemAccessDesc &access, int owner) {
  const auto &[location, flags] = access;
  if (location.type != cudaMemLocationTypeDevice || flags == cudaMemAccessFlagsProtRead ||
      (location.id == owner && flags == cudaMemAccessFlagsProtNone))
    return cudaErrorInvalidValue;
  if (!valid_device(location.id) || (location.id != owner && !can_reach(location.id, owner)))
    return cudaErrorInvalidDevice;
  return cudaSuccess;
}

} // namespace

cudaError_t
cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *accesses, size_t count) {
  return device_call([&] {
    const int owner = owner_of(pool);
    if (owner < 0 || accesses == nullptr)
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i)
      if (const cudaError_t error = check(accesses[i], owner))
        return error;
    for (size_t i = 0; i < count; ++i)
      let_reach_pool(
          accesses[i].location.id, owner, accesses[i].flags == cudaMemAccessFlagsProtReadWrite);
    return cudaSuccess;
  });
}

cudaError_t
cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t pool, cudaMemLocation *location) {
  return query_call([&] {
    const int owner = owner_of(pool);
    if (owner < 0 || flags == nullptr || location == nullptr ||
        location->type != cudaMemLocationTypeDevice)
      return cudaErrorInvalidValue;
    if (!valid_device(location->id))
      return cudaErrorInvalidDevice;
    *flags = may_reach_pool(location->id, owner) ? cudaMemAccessFlagsProtReadWrite
                                                 : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  return query_call([&] {
    if (!valid_device(device) || !valid_device(peer))
      return cudaErrorInvalidDevice;
    return answer(can, can_reach(device, peer));
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return device_call([&] {
    if (!valid_device(peer))
      return cudaErrorInvalidDevice;
    if (flags != 0)
      return cudaErrorInvalidValue;
    if (!can_reach(current_device, peer))
      return cudaErrorPeerAccessUnsupported;
    return let_reach(current_device, peer, true) ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return device_call([&] {
    if (!valid_device(peer))
      return cudaErrorInvalidDevice;
    const bool was_enabled = peer != current_device && let_reach(current_device, peer, false);
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
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
      return answer(value, can_reach(device, peer));
    case cudaDevP2PAttrPerformanceRank: // 0 is the best
    case cudaDevP2PAttrCudaArrayAccessSupported: // textures stay with their device
    case cudaDevP2PAttrOnlyPartialNativeAtomicSupported:
      return answer(value, 0);
    }
    return cudaErrorInvalidValue;
  });
}
