/// \file
/// Runs one block at a time on one host thread: starts its threads, makes them wait and wakes them.
///
/// A block goes through up to three modes, each faster than the next:
///
/// | mode    | its threads                                | who runs next           | left for               |
/// | ------- | ------------------------------------------ | ----------------------- | ---------------------- |
/// | plain   | rounds of a loop on the first stack;       | the next id, as a loop  | ordered, when the      |
/// |         | nobody has waited yet                      | counts                  | first thread waits;    |
/// |         |                                            |                         | free, when another one |
/// | ordered | wait at the same places in the order of    | the next id; `turn`     | free, when one waits   |
/// |         | their ids, as where all reach a barrier    | (engine.hpp) says whose | out of turn            |
/// | free    | anything else: partial warps, waits for    | the lowest ready id     | ordered, at a barrier  |
/// |         | others' memory; in observed programs all   | after the running one;  | that nobody misses,    |
/// |         |                                            | a drawn one             | where nobody looks on  |
///
/// Each mode keeps its own fields, and leave_plain(), leave_ordered() and release_barrier(), which are the only ways
/// from one to another, write down in the next one's what the last one's implied:
/// - plain: `in_a_row` is set, threadIdx is the state; blocks that follow begin where this one ends (next_block());
/// - ordered: `at_barrier_`, `exited_`, `turn.due`, `turn.leaving`, and a warp's first two meetings;
/// - free: `ready_`, `yielded_`, the waiters' sets, `live_`, `waiting_`, and all meetings.
/// `started_` and `fibers_` hold in both modes that have fibers.
///
/// block.cpp has a block's life and its modes, block_waits.cpp, block_phases.cpp, block_named.cpp and block_clusters.cpp
/// each way of waiting, block_switch.hpp the switch.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emu/engine/engine.hpp"
#include "emu/engine/launch.hpp"
#include "emu/engine/phases.hpp"
#include "engine/async.hpp"
#include "engine/faults.hpp"
#include "engine/limits.hpp"
#include "engine/stacks.hpp"
#include "engine/watcher.hpp"

namespace emu {

constexpr int max_threads = max_threads_per_block;
constexpr int warp_size = 32;

struct Message;

/// A set of the block's threads.
class ThreadSet {
public:
  void clear() { words_.fill(0); }
  void insert(int thread) { words_[thread >> 6] |= uint64_t{1} << (thread & 63); }
  void erase(int thread) { words_[thread >> 6] &= ~(uint64_t{1} << (thread & 63)); }
  bool contains(int thread) const { return words_[thread >> 6] >> (thread & 63) & 1; }
  bool empty() const;
  /// Lowest member >= from, or -1.
  int next(int from) const;
  /// Moves all members of `other` here.
  void take(ThreadSet &other);
  void remove(const ThreadSet &others);
  /// The members among the 32 lanes of `warp`, as a mask.
  uint32_t lanes(int warp) const {
    return static_cast<uint32_t>(words_[warp >> 1] >> (32 * (warp & 1)));
  }

private:
  std::array<uint64_t, max_threads / 64> words_{};
};

/// Where the lanes of one mask meet: each leaves a value, the last one wakes the others.
struct Meeting {
  uint32_t mask = 0;
  uint32_t arrived = 0; // lanes that wait here now
  uint32_t met = 0; // lanes that took part in the last round
  // Lanes that took part and have not come to another meeting since: they may still read `value`, as others may come
  // between any two of a lane's steps.
  uint32_t readers = 0;
  Site site; // of the lane that came last
  int last = 0; // that lane
  Meet meet{}; // what it came for
  uint64_t value[warp_size];
};

struct Warp {
  uint32_t members = 0; // lanes that exist
  uint32_t exited = 0;
  int turn = 0; // ordered mode: which of the first two meetings is used next
  int used = 0; // meetings [0, used) have been used in this block
  // A lane waits at one meeting or reads of one, so that 32 are always enough; ordered mode keeps two.
  std::array<Meeting, 34> meetings;
};

/// Where the warps of a group that is larger than a warp meet.
struct WarpsMeeting {
  int first; // thread
  int count; // threads
  ThreadSet waiting;
};

/// Threads that wait for one phase of a barrier to end.
struct PhaseWaiters {
  PhaseBarrier *barrier;
  unsigned phase;
  ThreadSet waiting;
};

/// A barrier with phases that threads of the block have made ready.
struct KnownBarrier {
  const PhaseBarrier *barrier;
  Site site; // where
  uint64_t ended; // phases
};

/// One of the sixteen barriers of a block that a part of its threads may meet at.
struct NamedBarrier {
  bool used = false; // in this block
  unsigned threads = 0; // that it is for now; 0: all of the block
  unsigned rounds = 0; // in which all had come
  unsigned arrived = 0, agreed = 0; // threads; and of these, those whose predicate was true
  ThreadSet waiting;
  Site site; // where the first of them came
  uint3 first{};
};
constexpr unsigned named_barriers = 16;
class Cluster;

class Block {
public:
  /// What became of a block: `failed` ends the launch, an error was recorded; `suspended`: its threads
  /// only wait for other blocks, or for the host.
  enum class Outcome { done, suspended, failed };

