#include "emu/errors.hpp"

#include <atomic>

#include "devices.hpp"
#include "watcher.hpp"

namespace {

constinit std::atomic<cudaError_t> context_errors[emu::most_devices] = {};

thread_local cudaError_t last_error = cudaSuccess;

constexpr const char *unrecognized = "unrecognized error code";

} // namespace

namespace emu {

cudaError_t set_error(cudaError_t error) {
  if (error == cudaSuccess)
    return error;
  last_error = error;
  if (watcher && error != cudaErrorNotReady)
    watcher->call_failed(error);
  return error;
}

cudaError_t set_sticky_error(int device, cudaError_t error) {
  cudaError_t sound = cudaSuccess;
  context_errors[device].compare_exchange_strong(sound, error);
  return sticky_error(device);
}

cudaError_t sticky_error(int device) {
  return context_errors[device].load(std::memory_order_relaxed);
}
cudaError_t sticky_error() { return sticky_error(current_device); }

void reset_errors() {
  context_errors[current_device] = cudaSuccess;
  last_error = cudaSuccess;
}

} // namespace emu

const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define EMU_ERROR(name, value, text) \
  case name: \
    return #name;
#include "emu/error_list.def"
#undef EMU_ERROR
  default:
    return unrecognized;
  }
}

const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define EMU_ERROR(name, value, text) \
  case name: \
    return text;
#include "emu/error_list.def"
#undef EMU_ERROR
  default:
    return unrecognized;
  }
}

cudaError_t cudaPeekAtLastError() { return last_error; }

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
