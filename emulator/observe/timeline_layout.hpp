/// \file
/// From what streams and the host did to when they would have done it.
#pragma once

#include <string>
#include <vector>

#include "../src/streams/tasks.hpp"
#include "task_times.hpp"
#include <observation/timeline.hpp>

namespace emu {

/// A task, without what it runs.
struct RecordedTask {
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
  std::vector<size_t> after; // tasks
  std::vector<uint32_t> callers;
  std::string part;
};

struct Recorded {
  std::vector<RecordedTask> tasks; // by the order in which they were submitted
  std::vector<HostStep> host;
};

/// Finds a time for all of it by the model that observation/timeline.hpp states; the lines of the tasks' callers have
/// been looked up.
Timeline lay_out(const Recorded &recorded, const TimelineModel &model);

} // namespace emu
