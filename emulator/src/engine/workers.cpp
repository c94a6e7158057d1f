#include "engine/workers.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "engine/block.hpp"
#include "engine/cluster.hpp"
#include "engine/limits.hpp"
#include "engine/shared_memory.hpp"
#include "engine/signals.hpp"
#include "engine/surroundings.hpp"
#include "engine/thread_object.hpp"
#include "engine/watchdog.hpp"

namespace emu {
namespace {

std::atomic<RunningLaunch *> running{nullptr};

/// Everything a host thread needs to run blocks; made at its first launch, kept for the next.
struct Worker {
  Block block{max_threads, false};
  SharedMemory shared;

  void enter() {
    shared.enter();
    this_block = &block;
  }
};

/// The blocks that one host thread has taken of a launch.
class Share {
public:
  explicit Share(RunningLaunch &launch) : launch_(launch) {}

  uint64_t begin = 0, end = 0;

  /// Takes more when none are left; false if there are no more.
  bool refill() {
    if (begin < end)
      return true;
    begin = launch_.next.fetch_add(launch_.chunk, std::memory_order_relaxed);
    end = std::min(begin + launch_.chunk, launch_.blocks);
    return begin < end;
  }
  /// In which block of the grid the first of these does its work.
  uint64_t number() const {
    const uint64_t of_cluster = launch_.cluster_blocks();
    const auto drawn = [](uint64_t i, uint64_t all) {
      return kernel_watcher ? drawn_order().block(i, all) : i;
    };
    if (of_cluster > 1)
      return block_in_cluster(drawn(begin / of_cluster, launch_.blocks / of_cluster),
                              drawn(begin % of_cluster, of_cluster));
    return drawn(begin, launch_.blocks);
  }
  /// Gives a block away, if there is one.
  bool give(uint64_t &block) {
    if (begin >= end)
      return false;
    block = number();
    ++begin;
    return true;
  }

private:
  RunningLaunch &launch_;
};

/// A host thread's share of the blocks that live at a time on the device, if they need no more of it than
/// threads.
uint64_t most_at_once(const RunningLaunch &launch) {
  const dim3 block = launch.config.block;
  const DeviceLimits &device = device_limits();
  const auto on_device =
      static_cast<uint64_t>(sm_count(launch.device)) *
      std::min(device.blocks_per_sm,
               device.threads_per_sm / static_cast<int>(block.x * block.y * block.z));
  const auto workers = launch.alone ? 1 : static_cast<uint64_t>(worker_count());
  return (on_device + workers - 1) / workers;
}

/// Runs the share's blocks at the same time, or those of a cluster and then of the next one: its shared memory is its
/// own until all its blocks have ended.
bool run_together(RunningLaunch &launch, Share &share) {
  const bool by_clusters = launch.cluster_blocks() > 1 && !launch.resident();
  while (share.begin < share.end && launch.error.load(std::memory_order_relaxed) == cudaSuccess) {
    const uint64_t count = by_clusters ? launch.cluster_blocks() : share.end - share.begin;
    uint64_t left = count;
    const bool sound =
        run_resident({[&](uint64_t &block) { return left > 0 && (--left, share.give(block)); },
                      count,
                      count,
                      launch.config,
                      launch.body,
                      launch.barrier,
                      launch.error});
    if (!sound)
      return false;
  }
  return true;
}

/// Runs blocks at the same time, as the worker's waits for another one: those that come next, of this share and
/// of later ones.
bool run_beside(RunningLaunch &launch, Share &share, Worker &worker) {
  const bool sound =
      run_resident({[&](uint64_t &block) { return share.refill() && share.give(block); },
                    0,
                    most_at_once(launch),
                    launch.config,
                    launch.body,
                    launch.barrier,
                    launch.error},
                   &worker.block,
                   &worker.shared);
  worker.enter();
  return sound;
}

/// Runs the share's blocks one after the other. \return false if a thread has overrun its stack
bool run_in_a_row(RunningLaunch &launch, Share &share, Worker &worker, auto after_some) {
  while (share.begin < share.end && launch.error.load(std::memory_order_relaxed) == cudaSuccess) {
    const uint64_t more = kernel_watcher ? 0 : std::min<uint64_t>(share.end - share.begin, 8) - 1;
    const Block::Outcome outcome = worker.block.run(share.number(), launch.body, more);
    share.begin += 1 + more - worker.block.left();
    if (outcome != Block::Outcome::suspended)
      block_finished();
    after_some();
    if (outcome == Block::Outcome::suspended && !run_beside(launch, share, worker))
      return false;
  }
  return true;
}

/// Runs blocks until there are no more. \param after_some  called from time to time
void work(RunningLaunch &launch, auto after_some) {
  Worker &worker = of_this_thread<Worker>();
  give_signal_stack();
  blockDim = launch.config.block;
  gridDim = launch.config.grid;
  cluster_extent = launch.config.cluster.x == 0 ? dim3() : launch.config.cluster;
  worker.enter();
  bool stacks_are_sound = true;
  for (Share share(launch); stacks_are_sound &&
                            launch.error.load(std::memory_order_relaxed) == cudaSuccess &&
                            share.refill();)
    stacks_are_sound = launch.resident() || launch.interleaved() || launch.cluster_blocks() > 1
                           ? run_together(launch, share)
                           : run_in_a_row(launch, share, worker, after_some);
  if (!stacks_are_sound || worker.block.overrun_stack() >= 0) {
    std::fprintf(stderr,
                 "emulator: a thread of kernel %s used more local memory than its stack holds: "
                 "set EMU_STACK_KB to more than %zu\n",
                 launch.name,
                 worker.block.local_memory() >> 10);
    std::abort();
  }
  this_block = nullptr;
}

/// Host threads that wait for launches.
class Pool {
public:
  explicit Pool(int helpers) : helpers_(helpers) {
    for (int i = 0; i < helpers; ++i)
      std::thread([this] { serve(); }).detach();
  }

