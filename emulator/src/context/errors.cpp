#include "emu/runtime/errors.hpp"

#include <atomic>
#include <mutex>
#include <utility>

#include "context/api.hpp"
#include "emu/engine/engine.hpp"
#include "engine/surroundings.hpp"
#include "engine/watcher.hpp"

namespace {

constinit std::atomic<cudaError_t> context_errors[emu::most_devices] = {};

thread_local cudaError_t last_error = cudaSuccess;

} // namespace

namespace emu {

thread_local std::string call_in_question;

cudaError_t set_error(cudaError_t error) {
  if (error == cudaSuccess ||
      error == cudaErrorNotReady) // an answer, which no GPU keeps as an error
    return error;
  last_error = error;
  if (runtime_watcher)
    runtime_watcher->call_failed(error);
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

bool refused() {
  if (!runtime_watcher || in_kernel())
    return false;
  static std::mutex mutex;
  static int64_t asked_for = 0, calls = 0;
  const std::lock_guard lock(mutex);
  if (const int64_t now = count_from_environment("EMU_REFUSE", 0); now != asked_for) {
    asked_for = now;
    calls = 0;
  }
  return asked_for != 0 && ++calls == asked_for;
}

void reset_errors() {
  context_errors[current_device] = cudaSuccess;
  last_error = cudaSuccess;
}

} // namespace emu

cudaError_t emu::take_last_error() { return std::exchange(last_error, cudaSuccess); }

// A thread of a kernel has had none: what it launches and CUDA refuses ends its launch.
cudaError_t cudaPeekAtLastError() {
  if (emu::in_kernel())
    return cudaSuccess;
  if (emu::runtime_watcher && last_error != cudaSuccess)
    emu::runtime_watcher->error_fetched();
  return last_error;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  if (!emu::in_kernel())
    last_error = cudaSuccess;
  return error;
}
