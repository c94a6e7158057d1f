// Which devices may reach the memory that a device's pool gives out.
#include "api.hpp"
#include "devices.hpp"
#include "emu/runtime_memory.hpp"

namespace {

using namespace emu;

/// Its own device can't be shut out, and nobody may only read.
cudaError_t check(const cudaMemAccessDesc &access, int owner) {
  const auto &[location, flags] = access;
  if (location.type != cudaMemLocationTypeDevice || flags == cudaMemAccessFlagsProtRead ||
      (location.id == owner && flags == cudaMemAccessFlagsProtNone))
    return cudaErrorInvalidValue;
  if (!valid_device(location.id) || (location.id != owner && !peers_are_possible()))
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
      if (const cudaError_t error = check(accesses[i], owner); error != cudaSuccess)
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
