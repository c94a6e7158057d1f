#include "grid.hpp"

#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "block.hpp"
#include "device_variables.hpp"
#include "devices.hpp"
#include "emu/runtime_functions.hpp"
#include "emu/runtime_streams.hpp"
#include "launch_model.hpp"
#include "schedule.hpp"
#include "shared_memory.hpp"
#include "signals.hpp"
#include "streams.hpp"
#include "watchdog.hpp"
#include "watcher.hpp"
#include "workers.hpp"

namespace emu {

Watcher *watcher = nullptr;

namespace {

constexpr uint64_t interleaved_blocks = 8; // live at a time: each has stacks for all its threads

std::mutex launch_mutex; // one grid runs at a time, of all devices'
std::mutex report_mutex;
std::atomic<Launch *> running_launch{nullptr};

void run_on_device(Launch &launch) {
  const std::lock_guard lock(launch_mutex);
  const FaultHandlers handlers;
  ++current_launch;
  if (watcher)
    follow_environment();
  running_launch = &launch;
  running_device = launch.device;
  const WatchedLaunch watched(launch.name);
  load_variables(launch.device);
  launch.alone = launch.blocks == 1 || worker_count() == 1 || watcher;
  // Blocks that wait for each other must all be dealt out at once.
  const auto workers = static_cast<uint64_t>(worker_count());
  if (launch.config.cooperative)
    launch.chunk = launch.alone ? launch.blocks : (launch.blocks + workers - 1) / workers;
  else if (launch.interleaved())
    launch.chunk = interleaved_blocks;
  if (watcher)
    watcher->launch_begins(launch.name, launch.config, launch.body);
  run_blocks(launch);
  if (watcher && launch.resident()) {
    watcher->complained({"unobserved",
                         "a cooperative launch of several blocks is run without being observed: "
                         "nothing of it was counted, and no hazard was looked for",
                         {},
                         {}});
    tell_all_memory_written();
  }
  if (watcher)
    watcher->launch_ends();
  launch.static_shared = static_shared_used();
  running_launch = nullptr;
}

void run_launch(const char *name,
                const void *function,
                const LaunchConfig &config,
                const KernelBody &body,
                int device) {
  if (LaunchModel *model = launch_model(); model && !model->launched(name, function, config, body))
    return;
  const uint64_t blocks = uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  // Large contiguous ranges: neighbouring blocks write neighbouring memory, and two cores that
  // write the same cache lines slow each other down several times over.
  const uint64_t chunk = std::max<uint64_t>(1, blocks / (uint64_t(worker_count()) * 8));
  Launch launch(name, config, body, blocks, chunk);
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

} // namespace

thread_local const LaunchConfig *launch_in_question = nullptr;

void run_grid(const char *name, const void *function, const LaunchConfig &config, KernelBody body) {
  if (this_block) {
    if (const auto e = validate_launch(config.grid, config.block, config.dynamic_shared, function))
      fail_launch(e, "launch_in_kernel", cudaGetErrorString(e), {});
    const std::lock_guard lock(report_mutex);
    running_launch.load()->children.push_back(
        {name, function, config, body, {body.copy(body.body), body.destroy}});
    return;
  }
  if (validate_stream(config.stream) != cudaSuccess) {
    set_error(cudaErrorInvalidResourceHandle);
    return;
  }
  launch_in_question = &config;
  const cudaError_t refused =
      validate_launch(config.grid, config.block, config.dynamic_shared, function);
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
  const std::shared_ptr<void> copy(body.copy(body.body), body.destroy);
  task->run = [=]() mutable {
    body.body = copy.get();
    run_launch(name, function, config, body, device);
  };
  set_error(submit(config.stream, task));
}

bool in_cooperative_launch() {
  const Launch *launch = running_launch;
  return in_kernel() && launch->config.cooperative;
}

void grid_barrier(Site site) {
  if (in_kernel() && !in_cooperative_launch())
    fail_launch(cudaErrorLaunchFailure,
                "grid_sync",
                "grid.sync() waits for blocks that need not be running; try: start the kernel with "
                "cudaLaunchCooperativeKernel()",
                site);
  barrier(site);
  if (this_block->is_first()) {
    GridBarrier &grid = running_launch.load()->barrier;
    const uint64_t round = grid.arrive();
    while (!grid.passed(round)) {
      if (grid.stuck())
        fail_launch(cudaErrorLaunchFailure,
                    "deadlock",
                    "this block waits at grid.sync() for blocks that have ended",
                    site);
      yield();
    }
  }
  barrier(site);
}

void record_failure(cudaError_t error) {
  if (Launch *launch = running_launch) {
    int none = cudaSuccess;
    launch->error.compare_exchange_strong(none, error);
  }
}

void complain(const char *kind, const char *text, Site site, uint3 other_thread, Site other) {
  if (watcher) {
    watcher->complained(
        {kind, text, {site, 0, blockIdx, threadIdx}, {other, 0, blockIdx, other_thread}});
    return;
  }
  Launch *launch = running_launch;
  const std::lock_guard lock(report_mutex);
  const std::string key = std::string(kind) + site.file + ':' + std::to_string(site.line);
  if (launch && !launch->reported.insert(key).second)
    return;
  std::fflush(stdout);
  const auto print_side = [](uint3 thread, Site where) {
    std::fprintf(stderr, "thread (%u,%u,%u)", thread.x, thread.y, thread.z);
    if (where.line > 0)
      std::fprintf(stderr, " at %s:%d", where.file, where.line);
  };
  std::fprintf(stderr,
               "emulator: %s: %s: kernel %s, block (%u,%u,%u), ",
               kind,
               text,
               launch ? launch->name : "?",
               blockIdx.x,
               blockIdx.y,
               blockIdx.z);
  print_side(threadIdx, site);
  if (other.line > 0) {
    std::fprintf(stderr, " and ");
    print_side(other_thread, other);
  }
  std::fprintf(stderr, "\n");
}

void fail_launch(int error, const char *kind, const char *text, Site site) {
  complain(kind, text, site);
  record_failure(static_cast<cudaError_t>(error));
  this_block->abandon();
}

} // namespace emu
