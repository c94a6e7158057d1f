/// \file
/// The launch that runs: what is looked at of it, and what was counted.
#pragma once

#include <atomic>
#include <chrono>
#include <set>

#include "block_observer.hpp"
#include "counters.hpp"
#include "reports.hpp"

namespace emu {

class Bounds;
class Recorder;

class LaunchObserver final : public KernelWatcher {
public:
  explicit LaunchObserver(Recorder &recorder) : recorder_(recorder) {}

  bool is_observing() const override;
  std::unique_ptr<BlockWatcher> watch_blocks() override;
  void launch_begins(const char *name, const LaunchConfig &config, const KernelBody &body) override;
  void launch_ends() override;
  void grid_met() override;
  void complained(const Complaint &complaint) override;
  void block_is_late() override { late_ = true; }
  bool is_looking() const override;

  /// What is to be looked at, from the environment.
  void start();

private:
  friend class BlockObserver;

  void block_ended();
  void tell_progress();

  Recorder &recorder_;
  LaunchConfig config_;
  Stretch parameters_;
  Stretch thread_variables_; // of the host thread that runs it
  uint64_t blocks_ = 0;
  bool drawn_ = false; // whether its schedule is
  std::vector<Observer *> of_accesses_; // those that want to hear of them
  CountedKernel running_;

  std::set<uint64_t> traced_; // blocks
  uint64_t blocks_to_trace_ = 0; // set by start(), as is the next
  uint64_t step_limit_ = 0;
  std::atomic<bool> late_{false}; // the running block has taken too long
  bool only_traced_ = false; // the other blocks are not looked at either

  using Clock = std::chrono::steady_clock;
  double progress_after_ = 0; // seconds of one launch, and then twice as many; 0: never
  Clock::duration next_progress_{};
  Clock::time_point began_;
  uint64_t blocks_ended_ = 0;
};

/// The kernel that runs on this host thread; null: none does.
extern constinit thread_local const char *running_kernel;

} // namespace emu
