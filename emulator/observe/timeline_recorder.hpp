/// \file
/// Remembers what streams and the host did, and lays it out in time (observation/timeline.hpp).
#pragma once

#include <string>
#include <vector>

#include "../src/streams/tasks.hpp"
#include "observer.hpp"
#include <observation/timeline.hpp>

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

  /// A task, without what it runs.
  struct Entry {
    TaskKind kind;
    std::string name;
    Route route;
    bool pageable;
    uint64_t bytes;
    unsigned stream;
    int device, from_device, to_device;
    bool direct;
    int priority;
    uint64_t graph_launch;
    uint64_t blocks; // of a kernel
    uint64_t steps;
    uint64_t over_links; // bytes
    std::vector<size_t> after; // entries
    std::vector<uint32_t> callers;
    std::string part;
  };

private:
  struct HostStep {
    enum class What : unsigned char { submits, waits, waits_for_device, waits_for_all } what;
    size_t entry; // or the device
  };
  size_t entry_of(uint64_t number) const { return number - first_number_; }
  bool known(uint64_t number) const {
    return number >= first_number_ && number - first_number_ < entries_.size();
  }

  std::vector<Entry> entries_;
  std::vector<HostStep> host_;
  uint64_t first_number_ = 0; // of the first entry's task; tasks are numbered without gaps
  bool full_ = false;
  std::string part_;

  friend class Layout;
};

/// What timeline_json() and timeline_svg() give.
std::string write_json(const Timeline &timeline);
std::string draw_svg(const Timeline &timeline);

} // namespace emu
