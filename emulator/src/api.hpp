// How the body of every runtime call is wrapped.
#pragma once

#include "devices.hpp"
#include "emu/driver_types.hpp"
#include "emu/errors.hpp"

namespace emu {

/// For calls that need no context: records the body's error and returns it.
template <class Body> inline cudaError_t query_call(Body body) { return set_error(body()); }

/// For calls that need the device: as above, but a ruined context answers before the body runs.
template <class Body> inline cudaError_t device_call(Body body) {
  const cudaError_t sticky = sticky_error();
  return set_error(sticky != cudaSuccess ? sticky : body());
}

/// Whose memory pool it is: a device's number; -1: nobody's.
int owner_of(cudaMemPool_t pool);

} // namespace emu
