/// \file
/// All instruments of a program, and what they have found.
#pragma once

#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "counters.hpp"
#include "hazard_list.hpp"
#include "links.hpp"
#include "look.hpp"
#include "pages.hpp"
#include "reports.hpp"
#include "shadow.hpp"

namespace emu {

class Bounds;
class HostRanks;
class Leaks;
class Races;
class ShadowUses;
class TaskRaces;
class TimelineRecorder;
class TraceLog;

class Recorder : public HazardSink {
public:
  Recorder();
  ~Recorder() override;

  void start();
  bool on() const { return on_.load(std::memory_order_relaxed); }
  void begin_part(const std::string &name);
  /// \param early  the program has not come to its end
  Observation stop(bool early = false);
  /// What was seen since the last time, for another process to take over.
  std::string hand_over(bool at_the_end);
  /// \param seen  what another process has handed over
  void take_over(const std::string &seen);
  /// What was made until now, another process sees to its end.
  void forget_made();
  bool has_managed_memory() const { return pages_.any(); }
  /// From here on what warps do is kept, too; see TraceLog.
  void keep_log(const std::string &of);
  const TraceLog &log() const { return *log_; }
  const TimelineRecorder &timeline() const { return *timeline_; }

  void found(const FoundHazard &hazard) override;
  void came_round(uint32_t pc) override;
  void came_late(const Side &read, const Side &write) override;
  void counted(CountedKernel kernel);
  /// A call of the host's has failed, from these places.
  void failed(const FailedCall &call, const std::vector<uint32_t> &callers, bool is_launch);
  /// The host thread has asked for its last error.
  void error_fetched();
  /// Warns of launches that were refused, where the program has not asked for an error since. At its end.
  void tell_refused_launches();
  void host_accesses(
      const char *address, size_t bytes, Operation operation, bool is_volatile, uint32_t pc);
  void host_frees(const void *memory, size_t bytes);

  const std::vector<Observer *> &observers() const { return observers_; }
  const std::vector<Observer *> &of_requests() const { return of_requests_; }
  Shadow &shadow() { return shadow_; }
  Bounds &bounds() { return *bounds_; }
  ShadowUses &shadow_uses() { return *shadow_uses_; }
  HostRanks &host_ranks() { return *host_ranks_; }
  const TaskRaces &task_races() const { return *task_races_; }
  const Counters &counters() const { return counters_; }
  const std::string &part() const { return part_; }

  /// Tells all instruments. \param event  one of Observer's functions
  template <class... P, class... Arguments>
  void tell(void (Observer::*event)(P...), Arguments &&...arguments) {
    for (Observer *observer : observers_)
      (observer->*event)(arguments...);
  }

private:
  void add(Observer *observer);

  std::atomic<bool> on_{false};

  Counters counters_;
  Pages pages_;
  Links links_;
  Shadow shadow_; // what Bounds and Races know of each word
  std::unique_ptr<Bounds> bounds_;
  std::unique_ptr<Races> races_;
  std::unique_ptr<Leaks> leaks_;
  std::unique_ptr<ShadowUses> shadow_uses_;
  std::unique_ptr<HostRanks> host_ranks_;
  std::unique_ptr<TaskRaces> task_races_;
  std::unique_ptr<TimelineRecorder> timeline_;
  std::unique_ptr<TraceLog> log_; // null: nobody asked for it
  std::vector<Observer *> observers_; // all of them
  std::vector<Observer *> of_host_accesses_, of_requests_; // those that want these

  std::string part_; // of the program
  std::vector<CountedKernel> kernels_;
  HazardList hazards_;
  std::vector<uint32_t> failed_callers_; // of the first call that failed
  std::optional<FailedCall> failed_;
  struct RefusedLaunch {
    std::thread::id host_thread;
    FailedCall call;
    std::vector<uint32_t> callers;
  };
  std::vector<RefusedLaunch> refused_; // and nobody has asked for the error yet
};

/// The kernel that runs on this host thread; null: none does.
extern constinit thread_local const char *running_kernel;

/// A signal that has asked the program to end; 0: none. Then the report of what was seen until now, which
/// comes as soon as no block runs, is the last thing that the program does.
extern volatile std::sig_atomic_t interrupted_by;
[[noreturn]] void report_interrupted();

/// The program's recorder; made at the start of an observed program.
Recorder *recorder();
/// The same for the compiler's callbacks, of which there are some for each access: null before it is made.
extern constinit Recorder *made_recorder;

} // namespace emu
