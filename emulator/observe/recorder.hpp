/// \file
/// Receives everything: the engine's events, the compiler's callbacks for each access, the
/// device functions' notes. Sorts out what is a kernel's business and passes it to the observers.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <csignal>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "counters.hpp"
#include "hazard_list.hpp"
#include "links.hpp"
#include "observer.hpp"
#include "pages.hpp"
#include "reports.hpp"
#include "shadow.hpp"
#include "warp_trace.hpp"

namespace emu {

class Bounds;
class Leaks;
class Races;
class TaskRaces;
class TimelineRecorder;
class TraceLog;

class Recorder : public Watcher, public HazardSink {
public:
  Recorder();
  ~Recorder() override;

  /// \name From the instrumented program
  /// @{
  /// \param piece  bytes that one instruction moves, a power of 2; divides `bytes`
  void access(const void *address,
              uint32_t bytes,
              uint32_t piece,
              Operation operation,
              Scope scope,
              bool is_volatile,
              uint32_t pc,
              AtomicSort sort = AtomicSort::alone);
  void basic_block(uint32_t pc);
  void function_entered();
  void function_left();
  void note_fence(Scope scope);
  void note_acquire();
  void note_async_copy(bool begins);
  void host_touches(const void *memory, size_t bytes, bool writes);
  /// @}

  /// \name From the engine
  /// @{
  void launch_begins(const char *name, const LaunchConfig &config, const KernelBody &body) override;
  void launch_ends() override;
  bool is_looking() const override;
  bool is_observing() const override { return on_; }
  void block_begins(uint64_t linear, int thread_count) override;
  void block_ends() override;
  void block_is_late() override { late_ = true; }
  void thread_stops(int thread, Stop why) override;
  void barrier_released() override;
  void lanes_met(int warp, uint32_t lanes) override;
  void warps_met(int first, int count) override;
  void complained(const Complaint &complaint) override;
  void host_complained(const char *kind, const char *text) override;
  std::string place_of_caller() override;
  void call_failed(cudaError_t error) override;
  void task_made(Task &task) override;
  void task_submitted(const Task &task) override;
  void task_begins(const Task &task) override;
  void task_ends(const Task &task) override;
  void host_waited(const Task *task) override;
  void waited_in_vain(unsigned stream) override;
  void device_waited(int device) override;
  void memory_allocated(void *base, size_t bytes, bool host_writes) override;
  void memory_freed(void *base) override;
  void memory_written(void *base, size_t bytes) override;
  void pages_discarded(const void *memory, size_t bytes) override;
  void pages_prefetched(const void *memory, size_t bytes, bool to_device) override;
  void
  pages_advised(const void *memory, size_t bytes, cudaMemoryAdvise advice, bool device) override;
  /// @}

  void found(const FoundHazard &hazard) override;

  void start();
  void begin_part(const std::string &name);
  /// \param early  the program has not come to its end
  Observation stop(bool early = false);
  /// From here on what warps do is kept, too; see TraceLog.
  void keep_log(const std::string &of);
  const TraceLog &log() const { return *log_; }
  const TimelineRecorder &timeline() const { return *timeline_; }
  Shadow &shadow() { return shadow_; }

private:
  void host_accesses(
      const char *address, size_t bytes, Operation operation, bool is_volatile, uint32_t pc);
  void add(Observer *observer);
  /// Tells all observers. \param event  one of Observer's functions
  template <class... P, class... Arguments>
  void tell(void (Observer::*event)(P...), Arguments &&...arguments) {
    for (Observer *observer : observers_)
      (observer->*event)(arguments...);
  }
  void let_others_come(Operation operation, bool is_volatile);
  void leave(const TraceEvent &event, int thread);
  [[noreturn]] void end_endless_loop(uint32_t pc);
  void merge_warp(int warp, uint32_t pending);
  void tell_progress();
  bool belongs_to_the_emulator(const char *address) const;

  bool on_ = false;
  bool in_block_ = false;
  bool tracing_ = false;
  uint64_t block_ = 0;
  uint64_t blocks_ = 0; // of the running launch
  bool drawn_ = false; // whether its schedule is
  int threads_ = 0;
  uint64_t steps_ = 0; // basic blocks executed by the running block
  LaunchConfig config_;
  Stretch parameters_; // of the running kernel
  Stretch thread_variables_; // of the host thread that runs it

  std::set<uint64_t> traced_; // blocks of the running launch
  uint64_t blocks_to_trace_ = 0; // set by start(), as is the next
  uint64_t step_limit_ = 0;
  std::atomic<bool> late_{false}; // the running block has taken too long
  bool only_traced_ = false; // the other blocks are not looked at either
  using Clock = std::chrono::steady_clock;
  double progress_after_ = 0; // seconds of one launch, and then twice as many; 0: never
  Clock::duration next_progress_{};
  Clock::time_point launch_began_;
  uint64_t blocks_ended_ = 0; // of the running launch
  std::array<uint8_t, 1024> depth_{};
  std::bitset<1024> copying_; // threads in a cp.async
  std::array<WarpTrace, 32> traces_;
  std::array<uint32_t, 32> stopped_{}, pending_{}, members_{};

  Counters counters_;
  Pages pages_;
  Links links_;
  Shadow shadow_; // what Bounds and Races know of each word
  std::unique_ptr<Bounds> bounds_;
  std::unique_ptr<Races> races_;
  std::unique_ptr<Leaks> leaks_;
  std::unique_ptr<TaskRaces> task_races_;
  std::unique_ptr<TimelineRecorder> timeline_;
  std::unique_ptr<TraceLog> log_; // null: nobody asked for it
  uint64_t task_steps_ = 0; // basic blocks executed by the running task
  std::vector<Observer *> observers_; // all of them
  std::vector<Observer *> of_accesses_, of_host_accesses_, of_requests_; // those that want these

  CountedKernel running_; // without a name when none is
  std::string part_; // of the program
  std::vector<CountedKernel> kernels_;
  HazardList hazards_;
  std::vector<uint32_t> failed_callers_; // of the first call that failed
  std::optional<FailedCall> failed_;
};

/// A signal that has asked the program to end; 0: none. Then the report of what was seen until now, which
/// comes as soon as no block runs, is the last thing that the program does.
extern volatile std::sig_atomic_t interrupted_by;
[[noreturn]] void report_interrupted();

/// The program's recorder; made at the start of an observed program.
Recorder *recorder();
/// The same for the compiler's callbacks, of which there are some for each access: null before it is made.
extern constinit Recorder *made_recorder;

} // namespace emu
