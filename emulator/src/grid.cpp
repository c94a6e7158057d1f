#include "grid.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "block.hpp"
#include "device_variables.hpp"
#include "devices.hpp"
#include "emu/runtime_functions.hpp"
#include "emu/runtime_streams.hpp"
#include "launch_model.hpp"
#include "resident.hpp"
#include "schedule.hpp"
#include "shared_memory.hpp"
#include "signals.hpp"
#include "streams.hpp"
#include "watchdog.hpp"
#include "watcher.hpp"

namespace emu {

Watcher *watcher = nullptr;

namespace {

/// A launch from inside a kernel: begins when that has ended, as no GPU promises to begin it before.
struct Child {
  const char *name;
  const void *function;
  LaunchConfig config;
  KernelBody body;
  std::shared_ptr<void> arguments;
};

/// One kernel launch, seen by all host threads that work on it.
struct Launch {
  Launch(const char *kernel_name,
         const LaunchConfig &launch_config,
         KernelBody kernel_body,
         uint64_t block_count,
         uint64_t blocks_at_a_time)
      : name(kernel_name), config(launch_config), body(kernel_body), blocks(block_count),
        chunk(blocks_at_a_time), barrier(block_count) {}

  const char *name;
  LaunchConfig config;
  KernelBody body;
  uint64_t blocks;
  uint64_t chunk; // blocks that a host thread takes at a time
  int device = 0;
  std::atomic<uint64_t> next{0};
  std::atomic<int> error{cudaSuccess};
  /// Whether blocks take turns, because they may wait for each other. A grid of one block needs none
  /// of that.
  bool resident() const { return config.cooperative && blocks > 1; }
  /// Whether blocks take turns, some at a time, so that what one does comes between what another
  /// does: in a drawn order, when nobody looks on.
  bool interleaved() const {
    return watcher && !watcher->is_observing() && schedule().drawn() && blocks > 1 && !resident();
  }
  GridBarrier barrier; // of a cooperative launch
  size_t static_shared = 0; // bytes that its variables turned out to take
  std::set<std::string> reported; // messages given once, under report_mutex
  std::vector<Child> children; // that its threads launched, under report_mutex
};

constexpr uint64_t interleaved_blocks = 8; // live at a time: each has stacks for all its threads

std::mutex launch_mutex; // one grid runs at a time, of all devices'
std::mutex report_mutex;
std::atomic<Launch *> running_launch{nullptr};

/// Everything a host thread needs to run blocks; made at its first launch, kept for the next.
struct Worker {
  Block block{max_threads, false};
  SharedMemory shared;
};
thread_local std::unique_ptr<Worker> my_worker;

template <class After>
void run_blocks(Launch &launch, uint64_t begin, uint64_t end, Worker &worker, After after_some) {
  while (begin < end && launch.error.load(std::memory_order_relaxed) == cudaSuccess) {
    const uint64_t more = watcher ? 0 : std::min<uint64_t>(end - begin, 8) - 1;
    worker.block.run(watcher ? schedule().block(begin, launch.blocks) : begin, launch.body, more);
    block_finished();
    begin += 1 + more - worker.block.left();
    after_some();
  }
}

bool run_resident_blocks(Launch &launch, uint64_t begin, uint64_t end) {
  return run_resident(
      {begin, end, launch.blocks, launch.config, launch.body, launch.barrier, launch.error});
}

/// Runs blocks until there are no more. \param after_some  called from time to time
template <class After> void work(Launch &launch, After after_some) {
  if (!my_worker) {
    my_worker = std::make_unique<Worker>();
    give_signal_stack();
  }
  Worker &worker = *my_worker;
  blockDim = launch.config.block;
  gridDim = launch.config.grid;
  worker.shared.enter();
  this_block = &worker.block;
  bool stacks_are_sound = true;
  for (;;) {
    const uint64_t begin = launch.next.fetch_add(launch.chunk, std::memory_order_relaxed);
    if (begin >= launch.blocks)
      break;
    const uint64_t end = std::min(begin + launch.chunk, launch.blocks);
    if (launch.resident() || launch.interleaved())
      stacks_are_sound = stacks_are_sound && run_resident_blocks(launch, begin, end);
    else
      run_blocks(launch, begin, end, worker, after_some);
  }
  if (!stacks_are_sound || worker.block.overrun_stack() >= 0) {
    std::fprintf(stderr,
                 "emulator: a thread of kernel %s used more local memory than its stack holds: "
                 "set EMU_STACK_KB to more than %d\n",
                 launch.name,
                 stack_kb());
    std::abort();
  }
  this_block = nullptr;
}

/// Host threads that wait for launches.
class Pool {
public:
  explicit Pool(int helpers) {
    for (int i = 0; i < helpers; ++i)
      threads_.emplace_back([this] { serve(); });
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    start_.notify_all();
    for (std::thread &thread : threads_)
      thread.join();
  }

  /// Lets all of them work on it, too.
  void begin(Launch &launch) {
    {
      const std::lock_guard lock(mutex_);
      launch_ = &launch;
      busy_ = static_cast<int>(threads_.size());
      ++generation_;
    }
    start_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

private:
  void serve() {
    unsigned seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      start_.wait(lock, [&] { return generation_ != seen || quit_; });
      if (quit_)
        return;
      seen = generation_;
      Launch &launch = *launch_;
      lock.unlock();
      work(launch, [] {});
      lock.lock();
      if (--busy_ == 0)
        done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable start_, done_;
  Launch *launch_ = nullptr;
  int busy_ = 0;
  unsigned generation_ = 0;
  bool quit_ = false;
  std::vector<std::thread> threads_;
};

Pool &pool() {
  static Pool instance(worker_count() - 1);
  return instance;
}

/// On all host threads. To wake them takes as long as many a kernel runs: so they come only when the
/// launch has taken some time, or at once where blocks wait for each other.
void work_together(Launch &launch) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds soon{20};
  bool together = launch.config.cooperative;
  if (together)
    pool().begin(launch);
  const Clock::time_point begin = Clock::now();
  work(launch, [&] {
    if (together || Clock::now() - begin < soon)
      return;
    together = true;
    pool().begin(launch);
  });
  if (together)
    pool().wait();
}

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
  const bool alone = launch.blocks == 1 || worker_count() == 1 || watcher;
  // Blocks that wait for each other must all be dealt out at once.
  const auto workers = static_cast<uint64_t>(worker_count());
  if (launch.config.cooperative)
    launch.chunk = alone ? launch.blocks : (launch.blocks + workers - 1) / workers;
  else if (launch.interleaved())
    launch.chunk = interleaved_blocks;
  if (watcher)
    watcher->launch_begins(launch.name, launch.config, launch.body);
  if (alone)
    work(launch, [] {});
  else
    work_together(launch);
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