  /// \param most_threads  size of the largest block that it will run
  /// \param resident      one of several blocks of this host thread that live at the same time: when
  ///                      its threads only wait for other blocks, it is suspended at once
  Block(int most_threads, bool resident);

  /// Runs block `linear` of the launch and, as long as no thread waits, up to `more` that follow it.
  Outcome run(uint64_t linear, KernelBody body, uint64_t more = 0);
  /// How many of these it did not run.
  uint64_t left() const { return more_; }
  /// Continues a block that was suspended.
  Outcome resume();
  /// Whether that is of any use: not if all its threads wait for others of their cluster.
  bool can_go_on() const;
  /// Whether its threads have asked often enough for phases to end, and for nothing else, while nothing happened.
  bool asks_in_vain() const;
  /// Whether some of its threads wait for others of it.
  bool waits_within() const;
  /// It was suspended, and what it waits for does not come.
  void fail_waiting();
  /// Forgets what waits on its stacks, and never comes back.
  void drop();
  /// What it runs next is of this cluster; null: of none.
  void join(Cluster *cluster) {
    joined_ = cluster;
    life_ = Life::awaited;
  }
  /// Whether what it runs as one of a cluster has begun, and has not ended.
  enum class Life : uint8_t { awaited, alive, ended };
  Life life() const { return life_; }

  /// \name Called by running CUDA threads
  /// @{
  void end_thread();
  void barrier(Site site);
  int barrier_count(int predicate, int &arrived, Site site);
  Exchanged exchange(unsigned mask, uint64_t value, Site site, Meet meet);
  /// \param call  where it was called
  /// \param caller  where the function that called it returns to; null: it is the first one on its stack
  unsigned converge(Site site, const void *call, const void *caller);
  void barrier_of(int first, int count, Site site);
  unsigned
  named_barrier(unsigned number, unsigned threads, NamedUse use, bool predicate, Site site);
  /// \param tries  comes back when nobody of the block can go on. \return whether the phase has ended
  bool wait_for_phase(PhaseBarrier &barrier, unsigned phase, bool tries, Site site);
  /// A phase of this barrier has ended.
  void phase_ended(const PhaseBarrier &barrier);
  void know(const PhaseBarrier &barrier, Site site);
  void forget(const PhaseBarrier &barrier);
  const KnownBarrier *known(const PhaseBarrier &barrier) const;
  /// How many threads of the block wait for one of its phases.
  int waiters_of(const PhaseBarrier &barrier) const;
  void cluster_arrive(bool releases, Site site);
  void cluster_wait(Site site);
  const void **thread_slots() { return slots_.data(); }
  AsyncOperations &async() { return async_; }
  /// Whether the caller is the lowest thread that has not exited. After a barrier.
  bool is_first() const;
  /// \param asked  how often the thread has looked for what it waits for since it last yielded
  void yield(Stop why = Stop::barrier, unsigned asked = 1);
  /// The block ends here, and its launch; of a fault it is told what.
  [[noreturn]] void abandon(Fault fault = {});
  /// The same where a thread's stack is as good as overrun, as the instruments see it.
  /// \param instruction  as a return address
  [[noreturn]] void abandon_overrun(const char *instruction);
  int current() const;
  /// @}

