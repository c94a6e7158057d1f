/// \file
/// The launch that runs: what is looked at of it, and what was counted.
#pragma once

#include <chrono>

#include "../src/engine/drawn_order.hpp"
#include "block_observer.hpp"
#include "reports.hpp"

namespace emu {

class Recorder;

class LaunchObserver final : public KernelWatcher, private LaunchState {
public:
  explicit LaunchObserver(Recorder &recorder) : recorder_(recorder) {}

  bool is_observing() const override;
  std::unique_ptr<BlockWatcher> watch_blocks() override;
  void launch_begins(const char *name, const LaunchConfig &config, const KernelBody &body) override;
  void launch_ends() override;
  void grid_met() override;
  void complained(const Complaint &complaint) override;
  void block_is_late() override { late = true; }
  bool is_looking() const override;

  /// What is to be looked at, from the environment.
  void start();

private:
  void block_ended() override;
  void tell_progress();

  Recorder &recorder_;
  CountedKernel running_;
  uint64_t blocks_to_trace_ = 0; // set by start()
  DrawnOrder draw_{0}; // of the blocks between the first and the last one

  using Clock = std::chrono::steady_clock;
  double progress_after_ = 0; // seconds, and then twice as many; 0: never
  Clock::duration next_progress_{};
  Clock::time_point began_, launch_began_; // the first launch, and this one
  uint64_t blocks_ended_ = 0, all_blocks_ended_ = 0; // of this launch, and of all
};

} // namespace emu
