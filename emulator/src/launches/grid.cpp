#include "launches/grid.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "context/devices.hpp"
#include "emu/runtime/runtime_functions.hpp"
#include "emu/runtime/runtime_streams.hpp"
#include "engine/block.hpp"
#include "engine/drawn_order.hpp"
#include "engine/shared_memory.hpp"
#include "engine/signals.hpp"
#include "engine/watchdog.hpp"
#include "engine/watcher.hpp"
#include "engine/workers.hpp"
#include "launches/launch_model.hpp"
#include "memory/allocations.hpp"
#include "memory/device_variables.hpp"
#include "streams/streams.hpp"

namespace emu {

namespace {

constexpr uint64_t interleaved_blocks = 8; // live at a time: each has stacks for all its threads

std::mutex launch_mutex; // one grid runs at a time, of all devices'
std::mutex children_mutex;

/// What the engine says of an access that went astray.
std::optional<KnownMemory> memory_near(const void *address) {
  const auto found = find_near_allocation(address);
  return found ? std::optional(KnownMemory{found->base, found->size}) : std::nullopt;
}

void run_on_device(RunningLaunch &launch) {
  const std::lock_guard lock(launch_mutex);
  const FaultHandlers handlers;
  ++current_launch;
  if (kernel_watcher)
    follow_environment();
  set_running(&launch);
  running_device = launch.device;
  const WatchedLaunch watched(launch.name);
  const LoadedVariables variables(launch.device);
  launch.alone = launch.blocks == 1 || worker_count() == 1 || kernel_watcher;
  // Blocks that wait for each other must all be dealt out at once.
  const auto workers = static_cast<uint64_t>(worker_count());
  if (launch.config.cooperative)
    launch.chunk = launch.alone ? launch.blocks : (launch.blocks + workers - 1) / workers;
  else if (launch.interleaved())
    launch.chunk = interleaved_blocks;
  const uint64_t whole = launch.cluster_blocks(); // clusters
  launch.chunk = (launch.chunk + whole - 1) / whole * whole;
  if (kernel_watcher)
    kernel_watcher->launch_begins(launch.name, launch.config, launch.body);
  run_blocks(launch);
  if (kernel_watcher)
    kernel_watcher->launch_ends();
  launch.static_shared = static_shared_used();
  set_running(nullptr);
}

void run_launch(const char *name,
                const void *function,
                const LaunchConfig &config,
                const KernelBody &body,
                int device) {
  if (LaunchModel *model = launch_model()) {
    const std::lock_guard lock(launch_mutex);
    const LoadedVariables variables(device); // it reads what the kernel will read
    if (!model->launched(name, function, config, body))
      return;
  }
  if (kernel_watcher && std::getenv("EMU_IDLE_KERNELS"))
    return;
  const uint64_t blocks = uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  // Large contiguous ranges: neighbouring blocks write neighbouring memory, and two cores that
  // write the same cache lines slow each other down several times over.
  const uint64_t chunk = std::max<uint64_t>(1, blocks / (uint64_t(worker_count()) * 8));
  RunningLaunch launch(name, config, body, blocks, chunk);
  launch.memory_near = memory_near;
  launch.device = device;
  run_on_device(launch);
  note_static_shared(function, launch.static_shared);
  std::fflush(stdout);
  if (launch.error != cudaSuccess)
    set_sticky_error(device, static_cast<cudaError_t>(launch.error.load()));
  else
    for (Child &child : launch.children) {
      child.body.body = child.arguments.get();
      run_launch(child.name, child.function, child.config, child.body, device);
    }
}

/// For when the launch runs. Bit by bit, as CUDA copies them; nor is it the kernel that does, if a kernel launches.
std::shared_ptr<void> copy_of_arguments(const KernelBody &body) {
  const std::align_val_t alignment{body.parameter_alignment};
  const std::shared_ptr<void> copy(::operator new(body.parameter_bytes, alignment),
                                   [=](void *p) { ::operator delete(p, alignment); });
  std::memcpy(copy.get(), body.body, body.parameter_bytes);
  return copy;
}

constinit thread_local ConfiguredLaunches configured;

[[noreturn]] void refuse_call() {
  const char *const text =
      "a __global__ function call must be configured: kernel<<<grid, block>>>(…)";
  if (in_kernel())
    fail_launch(cudaErrorLaunchFailure, "kernel_call", text, {});
  std::fprintf(stderr, "emulator: %s\n", text);
  std::abort();
}

} // namespace

thread_local const LaunchConfig *launch_in_question = nullptr;

void configure(const char *name, const LaunchConfig &config) { configured.push({name, config}); }
void configure(
    const char *name, dim3 grid, dim3 block, size_t dynamic_shared, cudaStream_t stream) {
  configure(name, LaunchConfig{grid, block, dynamic_shared, stream});
}

void launch(const char *own_name, const void *function, KernelBody body) {
  if (configured.empty())
    refuse_call();
  Configured asked = configured.pop(own_name);
  LaunchConfig &config = asked.config;
  const char *const name = asked.name;
  if (this_block) {
    if (const auto e = validate_launch(config, function))
      fail_launch(e, "launch_in_kernel", cudaGetErrorString(e), {});
    const std::lock_guard lock(children_mutex);
    running_launch()->children.push_back({name, function, config, body, copy_of_arguments(body)});
    return;
  }
  if (validate_stream(config.stream) != cudaSuccess) {
    set_error(cudaErrorInvalidResourceHandle);
    return;
  }
  launch_in_question = &config;
  const cudaError_t refused = validate_launch(config, function);
  launch_in_question = nullptr;
  if (refused != cudaSuccess)
    return;
  // It runs where its stream belongs, whichever device is current.
  const int device = several_devices() ? queue_of(config.stream)->device : 0;
  if (!tasks_are_tracked()) {
    run_launch(name, function, config, body, device);
    return;
  }
  const auto task = std::make_shared<Task>(TaskKind::kernel, name);
  task->grid = config.grid;
  task->block = config.block;
  const std::shared_ptr<void> copy = copy_of_arguments(body);
  task->run = [=]() mutable {
    body.body = copy.get();
    run_launch(name, function, config, body, device);
  };
  set_error(submit(config.stream, task));
}

} // namespace emu
