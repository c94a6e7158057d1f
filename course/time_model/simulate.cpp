#include "simulate.hpp"

#include "issue_units.hpp"
#include "load_store.hpp"
#include "sm_warp.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace model {
namespace {

/// A place for a block on the SM, and the block that is there.
struct Slot {
  std::vector<int> warps;
  const BlockTrace *block = nullptr;
  BlockCache cache;
  double began = 0;
  double last = 0; // when it would end, with all iterations
  int alive = 0; // warps
  std::vector<int> waiting; // at its barrier
  double barrier_time = 0; // when the last of them came there
};

/// One SM with its share of the grid's blocks: of all warps on it, the one that can go
/// on first does.
class Sm {
public:
  Sm(const LaunchTrace &launch, const Device &device, const Traffic &traffic)
      : launch_(launch), d_(device), timed_(timed_blocks(launch)), code_(launch.function.code),
        at_once_(static_cast<uint64_t>(std::max(1, blocks_per_sm(launch, device)))),
        per_sm_(static_cast<double>(launch.grid.count()) / device.sms), units_(device, result_),
        load_store_(launch, device, traffic, result_) {
    to_start_ = blocks_to_simulate();
  }

  Simulated run() {
    slots_.resize(std::min(at_once_, to_start_));
    for (int s = 0; s < static_cast<int>(slots_.size()); ++s)
      start(s, 0);
    while (!queue_.empty()) {
      const int w = queue_.top().second;
      queue_.pop();
      advance(w);
    }
    finish();
    return result_;
  }

private:
  SmWarp &warp(int index) { return warps_[static_cast<size_t>(index)]; }
  Slot &slot_of(const SmWarp &w) { return slots_[static_cast<size_t>(w.slot())]; }

  /// Of the blocks that an SM gets, so many show how often one follows the other; fewer
  /// where each is long.
  uint64_t blocks_to_simulate() const {
    constexpr uint64_t most_steps = 2'500'000;
    const auto all = static_cast<uint64_t>(std::ceil(per_sm_));
    if (all <= at_once_)
      return all;
    uint64_t steps = 0;
    for (const auto &b : launch_.blocks)
      for (const auto &w : b.warps)
        steps += w.size();
    steps = std::max<uint64_t>(1, steps / launch_.blocks.size());
    uint64_t simulated = std::min(all, std::max<uint64_t>(5 * at_once_, 12));
    while (simulated > 2 * at_once_ && simulated * steps > most_steps)
      simulated -= at_once_;
    return simulated;
  }

  // ----------------------------------------------------------------------------------- blocks

  void start(int s, double time) {
    Slot &slot = slots_[static_cast<size_t>(s)];
    // The grid's first block, which is no block like others, comes last.
    slot.block = timed_[++started_ % timed_.size()];
    const auto &its_warps = slot.block->warps;
    slot.cache = {};
    slot.began = time;
    slot.last = 0;
    slot.alive = static_cast<int>(its_warps.size());
    launch_free_ =
        std::max(launch_free_, time) + std::max(d_.block_launch, d_.warp_launch * slot.alive);
    const double begin = launch_free_ + d_.block_start;
    while (slot.warps.size() < its_warps.size()) {
      slot.warps.push_back(static_cast<int>(warps_.size()));
      warps_.emplace_back();
    }
    for (size_t i = 0; i < its_warps.size(); ++i) {
      warp(slot.warps[i]) = SmWarp(s, its_warps[i], launch_.function.register_names, begin);
      queue_.push({begin, slot.warps[i]});
    }
  }

  void arrive_at_barrier(Slot &slot, int index, double at) {
    barrier_free_ = std::max(barrier_free_, at) + 32 / d_.barrier_threads_per_cycle;
    slot.barrier_time = std::max(slot.barrier_time, barrier_free_);
    slot.waiting.push_back(index);
    open_if_all_are_there(slot);
  }

  void open_if_all_are_there(Slot &slot) {
    if (slot.waiting.empty() || static_cast<int>(slot.waiting.size()) < slot.alive)
      return;
    const double time = slot.barrier_time + d_.latency_barrier;
    for (const int index : slot.waiting) {
      SmWarp &w = warp(index);
      result_.waits.barrier += (time - w.time) * w.weight();
      w.time = time;
      w.alone = false;
      queue_.push({time, index});
    }
    slot.waiting.clear();
    slot.barrier_time = 0;
  }

  void end(SmWarp &w) {
    Slot &slot = slot_of(w);
    w.account(w.time, 1);
    slot.last = std::max(slot.last, w.time + w.extra());
    ++ended_warps_;
    if (--slot.alive > 0) {
      open_if_all_are_there(slot);
      return;
    }
    ends_.push_back(w.time);
    life_ += w.time - slot.began;
    extra_ += slot.last - w.time;
    if (started_ < to_start_)
      start(w.slot(), w.time);
  }

  // ------------------------------------------------------------------------------------ warps

  /// Whether another warp can go on before `time`; then this one has to wait for its turn.
  bool comes_later(int index, double time) {
    if (queue_.empty() || time <= queue_.top().first)
      return false;
    queue_.push({time, index});
    return true;
  }