  /// Its own; null where it is alone and none of its threads has come to a barrier of it.
  const Cluster *cluster() const { return cluster_; }
  /// After a launch: a thread that used more than its stack, or -1.
  int overrun_stack() const;
  /// Bytes of its stack that a thread has for itself.
  size_t local_memory() const;
  /// Whether functions of ours can be called from a frame of the running thread's, in free mode.
  bool has_room_below(const void *frame) const;
  bool running() const { return running_; }
  /// Whether all its threads have exited, in free mode.
  bool all_exited() const { return live_ == 0; }
  /// Each __syncthreads() that its threads have passed together so far, and for those of one warp each __syncwarp(), too;
  /// none where nobody looks on.
  std::vector<Site> passed_barriers(bool in_one_warp) const;
  /// Who looks on; null in plain programs.
  BlockWatcher *watcher() const { return watcher_.get(); }
  /// Whether its threads have only asked again and again for something.
  bool waits_in_vain() const { return patience_ > 16; }
  /// Whether `address` is the engine's own, as what a warp's lanes leave for each other is.
  bool keeps(const char *address) const {
    const auto within = [address](const void *begin, size_t bytes) {
      return static_cast<size_t>(address - static_cast<const char *>(begin)) < bytes;
    };
    return within(this, sizeof *this) || within(warps_.data(), warps_.size() * sizeof(Warp));
  }
  /// The same, or it is on the running thread's stack.
  bool owns(const char *address) const { return keeps(address) || stacks_->holds(address); }
  const StackPool &stacks() const { return *stacks_; }
  /// As one made now for so many threads, if so many bytes of addresses were free before.
  bool has_as_large_stacks(int threads, size_t freed) const;
  uint32_t exited_lanes(int warp) const { return warps_[static_cast<size_t>(warp)].exited; }
  /// Lets the other lanes of its warp catch up: the running thread has left too much to look at.
  void pause() { yield(Stop::full); }
  /// Lets another one run first, if the order has it so: the running thread waits for nobody, and lanes that come
  /// together wait for it.
  void stand_back();

private:
  enum class Mode { plain, ordered, free };
  enum class Wait : uint8_t { none, barrier, warp, warps, converge, phase, named, cluster };

  void begin(uint64_t linear, KernelBody body);
  void begin_plain();
  /// \param as  whom the running thread stands among meanwhile
  void yield_as(ThreadSet &as, Stop why, unsigned asked);
  bool next_block();
  Outcome stopped();
  bool gives_way();
  void leave_plain();
  void leave_ordered();
  void become(int thread);
  void begin_on_new_fiber(int thread);
  void run_on(Fiber &fiber, int thread);
  void go(int thread);
  void go_to_main();
  void wait_for_turn(int next);
  int next_in_turn();
  int pick();
  bool next_thread();
  void begin_all();
  int exited_in_order() const;
  int waiting_in_order() const;
  bool pass_in_order(Site site);
  void arrive_at_barrier(Site site);
  void release_barrier();
  void warn_of_exited();
  void exit_thread();
  Exchanged exchange_free(unsigned mask, uint64_t value, Site site, Meet meet);
  Meeting &find_meeting(Warp &warp, unsigned mask);
  void wake_if_complete(int warp, Meeting &meeting);
  void wake_if_complete(WarpsMeeting &meeting);
  bool release_converged();
  void wake(PhaseWaiters &waiters);
  bool bring_bytes();
  void look_at_phases();
  void forget_barriers();
  bool tried_in_vain();
  uint64_t state_of_waits() const;
  void look_at_use(unsigned number, unsigned threads, Site site);
  void wake_if_complete(NamedBarrier &barrier);
  void add_wait(Message &message, int thread) const;
  void add_lanes(Message &message, int thread) const;
  bool waits_for_others() const;
  bool tell_peer_fault(const Fault &fault) const;
  void enter_cluster();
  void leave_cluster(int thread);
  void end_cluster_barrier();
  void pass_cluster_barrier();
  uint64_t call_path(const void *call, const void *caller) const;
  void note_wait(Wait kind, Site site);
  void report_deadlock();

