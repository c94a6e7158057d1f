/// \file
/// Looks for tasks of streams, and accesses of the host, that touch the same bytes in no order.
///
/// What orders them is what CUDA promises, never the order in which they happened to run: the
/// order in a stream, events that a stream waits for, the rules of the default stream, the edges
/// of a graph, and the host's waiting (cudaDeviceSynchronize and its kin, a query that found
/// everything done, a copy that returns when it is done). All that the host did before it submits
/// a task comes before it.
///
/// A flag orders, too: what a kernel did before a fence and an atomic or volatile write comes before
/// what another one does that has read the flag. Between two devices, and for the host, the fence and
/// the atomic must be of the system's scope. Of a kernel all counts as done before its flags, and as
/// done after those that it has read.
///
/// Each task has a vector clock: how far it knows each chain of tasks, where a chain is a stream,
/// or a path through a graph. So does the host, all its threads together: what one of them has
/// waited for, all know, because how they tell each other is not seen.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "../src/context/devices.hpp"
#include "../src/memory/device_variables.hpp"
#include "../src/streams/tasks.hpp"
#include "footprint.hpp"
#include "observer.hpp"

namespace emu {

class TaskRaces : public Observer {
public:
  explicit TaskRaces(HazardSink &sink) : sink_(sink) {}

  unsigned wants() const override { return accesses | host_accesses; }
  /// Nothing that was submitted before matters.
  void start() override;
  void task_submitted(const Task &task) override;
  void task_begins(const Task &task) override;
  void task_ends(const Task &task, TaskCost &cost) override;
  void host_waited(const Task *task) override;
  bool host_knows(const Task &task) const { return !live_.contains(task.number); }
  void device_waited(int device) override;
  void waited_in_vain(unsigned stream, const std::string &place) override;
  std::unique_ptr<BlockNotes> make_notes() const override { return std::make_unique<Notes>(); }
  void access(ObservedBlock &block, const ThreadAccess &access) override {
    if (access.space == Space::shared || !running)
      return;
    const char *address =
        access.program_variable ? address_on(running_device, access.address) : access.address;
    const Way way = way_of(access.operation, access.is_volatile);
    running->footprint.add(address, access.bytes, way);
    if (way == Way::atomic && notes_of<Notes>(block).any_fence)
      note_flag(notes_of<Notes>(block), access, address);
  }
  void block_begins(ObservedBlock &block) override;
  void fence(ObservedBlock &block, int thread, Scope scope) override;
  /// Of host code; a host function's belongs to its task.
  void host_access(const HostAccess &access) override;
  /// What a host function has freed is somebody else's when it is allocated again.
  void host_frees(const void *memory, size_t bytes) {
    if (running && running->stack)
      running->footprint.remove(memory, bytes);
  }

private:
  using Clock = std::map<uint32_t, uint64_t>; // how far each chain is known

  /// Written after a fence: of the device's scope or more, of the system's.
  using Flags = std::array<std::vector<Span>, 2>;

  /// A task that the host does not know to be done.
  struct Trace {
    uint32_t chain;
    uint64_t place; // in its chain, from 1
    uint64_t number; // in the order of submission
    std::pair<int, unsigned> stream; // with its device
    uint64_t event = 0; // that it waits for: the number of its record, in event_stream
    std::pair<int, unsigned> event_stream = {};
    Clock clock; // what comes before it, itself included
    TaskKind kind;
    int device;
    std::string words; // "kernel scale (stream 1)"
    std::vector<uint32_t> callers;
    std::string
        vain_wait; // the last wait of its stream before it, if that was for nothing: its place
    bool ended = false;
    Touched touched;
    Flags flags;
    uint64_t lowest = ~uint64_t{0}, highest = 0; // all that was touched lies between
  };

  struct Record {
    uint64_t number;
    std::vector<uint32_t> callers;
  };

  /// What a task that runs has touched.
  struct Running {
    const char *stack = nullptr; // of a host function: what lies below it there is its own
    Footprint footprint;
    std::array<Footprint, 2> flags;
  };
  struct Notes : BlockNotes {
    bool any_fence = false;
    std::array<uint8_t, 1024> fenced{}; // by thread: 1 for the device's scope, 2 for the system's
  };

  void note_flag(const Notes &notes, const ThreadAccess &access, const char *address);
  static bool has_read_flag(const std::vector<Span> &flags, const Trace &reader);
  void learn_from_flags(Trace &mine);
  void learn_as_host(Span span);
  static Way way_of(Operation operation, bool is_volatile);
  TaskLacks what_lacks(const Trace &earlier, const Trace *later) const;
  uint64_t recorded_anew(const Trace &earlier, const Trace *later) const;
  std::string anew_words(const Trace &earlier, const Trace *later) const;
  int device_waited_between(const Trace &earlier, const Trace &later) const;
  std::string wait_words(const Trace &earlier, const Trace &later) const;
  void touch(Trace &trace, Touched touched);
  void forget_known();
  void report(const Trace &earlier, const Trace &later, const Conflict &conflict);
  void report_host(const Trace &trace, const Conflict &conflict, uint32_t pc);

  HazardSink &sink_;
  static constinit thread_local Running *running; // on this host thread; null: none
  std::vector<std::unique_ptr<Running>> idle_; // to be used again
  std::map<uint64_t, Trace> live_; // by the task's number
  std::atomic<bool> any_live_ = false;
  std::map<uint32_t, uint64_t> tails_; // the number of each chain's last task
  std::map<uint32_t, uint64_t> lengths_;
  uint32_t next_chain_ = 0;
  Clock host_;
  /// Of each stream the last event that the host has waited for: its record's number.
  std::map<std::pair<int, unsigned>, uint64_t> events_of_host_;
  std::map<uint64_t, Record> recorded_anew_; // by the record before
  struct DeviceWait {
    uint64_t number = 0; // of the last task before it
    int line = 0; // of the call
  };
  std::map<int, DeviceWait> device_waits_; // of each device the last one
  std::map<unsigned, std::string> vain_waits_; // of each stream, the last wait
  std::set<std::string> reported_;
};

/// The instructions of the program that led to the call that is being made, the innermost first.
std::vector<uint32_t> program_callers();
/// The first of them that is not in the emulator itself and whose line is known; 0: none.
uint32_t place_of(const std::vector<uint32_t> &callers);
/// The outermost line of the same file that led to it: another one where a helper makes the call.
const SourceLine &asked_in(const std::vector<uint32_t> &callers);
/// "the default stream", "stream 1" for the first that the program made, …; with several devices also
/// whose it is: "stream 1 of device 0".
std::string stream_words(unsigned number, int device);

} // namespace emu
