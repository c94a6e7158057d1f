/// \file
/// The interface that every instrument implements. They are called in one order for all events, and never call
/// each other. A new instrument stands in the list in Recorder's constructor, and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../src/engine/watcher.hpp"
#include "emu/engine/instrument.hpp"
#include "shadow.hpp"
#include <observation/observe.hpp>

namespace emu {

enum class Space : uint8_t { global, shared, constant };
enum class Operation : uint8_t { load, store, atomic };

/// A stretch of memory.
struct Stretch {
  const char *base = nullptr;
  size_t bytes = 0;
  bool holds(const char *address) const { return static_cast<size_t>(address - base) < bytes; }
};

/// What an instrument remembers of a block while it lives.
struct BlockNotes {
  virtual ~BlockNotes() = default;
};

/// A block that lives: as others may live at the same time, what belongs to one of them is kept here.
struct ObservedBlock {
  uint64_t number = 0; // linear, in the grid
  int threads = 0;
  bool traced = false; // whether its warps' requests and basic blocks are handed over
  SharedShadow shared;
  std::vector<std::unique_ptr<BlockNotes>> notes; // of each instrument
};

/// What a thread's instruction does to memory, wherever.
struct ThreadOperation {
  size_t bytes;
  uint32_t piece; // that one instruction moves, a power of 2; divides `bytes`
  Operation operation;
  bool is_volatile = false;
  Scope scope = Scope::device; // of an atomic
  AtomicSort sort = AtomicSort::alone; // of an atomic
};

/// One access of one thread, as it happens.
struct ThreadAccess {
  char *address;
  uint32_t bytes;
  uint32_t piece; // bytes that one instruction moves, a power of 2: a structure takes several
  uint32_t pc; // of the instruction, from the start of the program
  Operation operation;
  Space space;
  Scope scope; // of an atomic
  bool is_volatile;
  int thread; // linear, in its block
  Region *region; // that holds its first byte; null: none
  bool program_variable; // a variable of the program, of which each device has one
  AtomicSort sort = AtomicSort::alone; // of an atomic
  bool by_bulk_copy = false; // that its thread begins
  ObservedBlock *owner = nullptr; // another block of the cluster, whose shared memory it is
  uint64_t expected = 0; // by an atomicCAS