  const bool resident_;
  std::unique_ptr<BlockWatcher> watcher_;
  Mode mode_ = Mode::plain;
  uint3 index_{}; // blockIdx
  uint64_t more_ = 0; // blocks that may follow
  bool running_ = false;
  bool abandoned_ = false;
  bool stuck_ = false; // its threads ask again and again for what never comes
  Fault fault_;
  int thread_count_ = 0;
  int started_ = 0; // threads [0, started_) have begun
  int live_ = 0; // threads that have not exited (free mode)

  // Ordered mode, while `turn` names no thread that is due: threads [0, n) wait at the barrier. In
  // other modes, and as soon as one has exited, nobody waits in order: at_barrier_ is -1.
  int at_barrier_ = -1;
  int exited_ = 0; // threads [0, n), unless `turn` says who leaves next

  // Free mode.
  ThreadSet ready_;
  ThreadSet yielded_;
  ThreadSet barrier_waiters_;
  ThreadSet converge_waiters_;
  // A block of a cluster is always in free mode. Its threads that have arrived at the cluster's barrier and not waited, of
  // this round of it and of the last one; and those that wait.
  ThreadSet cluster_arrived_, cluster_passed_, cluster_waiters_;
  unsigned patience_ = 0; // rounds of this block in which all who wait were asked again
  unsigned asked_ = 0; // how often its threads have looked for something in this turn of its
  std::vector<WarpsMeeting> warps_meetings_; // all that there were in this block
  bool any_barriers_ = true; // of those below has this block used one, or the one before
  std::vector<PhaseWaiters> phase_waiters_;
  std::vector<KnownBarrier> known_barriers_;
  ThreadSet trying_; // of those that wait for phases: they may be told that it has not ended
  std::array<uint16_t, max_threads> tries_; // how often each was, and nothing else has happened
  uint64_t tried_at_ = 0; // what the barriers were like then
  bool in_vain_ = false; // the last one who asked, and all the others
  std::array<NamedBarrier, named_barriers> named_;
  std::array<const void *, max_threads> waits_at_; // a barrier with phases, or a named one
  std::array<const void *, max_threads> slots_;
  std::array<Site, max_threads> wait_site_;
  std::array<Wait, max_threads> wait_;
  std::array<uint64_t, max_threads>
      converge_path_; // by which calls it came to where it waits in converge()
  std::array<uint32_t, max_threads> told_; // when it goes on: who converged, who agreed

  Site first_site_; // where the first thread waits at the barrier
  int first_thread_ = 0;
  int waiting_ = 0; // threads at the barrier (free mode)
  bool divergence_reported_ = false;
  static constexpr size_t most_sites = 64;
  std::vector<Site> passed_; // barriers, as long as all came to the same
  std::vector<Site> passed_by_warps_; // each __syncwarp()

  struct Count {
    int nonzero = 0;
    int arrived = 0;
  };
  std::array<Count, 2> counts_; // of __syncthreads_count, by the parity of the round
  unsigned round_ = 0; // barriers released so far
  AsyncOperations async_;

  Life life_ = Life::awaited;
  Cluster *joined_ = nullptr;
  Cluster *cluster_ = nullptr; // the same, or `alone_` where that is in use
  std::shared_ptr<Cluster> alone_; // of this block and no other
  KernelBody body_{};
  std::unique_ptr<StackPool> stacks_;
  Fiber main_;
  std::array<Fiber, max_threads + 1> fibers_; // each has one behind it
  std::array<Fiber *, max_threads> fiber_of_; // of threads that have begun
  int fibers_used_ = 0;
  int fibers_ever_used_ = 0;
  std::vector<Warp> warps_;
};

/// The block that this host thread works on; null outside kernels.
extern constinit thread_local Block *this_block;
/// Who looks on at what this host thread executes of a kernel; null outside kernels and in plain programs. Read for each
/// basic block and each access.
extern constinit thread_local BlockWatcher *this_watcher;

} // namespace emu
