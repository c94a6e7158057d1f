#include "engine/watchdog.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include "engine/surroundings.hpp"
#include "engine/watcher.hpp"

namespace emu {
namespace {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

/// Blocks that one host thread has finished; a cache line that no other thread writes.
struct Counter {
  Counter();
  ~Counter();
  alignas(64) std::atomic<uint64_t> blocks{0};
};

/// The counters of all host threads.
class Counters {
public:
  void add(const Counter *counter) {
    const std::lock_guard lock(mutex_);
    all_.insert(counter);
  }
  void remove(const Counter *counter) {
    const std::lock_guard lock(mutex_);
    of_ended_threads_ += counter->blocks;
    all_.erase(counter);
  }
  uint64_t sum() {
    const std::lock_guard lock(mutex_);
    uint64_t sum = of_ended_threads_;
    for (const Counter *counter : all_)
      sum += counter->blocks.load(std::memory_order_relaxed);
    return sum;
  }

private:
  std::mutex mutex_;
  std::set<const Counter *> all_;
  uint64_t of_ended_threads_ = 0;
};

/// Never destroyed: host threads end whenever they like.
Counters &counters() {
  static Counters &made = *new Counters;
  return made;
}

Counter::Counter() { counters().add(this); }
Counter::~Counter() { counters().remove(this); }

class Watchdog {
public:
  Watchdog() {
    if (limit_.count() > 0)
      std::thread([this] { watch(); }).detach();
  }

  /// Null when a launch has ended.
  void launch(const char *kernel) {
    const std::lock_guard lock(mutex_);
    kernel_ = kernel;
    ++launches_;
  }

private:
  void watch() {
    uint64_t launch = 0, blocks = 0;
    Clock::time_point moved = Clock::now();
    Seconds patience = limit_;
    for (;;) {
      std::this_thread::sleep_for(std::min(Seconds(1), limit_ / 4));
      const std::lock_guard lock(mutex_);
      const uint64_t now = counters().sum();
      if (kernel_ == nullptr || launch != launches_ || blocks != now) {
        launch = launches_;
        blocks = now;
        moved = Clock::now();
        patience = limit_;
      } else if (const Seconds quiet = Clock::now() - moved; quiet >= patience) {
        if (kernel_watcher && patience == limit_) { // they can name the line
          kernel_watcher->block_is_late();
          patience = limit_ * 1.5;
          continue;
        }
        flush_output();
        std::fprintf(stderr,
                     "emulator: kernel %s: no block has finished for %.3g s: an endless loop, or a "
                     "wait for another thread that never comes. Stopping (EMU_TIMEOUT=0 waits for "
                     "ever)%s\n",
                     kernel_,
                     quiet.count(),
                     kernel_watcher ? "" : "; try: ./tutor observe names the line");
        std::_Exit(124);
      }
    }
  }

  Seconds limit_{seconds_from_environment("EMU_TIMEOUT", 60)};
  std::mutex mutex_;
  const char *kernel_ = nullptr;
  uint64_t launches_ = 0;
};

/// Never destroyed: destructors of static objects launch, too.
Watchdog &watchdog() {
  static Watchdog &made = *new Watchdog;
  return made;
}

} // namespace

void block_finished() {
  thread_local Counter counter;
  counter.blocks.store(counter.blocks.load(std::memory_order_relaxed) + 1,
                       std::memory_order_relaxed);
}

WatchedLaunch::WatchedLaunch(const char *kernel) { watchdog().launch(kernel); }
WatchedLaunch::~WatchedLaunch() { watchdog().launch(nullptr); }

} // namespace emu
