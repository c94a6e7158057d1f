/// \file
/// Remembers what streams and the host did.
#pragma once

#include <string>
#include <thread>
#include <vector>

#include "observer.hpp"
#include "timeline_layout.hpp"

namespace emu {

class TimelineRecorder : public Observer {
public:
  void start() override;
  void part_begins(const std::string &name) override { part_ = name; }
  void task_submitted(const Task &task) override;
  void task_ends(const Task &task, TaskCost &cost) override;
  void host_waited(const Task *task) override;
  void device_waited(int device) override;

  Timeline lay_out(const TimelineModel &model) const;

private:
  size_t index_of(uint64_t number) const { return number - first_number_; }
  bool known(uint64_t number) const {
    return number >= first_number_ && number - first_number_ < recorded_.tasks.size();
  }

  void note(HostStep::What what, size_t index);

  Recorded recorded_;
  std::vector<std::thread::id> threads_; // of the host, in the order in which they came first
  uint64_t first_number_ = 0; // of the first task; tasks are numbered without gaps
  bool full_ = false;
  std::string part_;
};

/// What timeline_json() and timeline_svg() give.
std::string write_json(const Timeline &timeline);
std::string draw_svg(const Timeline &timeline);

/// What stands below the picture: how long all took, and each engine.
std::string timeline_sums(const Timeline &timeline);

} // namespace emu
