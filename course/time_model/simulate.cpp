#include "sm_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

namespace model {
namespace {

constexpr double queue_before_stall =
    300; // cycles that memory instructions may wait ahead of their unit

class Sm {
public:
  Sm(const LaunchTrace &launch, const Device &device, const Traffic &traffic)
      : launch_(launch), d_(device), timed_(timed_blocks(launch)), code_(launch.function.code),
        memory_(launch, device, traffic, result_) {
    blocks_ = launch.grid.count();
    at_once_ = std::max(1, blocks_per_sm(launch, d_));
  }

  Simulated run() {
    const double per_sm = static_cast<double>(blocks_) / d_.sms;
    const auto whole = static_cast<uint64_t>(std::ceil(per_sm));
    uint64_t simulated =
        std::min<uint64_t>(whole, std::max<uint64_t>(5 * static_cast<uint64_t>(at_once_), 12));
    if (whole <= static_cast<uint64_t>(at_once_))
      simulated = whole;
    limit_steps(simulated);
    const int slots =
        static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(at_once_), simulated));
    to_start_ = simulated;
    slots_.resize(static_cast<size_t>(slots));
    for (int s = 0; s < slots; ++s)
      start(s, 0);
    while (!queue_.empty()) {
      const int w = queue_.top().second;
      queue_.pop();
      advance(w);
    }
    return finish(per_sm, whole, simulated);
  }

private:
  // Few blocks are enough where each is long.
  void limit_steps(uint64_t &simulated) const {
    uint64_t steps = 0;
    for (const auto &b : launch_.blocks)
      for (const auto &w : b.warps)
        steps += w.size();
    steps = std::max<uint64_t>(1, steps / launch_.blocks.size());
    constexpr uint64_t most = 2'500'000;
    const auto once = static_cast<uint64_t>(at_once_);
    while (simulated > 2 * once && simulated * steps > most)
      simulated -= once;
  }

  void start(int s, double time) {
    SmSlot &slot = slots_[static_cast<size_t>(s)];
    // The grid's first block, which is no block like others, comes last.
    slot.block = timed_[++started_ % timed_.size()];
    slot.alive = static_cast<int>(slot.block->warps.size());
    slot.arrived = 0;
    slot.barrier_time = 0;
    slot.cache = {};
    slot.waiting.clear();
    launch_free_ =
        std::max(launch_free_, time) + std::max(d_.block_launch, d_.warp_launch * slot.alive);
    const double begin = launch_free_ + d_.block_start;
    slot.began = time;
    slot.last = 0;
    while (slot.warps.size() < slot.block->warps.size()) {
      slot.warps.push_back(static_cast<int>(warps_.size()));
      warps_.push_back({});
    }
    for (size_t i = 0; i < slot.block->warps.size(); ++i) {
      SmWarp &w = warps_[static_cast<size_t>(slot.warps[i])];
      w = {};
      w.slot = s;
      w.steps = &slot.block->warps[i];
      w.time = w.last_time = begin;
      w.ready.assign(static_cast<size_t>(launch_.function.register_names), 0);
      w.from_memory.assign(w.ready.size(), 0);
      queue_.push({begin, slot.warps[i]});
    }
  }

  void release(SmSlot &slot) {
    const double time = slot.barrier_time + d_.latency_barrier;
    for (int w : slot.waiting) {
      SmWarp &warp = warps_[static_cast<size_t>(w)];
      result_.waits.barrier += (time - warp.time) * warp.last_weight;
      warp.time = time;
      queue_.push({time, w});
    }
    slot.waiting.clear();
    slot.arrived = 0;
    slot.barrier_time = 0;
  }

  void ends(SmWarp &w) {
    SmSlot &slot = slots_[static_cast<size_t>(w.slot)];
    const double time = w.time;
    account(w, time, 1);
    slot.last = std::max(slot.last, time + w.extra);
    ++lives_;
    if (--slot.alive > 0 && slot.arrived == slot.alive && slot.arrived > 0)
      release(slot);
    if (slot.alive > 0)
      return;
    ends_.push_back(time);
    life_ += time - slot.began;
    extra_ += slot.last - time;
    if (started_ < to_start_)
      start(w.slot, time);
  }

