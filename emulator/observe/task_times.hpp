/// \file
/// When tasks begin and end, of which it is known how long each takes by itself: what overlaps, and what waits
/// for what. The layout of observed timelines and the time model both ask here.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace emu {

/// A task that must have ended, and how much later what waits for it can begin.
struct TaskBefore {
  size_t task;
  double lag_us = 0;
};

/// A task, and what it needs while it runs. Engines and channels are numbers of the caller's.
struct TimedTask {
  double us = 0; // alone; 0: it only orders
  std::vector<int> engines; // each does one thing at a time
  /// Parts of channels that it fills. Where tasks want more than a whole channel, all in it slow down.
  std::vector<std::pair<int, double>> channels;
  int sms = 0; // of its device, free when it begins
  int device = 0;
  int priority = 0; // the lower, the sooner
  std::vector<TaskBefore> after;
};

/// What the host does, one step after the other.
struct HostStep {
  enum class What : unsigned char { submits, waits, waits_for_device, waits_for_all } what;
  size_t task; // or the device
  double us = 0; // that the host is at work for, before it submits or waits
  int thread = 0; // of the host's, in the order in which they come first
};

struct HostWait {
  double from, to;
  int thread;
};

struct TaskTimes {
  struct Place {
    double begin = 0, end = 0; // us
    bool done = false; // else nothing is known of it: it has never begun
  };
  std::vector<Place> tasks;
  std::vector<HostWait> host_waits;
  double host_done = 0; // when the host has done all its steps
};

/// Of tasks that could begin at the same time the one of the higher priority goes first, then the one that was
/// submitted first.
/// \param sms  of each device
TaskTimes
find_times(const std::vector<TimedTask> &tasks, const std::vector<HostStep> &host, int sms);

} // namespace emu