  /// Where the same lies in the running block's own shared memory.
  const char *in_own_shared() const {
    return owner ? static_shared + (address - region->base) : address;
  }
  bool reads() const {
    return operation == Operation::load ||
           (operation == Operation::atomic && sort != AtomicSort::writes);
  }
  bool writes() const {
    return operation == Operation::store ||
           (operation == Operation::atomic && sort != AtomicSort::reads &&
            sort != AtomicSort::awaits);
  }
  /// Of a barrier with phases: what it orders is told of apart.
  bool is_of_barrier() const { return sort >= AtomicSort::arrives; }
};

/// One instruction of a warp: the accesses of its active lanes together.
struct WarpRequest {
  uint32_t pc;
  Operation operation;
  Space space;
  uint32_t bytes; // of one lane
  uint32_t active;
  const uint64_t *address; // of each lane; only those of active ones mean anything
  bool asynchronous = false; // the load of a cp.async
  AtomicSort sort = AtomicSort::alone;
};

/// Where blocks tell each other by a flag that what they touch is ready: what is not there.
enum class FlagLacks : uint8_t {
  flag, ///< there is none, as far as is known
  fence_before, ///< the flag was set without one
  own_fence, ///< another thread has fenced before the flag, without having waited for this one
  fence_behind, ///< it was read without one
  scope, ///< of a fence or an atomic, that holds both blocks
};

/// Where two tasks, or a task and the host, have no order: what is missing, or what was done in vain.
enum class TaskLacks : uint8_t {
  order, ///< nothing is there that would tell of the earlier one
  record_first, ///< a wait stands before the record of its event
  other_stream, ///< the stream that recorded the event is the one that waits for it
  later_record, ///< the event was recorded before what it is to tell of
  turned, ///< the earlier one's stream waits for the later one's
  own_event, ///< the later one's stream waits for an event that it has recorded itself
  wait, ///< an event tells of it, and nobody waits for that
  third_stream, ///< the same, and a stream waits for it that is none of the two
  own_memory, ///< memory of a pool was allocated or freed in another stream
  event_each, ///< the event that told of it was recorded anew, and the wait is for that
  other_device, ///< the host has waited for another device than the earlier one's
};

/// A __syncwarp() between two threads of a block that has not ordered them.
struct VainSync {
  Site site = {}; // line 0: there was none
  uint32_t mask = 0;
  int lane = -1; // of the warp, that the mask does not name; -1: they are in two warps
};

/// Whether the barrier before a write parts it from what others have read in this element.
enum class NeedOf : uint8_t { unknown, none, some };

/// What is known of the two accesses of a race, and tells what to do about it.
struct RaceShape {
  bool in_one_warp = false;
  bool in_cluster = false; // in shared memory, by two blocks
  bool both_write = false;
  bool of_launch =
      false; // in the shared memory that the launch asked for: kernels cut arrays out of it
  bool one_value = false; // a variable in shared memory that is no array
  bool one_is_atomic = false; // the other is not
  bool copy_in_flight = false; // the other is an asynchronous copy that nobody has waited for
  bool in_one_block = false;
  std::vector<Site> barriers = {}; // that the block has passed, before both
  bool warps_meet = false; // by __syncwarp()
  FlagLacks lacks = FlagLacks::flag; // of two blocks
  TaskLacks task_lacks = TaskLacks::order; // of two tasks, or a task and the host
  bool host_writes = false;
  bool early_event = false; // the host has waited for one that its stream recorded before the task
  bool comes_round = false; // a thread makes this access again, and no barrier is between
  bool own_copy = false; // that is in flight: only the thread that has asked for it can wait for it
  VainSync sync = {};
  bool fenced = false; // by one of the two threads, since the last barrier
  NeedOf last_barrier = NeedOf::unknown; // that the block has passed
  /// What is read, or what one thread reads and another writes, was unwritten then: who writes there first, and only later.
  Side later = {};
};

/// Hazards are handed over with program counters; the reports turn them into lines.
struct FoundHazard {
  std::string kind;
  bool warning;
  Side here;
  Side other; // pc and site.line 0: no other side
  std::string message;
  RaceShape race = {};
  std::string here_did = {}, other_did = {}; // HazardSide::did
};

class HazardSink {
public:
  virtual ~HazardSink() = default;
  virtual void found(const FoundHazard &hazard) = 0;
  /// A thread whose access in this place was found to race makes it again, and has met nobody meanwhile.
  virtual void came_round(uint32_t pc) = 0;
  /// What a thread has read in shared memory is written only now, as it is for the first time in its block.
  virtual void came_late(const Side &read, const Side &write) = 0;
};

/// A launch, as it begins.
struct ObservedLaunch {
  const char *kernel;
  const LaunchConfig &config;
  Stretch parameters; // where its arguments lie
  bool observed; // else what it does is nobody's business
};

/// An access of host code.
struct HostAccess {
  const char *address;
  size_t bytes;
  Operation operation;
  bool is_volatile;
  uint32_t pc; // 0: a function of the runtime's does it, for its caller
  bool observed; // whether observation has begun
};

/// What a task has come to: each instrument adds what it knows before the next one is told.
struct TaskCost {
  uint64_t steps = 0; // basic blocks that its threads executed
  uint64_t touched = 0; // bytes, each counted once
  uint64_t from_others = 0, to_others = 0; // bytes that its threads moved from and to other devices
  /// In the busier direction.
  uint64_t over_links() const { return from_others > to_others ? from_others : to_others; }
};
/// Of the one that this host thread runs.
extern constinit thread_local TaskCost cost_of_task;

class Observer {
public:
  virtual ~Observer() = default;

  /// What it has to be told of among that which comes in millions. Asked when a launch begins.
  enum Wants : unsigned { nothing = 0, accesses = 1, host_accesses = 2, requests = 4 };
  virtual unsigned wants() const { return nothing; }

  /// For a Block of the engine's, which runs one block after the other; null: it keeps none.
  virtual std::unique_ptr<BlockNotes> make_notes() const { return nullptr; }
  /// Where its notes stand among those of all instruments. Set by who has them all.
  size_t place = 0;

  /// \name The program: observation begins anew, or a part of it does
  /// @{
  virtual void start() {}
  virtual void part_begins(const std::string & /*name*/) {}
  virtual void host_access(const HostAccess &) {}
  /// @}

