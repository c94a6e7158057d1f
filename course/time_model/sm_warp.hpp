/// \file
/// A warp on the simulated SM: where it is in what it did, and what its registers wait for.
#pragma once

#include "trace.hpp"

#include <algorithm>

namespace model {

/// What a register's value comes from, and so what its reader waits for.
enum class Source : uint8_t {
  arithmetic,
  memory,
  nearby /* shared memory, a shuffle, a special function */
};

class SmWarp {
public:
  SmWarp() = default;
  SmWarp(int slot, const std::vector<Step> &steps, int registers, double begin)
      : time(begin), slot_(slot), steps_(&steps), last_time_(begin),
        registers_(static_cast<size_t>(registers)) {}

  int slot() const { return slot_; } // of its block
  bool is_over() const { return next_ == steps_->size(); }
  const Step &step() const { return (*steps_)[next_]; }
  void go_on() { ++next_; }

  /// When a register is there, and what for.
  struct Ready {
    double time = 0;
    Source source = Source::arithmetic;
  };
  /// When all that an instruction reads is there, at the earliest now.
  Ready ready(const Lowered &instruction) const {
    Ready last{time, Source::arithmetic};
    for (const int reg : instruction.reads)
      if (const Ready &its = registers_[static_cast<size_t>(reg)]; its.time > last.time)
        last = its;
    return last;
  }
  void write(const Lowered &instruction, const Ready &ready) {
    for (const int reg : instruction.writes)
      registers_[static_cast<size_t>(reg)] = ready;
  }

  void copy_arrives(double when) { last_copy_ = std::max(last_copy_, when); }
  void commit_copies() { committed_.push_back(last_copy_); }
  /// When all groups of copies but the last few have arrived.
  double copies_arrive(int may_go_on) const {
    const auto count = static_cast<long>(committed_.size()) - may_go_on;
    return count > 0 ? *std::max_element(committed_.begin(), committed_.begin() + count) : 0;
  }

  /// A step begins that stands for so many: what the time since the last one stands for is known now.
  void account(double now, double weight) {
    extra_ += (weight_ - 1) * (now - last_time_);
    weight_ = weight;
    last_time_ = now;
  }
  double weight() const { return weight_; } // of the last step
  double extra() const { return extra_; } // cycles of iterations that were not written down

  /// Which warp of its block it is.
  const void *id() const { return steps_; }

  double time = 0; // of the next issue, at the earliest
  bool alone = false; // it has waited for memory, and for the other warps not since

private:
  int slot_ = 0;
  const std::vector<Step> *steps_ = nullptr;
  size_t next_ = 0;
  double extra_ = 0, weight_ = 1, last_time_ = 0;
  double last_copy_ = 0; // when all copies begun so far have arrived
  std::vector<double> committed_; // arrivals of groups of copies
  std::vector<Ready> registers_;
};

} // namespace model