  // Runs a warp until it waits longer than others do.
  void advance(int index) {
    SmWarp &w = warps_[static_cast<size_t>(index)];
    for (;;) {
      if (w.next == w.steps->size()) {
        ends(w);
        return;
      }
      const Step &step = (*w.steps)[w.next];
      const Lowered &l = code_[step.pc];
      double ready = w.time;
      int why = 0;
      for (int reg : l.reads)
        if (w.ready[static_cast<size_t>(reg)] > ready) {
          ready = w.ready[static_cast<size_t>(reg)];
          why = w.from_memory[static_cast<size_t>(reg)];
        }
      if (l.unit == Unit::none && l.action == Action::compute) {
        for (int reg : l.writes) { // it costs nothing, and hands on what it waits for
          w.ready[static_cast<size_t>(reg)] = ready;
          w.from_memory[static_cast<size_t>(reg)] = static_cast<uint8_t>(why);
        }
        ++w.next;
        continue;
      }
      if (l.action == Action::wait_copies)
        ready = std::max(ready, copies_arrive(w, l.amount));
      if (ready > w.time) {
        const double waited = (ready - w.time) * step.weight;
        (why == 1 || l.action == Action::wait_copies ? result_.waits.long_latency
         : why == 2                                  ? result_.waits.short_latency
                                                     : result_.waits.arithmetic) += waited;
        w.time = ready;
        if (!queue_.empty() && ready > queue_.top().first) {
          queue_.push({ready, index});
          return;
        }
      }
      account(w, w.time, step.weight);
      if (!issue(w, index, step, l))
        return;
      if (!queue_.empty() && w.time > queue_.top().first) {
        queue_.push({w.time, index});
        return;
      }
    }
  }

  /// False where the warp waits for others.
  bool issue(SmWarp &w, int index, const Step &step, const Lowered &l) {
    const auto part = static_cast<size_t>(index & 3);
    const double weight = step.weight;
    const double turn = std::max(w.time, issue_free_[part]);
    double at = turn;
    if (l.slots > 0) {
      const double interval = cycles_of_turn(d_, l.unit);
      double &unit = unit_free_[static_cast<size_t>(l.unit)][part];
      at = std::max(at, unit);
      result_.waits.unit += (at - w.time) * weight;
      issue_free_[part] = turn + l.slots + d_.issue_blocked * (at - turn);
      unit = at + l.turns * interval;
      result_.issue += l.slots * weight / 4;
      result_.waits.issue += l.slots * weight;
      work(l.unit) += l.turns * interval * weight / 4;
      instructions_ += l.slots * weight;
    }
    if (l.special > 0) {
      double &unit = unit_free_[static_cast<size_t>(Unit::special)][part];
      at = std::max(at, unit);
      const double interval = 32 / (d_.special_per_cycle / 4);
      unit = at + l.special * interval;
      issue_free_[part] = std::max(issue_free_[part], at + l.special);
      result_.special += l.special * interval * weight / 4;
      result_.issue += l.special * weight / 4;
      instructions_ += l.special * weight;
    }
    w.time = at + std::max(1.0f, l.slots);
    ++w.next;
    return act(w, index, step, l, at);
  }

  double &work(Unit unit) {
    switch (unit) {
    case Unit::alu:
      return result_.alu;
    case Unit::fma:
    case Unit::imad:
      return result_.fma;
    case Unit::fp64:
      return result_.fp64;
    default:
      return nothing_;
    }
  }

  void write(SmWarp &w, const Lowered &l, double ready, int why) {
    for (int reg : l.writes) {
      w.ready[static_cast<size_t>(reg)] = ready;
      w.from_memory[static_cast<size_t>(reg)] = static_cast<uint8_t>(why);
    }
  }

  bool act(SmWarp &w, int index, const Step &step, const Lowered &l, double at) {
    SmSlot &slot = slots_[static_cast<size_t>(w.slot)];
    switch (l.action) {
    case Action::compute: {
      double latency = l.unit == Unit::fp64 ? d_.latency_fp64 : d_.latency_alu;
      if (l.special > 0 || l.unit == Unit::special)
        latency += d_.latency_special;
      // What stands for several instructions is a chain of them.
      write(w,
            l,
            at + std::max(0.0f, l.slots - 1) * (l.slots > 2 ? 2.5 : 1) + latency,
            l.special > 0 ? 2 : 0);
      return true;
    }
    case Action::shuffle: {
      const double begin = std::max(at, l1_free_);
      l1_free_ = begin + l.slots;
      result_.l1 += l.slots * step.weight;
      write(w, l, begin + d_.latency_shuffle, 2);
      return true;
    }
    case Action::constant:
      write(w, l, at + d_.latency_constant, 2);
      return true;
    case Action::barrier:
      slot.barrier_time = std::max(slot.barrier_time, at);
      slot.waiting.push_back(index);
      ++slot.arrived;
      if (slot.arrived == slot.alive)
        release(slot);
      return false;
    case Action::commit:
      w.committed.push_back(w.last_copy);
      return true;
    case Action::fence:
      w.time = at + d_.latency_l2;
      return true;
    case Action::wait_copies:
    case Action::sync_warp:
      return true;
    default:
      if (step.active > 0)
        memory(w, slot, step, l, at);
      else
        nobody_asks(w, l, at);
      return true;
    }
  }

  // ----------------------------------------------------------------------------------- memory

