// How the body of every runtime call is wrapped.
#pragma once

#include <string>
#include <type_traits>

#include "context/devices.hpp"
#include "emu/runtime/driver_types.hpp"
#include "emu/runtime/errors.hpp"

namespace emu {

/// Why the call that this host thread makes is refused: "cudaMemcpy to the device with its target in the host's memory",
/// "cudaMemPrefetchAsync of 8192 bytes where there are 4096". Whoever is told of the error takes it.
extern thread_local std::string call_in_question;

/// For calls that need no context: records the body's error and returns it.
inline cudaError_t query_call(auto body) { return set_error(body()); }

/// Whether this is the call that EMU_REFUSE says is to fail, of those that an observed program makes.
bool refused();

/// For calls that give back what others have taken: as above, but a ruined context answers before the body runs.
inline cudaError_t release_call(auto body) {
  const cudaError_t sticky = sticky_error();
  return set_error(sticky != cudaSuccess ? sticky : body());
}

/// For calls that need the device: the same, and whoever makes one has to reckon with memory that has run out.
inline cudaError_t device_call(auto body) {
  return refused() ? set_error(cudaErrorMemoryAllocation) : release_call(body);
}

/// Gives a value to a caller who has a place for it.
template <class T> inline cudaError_t answer(T *place, std::type_identity_t<T> value) {
  if (place == nullptr)
    return cudaErrorInvalidValue;
  *place = value;
  return cudaSuccess;
}

} // namespace emu