  /// \name A launch, its blocks and their threads
  /// @{
  virtual void launch_begins(const ObservedLaunch &) {}
  virtual void launch_ends() {}
  virtual void grid_met() {}
  virtual void block_begins(ObservedBlock &) {}
  virtual void block_ends(ObservedBlock &) {}
  /// Of memory that the kernel may touch.
  virtual void access(ObservedBlock &, const ThreadAccess &) {}
  /// An access by an asynchronous copy, told of when that began: the copy was waited for, and may have made it as late
  /// as now.
  virtual void access_over(ObservedBlock &, const ThreadAccess &) {}
  virtual void fence(ObservedBlock &, int /*thread*/, Scope) {}
  /// The thread has read this, in global memory, by way of the cache for what no thread of the kernel writes.
  virtual void read_only(ObservedBlock &, const ThreadAccess &) {}
  /// What the thread has read in flags counts from here on.
  virtual void acquired(ObservedBlock &, int /*thread*/) {}
  virtual void barrier(ObservedBlock &) {}
  /// \param sync  the __syncwarp(); line 0: it was a shuffle or a vote
  virtual void lanes_met(ObservedBlock &, int /*warp*/, uint32_t /*lanes*/, Site /*sync*/) {}
  /// A thread has called __activemask().
  virtual void active_mask_asked(ObservedBlock &) {}
  /// The threads [first, first + count) have met, a group of several warps.
  virtual void group_met(ObservedBlock &, int /*first*/, int /*count*/) {}
  /// A barrier with phases: it begins anew; a thread arrives; what has arrived is a phase; a thread has waited for one,
  /// after which so many others have ended.
  virtual void phases_begin(ObservedBlock &, int /*thread*/, const void * /*barrier*/) {}
  virtual void
  arrived(ObservedBlock &, int /*thread*/, const void * /*barrier*/, Scope, bool /*releases*/) {}
  virtual void phase_ended(ObservedBlock &, const void * /*barrier*/) {}
  virtual void
  phase_passed(ObservedBlock &, int /*thread*/, const void * /*barrier*/, unsigned /*others*/) {}
  /// A bulk copy of which was told as its thread's accesses when that began it: it makes them only now, and only whom the
  /// barrier tells of its bytes comes after it. \param by  the block whose thread it was, perhaps another one of the cluster
  virtual void bulk_arrived(ObservedBlock &,
                            uint64_t /*by*/,
                            const ThreadAccess & /*from*/,
                            const ThreadAccess & /*to*/,
                            const void * /*barrier*/) {}
  /// A bulk copy that the thread begins will tell the barrier. \param made_ready  where that was made ready
  virtual void bulk_tells(ObservedBlock &,
                          int /*thread*/,
                          const void * /*barrier*/,
                          uint32_t /*pc*/,
                          Site /*made_ready*/) {}
  /// What the thread has done in shared memory is settled for bulk copies; or only which barriers it has made ready.
  virtual void proxy_fence(ObservedBlock &, int /*thread*/, bool /*barriers_only*/) {}
  /// @}

  /// \name What the warps of a traced block have done, one after the other
  /// @{
  virtual void warp_begins(ObservedBlock &, int /*warp*/) {}
  virtual void request(ObservedBlock &, const WarpRequest &) {}
  virtual void
  basic_block(ObservedBlock &, uint32_t /*pc*/, uint32_t /*active*/, uint32_t /*members*/) {}
  /// @}

  /// \name Memory
  /// @{
  virtual void memory_allocated(const Allocation &) {}
  virtual void memory_freed(char * /*base*/) {}
  virtual void handle_made(const void *, const char * /*destroyed_by*/) {}
  virtual void handle_gone(const void *) {}
  virtual void memory_written(char * /*base*/, size_t /*bytes*/) {}
  virtual void pages_prefetched(const char * /*memory*/, size_t /*bytes*/, bool /*to_device*/) {}
  virtual void pages_discarded(const char * /*memory*/, size_t /*bytes*/) {}
  /// \param device  whether the place that the advice names is the device
  virtual void pages_advised(const char * /*memory*/,
                             size_t /*bytes*/,
                             cudaMemoryAdvise /*advice*/,
                             bool /*device*/) {}
  /// @}

  /// \name What streams do, and when the host waits: for a task, for all (null), for one device's
  /// @{
  virtual void task_submitted(const Task &) {}
  virtual void task_begins(const Task &) {}
  virtual void task_ends(const Task &, TaskCost &) {}
  virtual void host_waited(const Task *) {}
  virtual void device_waited(int /*device*/) {}
  /// This stream was to wait for an event that nobody has recorded yet, by the call in this place.
  virtual void waited_in_vain(unsigned /*stream*/, const std::string & /*place*/) {}
  /// @}

protected:
  /// Its own of this block, of the type that make_notes() makes.
  template <class Notes> Notes &notes_of(const ObservedBlock &block) const {
    return static_cast<Notes &>(*block.notes[place]);
  }
};

} // namespace emu