  /// Lets all of them work on it, too.
  void begin(RunningLaunch &launch) {
    {
      const std::lock_guard lock(mutex_);
      launch_ = &launch;
      busy_ = helpers_;
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
      start_.wait(lock, [&] { return generation_ != seen; });
      seen = generation_;
      RunningLaunch &launch = *launch_;
      lock.unlock();
      work(launch, [] {});
      lock.lock();
      if (--busy_ == 0)
        done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable start_, done_;
  RunningLaunch *launch_ = nullptr;
  int busy_ = 0;
  unsigned generation_ = 0;
  const int helpers_;
};

/// Never destroyed: destructors of static objects launch, too.
Pool &pool() {
  static Pool &made = *new Pool(worker_count() - 1);
  return made;
}

/// On all host threads. To wake them takes as long as many a kernel runs: so they come only when the
/// launch has taken some time, or at once where blocks wait for each other.
void work_together(RunningLaunch &launch) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds soon{20};
  bool together = launch.config.cooperative || launch.cluster_blocks() > 1;
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

} // namespace

RunningLaunch *running_launch() { return running; }
void set_running(RunningLaunch *launch) {
  running = launch;
  running_failures = launch;
}

int worker_count() {
  static const int count = number_from_environment(
      "EMU_THREADS", 1, 1024, std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  return count;
}

void run_blocks(RunningLaunch &launch) {
  if (launch.alone)
    work(launch, [] {});
  else
    work_together(launch);
}

bool in_cooperative_launch() {
  const RunningLaunch *launch = running;
  return in_kernel() && launch->config.cooperative;
}

bool has_clusters() {
  const RunningLaunch *launch = running;
  return in_kernel() && launch->config.cluster.x != 0;
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
    GridBarrier &grid = running.load()->barrier;
    const uint64_t round = grid.arrive();
    if (kernel_watcher && grid.passed(round))
      kernel_watcher->grid_met();
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

} // namespace emu