  // The predicate holds for no lane: the request takes its turn all the same.
  void nobody_asks(SmWarp &w, const Lowered &l, double at) {
    l1_free_ = std::max(at, l1_free_) + 1;
    write(w, l, at + d_.latency_alu, 0);
  }

  void memory(SmWarp &w, SmSlot &slot, const Step &step, const Lowered &l, double at) {
    const bool global = step.sectors > 0;
    const double begin = std::max(at, l1_free_);
    if (!global) {
      double wavefronts = step.wavefronts / d_.shared_wavefronts_per_cycle;
      l1_free_ = begin + wavefronts;
      result_.shared += wavefronts * step.weight;
      write(w, l, begin + wavefronts - 1 + d_.latency_shared, 2);
      stall(w, begin, step);
      return;
    }
    const bool loads = l.action == Action::load || l.action == Action::copy_async;
    const MemorySide::Loaded loaded =
        loads ? memory_.load(slot.cache, *slot.block, step, l, begin) : MemorySide::Loaded();
    const double turns = loads ? std::max<double>(step.l1_turns, loaded.missed_lines) : step.lines;
    const double cycles = std::max(turns, step.sectors / 4.0);
    l1_free_ = begin + cycles;
    result_.l1 += cycles * step.weight;
    if (loads) {
      const double arrives = loaded.arrives + (l.action == Action::load ? 0 : d_.latency_shared);
      if (l.action == Action::copy_async) {
        l1_free_ += step.wavefronts;
        result_.shared += step.wavefronts * step.weight;
        w.last_copy = std::max(w.last_copy, arrives);
      }
      write(w, l, arrives, 1);
    } else if (l.action == Action::store) {
      memory_.store(*slot.block, step, l, begin);
    } else {
      const double from = std::max(begin, memory_.atomic_free);
      const double at_home = std::max<double>(1, step.wavefronts);
      memory_.atomic_free = from + at_home * memory_.atomic_cycles;
      result_.atomics += at_home * memory_.atomic_cycles * step.weight;
      write(w, l, memory_.atomic_free + d_.latency_l2, 1);
      stall(w, from, step);
    }
    stall(w,
          std::max(begin, std::max(memory_.l2_free, memory_.dram_free) - 2 * queue_before_stall),
          step);
  }

  // A queue that is full keeps the warp.
  void stall(SmWarp &w, double served, const Step &step) {
    if (const double until = served - queue_before_stall; until > w.time) {
      result_.waits.memory_queue += (until - w.time) * step.weight;
      w.time = until;
    }
  }

  Simulated finish(double per_sm, uint64_t whole, uint64_t simulated) {
    double cycles = *std::max_element(ends_.begin(), ends_.end());
    cycles = std::max(
        {cycles, std::min(memory_.dram_free, cycles + d_.latency_dram), memory_.atomic_free});
    const double dilation = life_ > 0 ? 1 + extra_ / life_ : 1;
    if (whole > simulated) {
      std::sort(ends_.begin(), ends_.end());
      const size_t before = std::min(ends_.size() / 2, 2 * static_cast<size_t>(at_once_)) - 1;
      const double slope =
          (ends_.back() - ends_[before]) / static_cast<double>(ends_.size() - 1 - before);
      cycles += slope * std::max(0.0, per_sm - static_cast<double>(simulated));
    }
    result_.cycles = cycles * dilation;
    const double scale = std::max(per_sm, std::min(1.0, static_cast<double>(blocks_))) /
                         static_cast<double>(simulated);
    for (const auto &unit : unit_terms)
      result_.*unit.cycles *= scale;
    result_.dram_bytes *= static_cast<double>(blocks_) / static_cast<double>(simulated);
    result_.instructions_per_warp = instructions_ / static_cast<double>(lives_);
    // No unit can do more than it does when it never waits.
    for (const auto &unit : unit_terms)
      result_.cycles = std::max(result_.cycles, result_.*unit.cycles);
    return result_;
  }

  const LaunchTrace &launch_;
  const Device &d_;
  const std::vector<const BlockTrace *> timed_; // blocks that stand for all
  const std::vector<Lowered> &code_;
  uint64_t blocks_ = 0;
  int at_once_ = 1;

  std::vector<SmWarp> warps_;
  std::vector<SmSlot> slots_;
  uint64_t started_ = 0, to_start_ = 0;
  double launch_free_ = 0;
  std::array<double, 4> issue_free_{};
  std::array<std::array<double, 4>, 16> unit_free_{};
  double l1_free_ = 0;
  using Event = std::pair<double, int>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
  std::vector<double> ends_;
  double extra_ = 0, life_ = 0, instructions_ = 0, nothing_ = 0;
  uint64_t lives_ = 0;
  Simulated result_;
  MemorySide memory_;
};

} // namespace

Simulated simulate(const LaunchTrace &launch, const Device &device, const Traffic &traffic) {
  return Sm(launch, device, traffic).run();
}

} // namespace model