  /// Runs a warp until it waits longer than others do.
  void advance(int index) {
    SmWarp &w = warp(index);
    while (!w.is_over()) {
      const Step &step = w.step();
      const Lowered &l = code_[step.pc];
      SmWarp::Ready ready = w.ready(l);
      if (l.unit == Unit::none && l.action == Action::compute) {
        w.write(l, ready); // it costs nothing, and hands on what it waits for
        w.go_on();
        continue;
      }
      if (l.action == Action::wait_copies)
        ready = {std::max(ready.time, w.copies_arrive(l.amount)), Source::memory};
      if (ready.time > w.time) {
        waits(ready.source) += (ready.time - w.time) * step.weight;
        w.alone = w.alone || ready.source == Source::memory;
        w.time = ready.time;
        if (comes_later(index, ready.time))
          return;
      }
      w.account(w.time, step.weight);
      const double at = units_.issue(index, l, step.weight, w.time);
      w.time = at + std::max(1.0f, l.slots);
      w.go_on();
      if (!act(w, index, step, l, at) || comes_later(index, w.time))
        return;
    }
    end(w);
  }

  double &waits(Source source) {
    return source == Source::memory   ? result_.waits.long_latency
           : source == Source::nearby ? result_.waits.short_latency
                                      : result_.waits.arithmetic;
  }

  /// What the instruction does that began at `at`. \return whether the warp can go on without
  /// the others
  bool act(SmWarp &w, int index, const Step &step, const Lowered &l, double at) {
    Slot &slot = slot_of(w);
    switch (l.action) {
    case Action::compute: {
      const bool special = l.special > 0;
      double latency = l.unit == Unit::fp64 ? d_.latency_fp64 : d_.latency_alu;
      // What stands for several instructions is a chain of them.
      if (special || l.unit == Unit::special)
        latency += d_.latency_special * std::max(1.0f, l.special);
      const double chain = std::max(0.0f, l.slots - 1) * (l.slots > 2 ? 2.5 : 1);
      w.write(l, {at + chain + latency, special ? Source::nearby : Source::arithmetic});
      break;
    }
    case Action::shuffle:
      load_store_.shuffle(w, step, l, at);
      break;
    case Action::constant:
      w.write(l, {at + d_.latency_constant, Source::nearby});
      break;
    case Action::barrier:
      arrive_at_barrier(slot, index, at);
      return false;
    case Action::commit:
      w.commit_copies();
      break;
    case Action::fence:
      w.time = at + d_.latency_l2;
      break;
    case Action::wait_copies:
    case Action::sync_warp:
      break;
    default:
      load_store_.access(w, slot.cache, *slot.block, step, l, at);
    }
    return true;
  }

  // --------------------------------------------------------------------------- the whole grid

  void finish() {
    const auto blocks = static_cast<double>(launch_.grid.count());
    const auto simulated = static_cast<double>(to_start_);
    double cycles = load_store_.done(*std::max_element(ends_.begin(), ends_.end()));
    if (per_sm_ > simulated) { // the others follow as the last ones of these did
      std::sort(ends_.begin(), ends_.end());
      const size_t before = std::min(ends_.size() / 2, 2 * at_once_) - 1;
      const double slope =
          (ends_.back() - ends_[before]) / static_cast<double>(ends_.size() - 1 - before);
      cycles += slope * (per_sm_ - simulated);
    }
    result_.cycles = cycles * (life_ > 0 ? 1 + extra_ / life_ : 1);
    const double scale = std::max(per_sm_, std::min(1.0, blocks)) / simulated;
    for (const auto &unit : unit_terms)
      result_.*unit.cycles *= scale;
    result_.dram_bytes *= blocks / simulated;
    result_.instructions_per_warp = units_.instructions() / ended_warps_;
    // No unit can do more than it does when it never waits.
    for (const auto &unit : unit_terms)
      result_.cycles = std::max(result_.cycles, result_.*unit.cycles);
  }

  const LaunchTrace &launch_;
  const Device &d_;
  const std::vector<const BlockTrace *> timed_; // blocks that stand for all
  const std::vector<Lowered> &code_;
  const uint64_t at_once_; // blocks
  const double per_sm_; // blocks, of the whole grid

  std::vector<Slot> slots_;
  std::vector<SmWarp> warps_;
  using Turn = std::pair<double, int>; // when a warp can go on
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> queue_;
  uint64_t started_ = 0, to_start_ = 0; // blocks
  double launch_free_ = 0; // when the next block can be launched
  double barrier_free_ = 0; // when the next warp can arrive at one
  std::vector<double> ends_; // of blocks
  double life_ = 0, extra_ = 0; // cycles of blocks: written down, and not
  double ended_warps_ = 0;
  Simulated result_;
  IssueUnits units_;
  LoadStore load_store_;
};

} // namespace

Simulated simulate(const LaunchTrace &launch, const Device &device, const Traffic &traffic) {
  return Sm(launch, device, traffic).run();
}

} // namespace model
