// How threads wait: at barriers, in warp operations, for each other's sake.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <unwind.h>

#include "engine/block_switch.hpp"
#include "engine/cluster.hpp"
#include "engine/drawn_order.hpp"
#include "engine/failures.hpp"
#include "engine/lanes.hpp"
#include "engine/message.hpp"

namespace emu {

namespace {

bool holds(const std::vector<Site> &sites, Site site) {
  return std::any_of(sites.begin(), sites.end(), [&](const Site &one) { return same(one, site); });
}

void note_passed(std::vector<Site> &passed, Site site) {
  if (passed.size() < passed.capacity() && !holds(passed, site))
    passed.push_back(site);
}

// All have to come for the same.
void come_to(Meeting &meeting, unsigned lane, Site site, Meet meet, uint64_t value) {
  if (meeting.arrived != 0 && meeting.meet != meet) [[unlikely]]
    complain_of_meeting(meeting, meet, site);
  meeting.site = site;
  meeting.meet = meet;
  meeting.last = static_cast<int>(lane);
  meeting.value[lane] = value;
  meeting.arrived |= 1u << lane;
}

} // namespace

// ---------------------------------------------------------------------------------- the barrier

// How many threads wait in order; -1: there is no order.
int Block::waiting_in_order() const { return turn.due ? turn.due->thread : at_barrier_; }

bool Block::pass_in_order(Site site) {
  const int thread = turn.fiber->thread, next = thread + 1;
  if (waiting_in_order() != thread)
    return false;
  if (thread == 0)
    turn.site = site;
  else if (!same(site, turn.site))
    return false;
  if (next == thread_count_) {
    release_barrier();
    wait_for_turn(0);
    return true;
  }
  if (thread == 0 && started_ < thread_count_)
    begin_all();
  at_barrier_ = next;
  if (started_ == thread_count_) {
    at_barrier_ = thread_count_ - 1; // for when nobody in between is due any more
    turn.due = next < at_barrier_ ? &fibers_[static_cast<size_t>(next)] : nullptr;
  }
  wait_for_turn(next);
  return true;
}

void Block::barrier(Site site) {
  if (mode_ == Mode::plain)
    leave_plain();
  if (mode_ == Mode::ordered) {
    if (pass_in_order(site))
      return;
    leave_ordered();
  }
  arrive_at_barrier(site);
}

void Block::arrive_at_barrier(Site site) {
  const int current = turn.fiber->thread;
  if (watcher_)
    watcher_->thread_stops(current, Stop::barrier);
  if (waiting_ == 0) {
    first_site_ = site;
    first_thread_ = current;
  } else if (!same(site, first_site_) && !divergence_reported_) {
    divergence_reported_ = true;
    complain("divergent_barrier",
             holds(passed_, site) && holds(passed_, first_site_)
                 ? "not all threads of the block reach the same __syncthreads(): they wait at two, "
                   "both of which all have passed before"
                 : "not all threads of the block reach the same __syncthreads(): they wait at two",
             site,
             thread_index(first_thread_),
             first_site_);
  }
  barrier_waiters_.insert(current);
  note_wait(Wait::barrier, site);
  if (++waiting_ == live_)
    release_barrier();
  wait_for_turn(mode_ == Mode::ordered ? 0 : pick());
}

std::vector<Site> Block::passed_barriers(bool in_one_warp) const {
  std::vector<Site> all = passed_;
  if (in_one_warp)
    all.insert(all.end(), passed_by_warps_.begin(), passed_by_warps_.end());
  return all;
}

void Block::release_barrier() {
  counts_[(round_ + 1) & 1] = {};
  ++round_;
  if (mode_ == Mode::ordered) {
    at_barrier_ = 0;
    turn.due = nullptr;
    return;
  }
  waiting_ = 0;
  if (watcher_ && !divergence_reported_)
    note_passed(passed_, first_site_);
  divergence_reported_ = false;
  if (watcher_) {
    watcher_->barrier_released();
    if (live_ < thread_count_)
      warn_of_exited();
  }
  if (live_ == thread_count_ && !watcher_ && !cluster_) {
    // Everybody is here: from now on the order of ids will do again.
    barrier_waiters_.clear();
    mode_ = Mode::ordered;
    at_barrier_ = 0;
    exited_ = 0;
    live_ = 0;
  } else {
    ready_.take(barrier_waiters_);
  }
}

// A barrier does not wait for threads that have exited; whoever wrote it may think that it does.
void Block::warn_of_exited() {
  int thread = 0;
  while (!(warps_[static_cast<size_t>(thread / warp_size)].exited >> (thread % warp_size) & 1))
    ++thread;
  const uint3 index = thread_index(thread);
  const bool whole_warps =
      std::all_of(warps_.begin(),
                  warps_.begin() + (thread_count_ + warp_size - 1) / warp_size,
                  [](const Warp &warp) { return warp.exited == 0 || warp.exited == warp.members; });
  Message message;
  message.add("not all threads of the block reach the __syncthreads() in line %d: %d of %d%s were "
              "at the end of the kernel when the others passed it, the first of them thread ",
              first_site_.line,
              thread_count_ - live_,
              thread_count_,
              whole_warps ? ", whole warps," : "");
  if (blockDim.z > 1)
    message.add("(%u, %u, %u)", index.x, index.y, index.z);
  else if (blockDim.y > 1)
    message.add("(%u, %u)", index.x, index.y);
  else
    message.add("%u", index.x);
  complain("exited_at_barrier", message.text, first_site_);
}

int Block::barrier_count(int predicate, int &arrived, Site site) {
  const unsigned mine = round_ & 1;
  counts_[mine].nonzero += predicate != 0;
  ++counts_[mine].arrived;
  barrier(site);
  arrived = counts_[mine].arrived;
  return counts_[mine].nonzero;
}

// ------------------------------------------------------------------------------------- the warp

// Apart from what lanes need that come in another order than that of their ids: each has less to keep on its stack.
Exchanged Block::exchange(unsigned mask, uint64_t value, Site site, Meet meet) {
  if (mode_ == Mode::plain)
    leave_plain();
  if (mode_ != Mode::ordered)
    return exchange_free(mask, value, site, meet);
  const auto current = static_cast<unsigned>(turn.fiber->thread);
  const unsigned lane = current % warp_size;
  const uint32_t bit = 1u << lane;
  Warp &warp = warps_[current / warp_size];
  Meeting &meeting = warp.meetings[static_cast<size_t>(warp.turn)];
  if ((mask & warp.members) != warp.members || meeting.arrived != bit - 1) [[unlikely]] {
    leave_ordered();
    return exchange_free(mask, value, site, meet);
  }
  come_to(meeting, lane, site, meet, value);
  meeting.mask = mask;
  unsigned next = current + 1;
  warp.meetings[static_cast<size_t>(warp.turn ^ 1)].readers &= ~bit;
  if (meeting.arrived == warp.members) {
    meeting.met = meeting.readers = warp.members;
    meeting.arrived = 0;
    warp.turn ^= 1;
    next = current - lane;
  }
  wait_for_turn(static_cast<int>(next));
  return {meeting.value, meeting.met, 0};
}

Exchanged Block::exchange_free(unsigned mask, uint64_t value, Site site, Meet meet) {
  const int current = turn.fiber->thread;
  const int index = current / warp_size, lane = current % warp_size;
  const uint32_t bit = 1u << lane;
  Warp &warp = warps_[static_cast<size_t>(index)];
  if (!(mask & bit)) {
    complain_of_caller(mask, site);
    mask |= bit;
  }
  // Whoever comes here again has read what it was given before.
  for (int i = 0; i < warp.used; ++i)
    warp.meetings[static_cast<size_t>(i)].readers &= ~bit;
  Meeting &meeting = find_meeting(warp, mask);
  come_to(meeting, static_cast<unsigned>(lane), site, meet, value);
  note_wait(Wait::warp, site);
  wake_if_complete(index, meeting);
  wait_for_turn(pick());
  return {meeting.value, meeting.met, mask & warp.members & ~meeting.met};
}

// The meeting where lanes already gather under this mask, else one that nobody needs any more.
Meeting &Block::find_meeting(Warp &warp, unsigned mask) {
  Meeting *unused = nullptr;
  for (int i = 0; i < warp.used; ++i) {
    Meeting &meeting = warp.meetings[static_cast<size_t>(i)];
    if (meeting.arrived && meeting.mask == mask)
      return meeting;
    if (!meeting.arrived && !meeting.readers)
      unused = &meeting;
  }
  if (!unused) {
    unused = &warp.meetings[static_cast<size_t>(warp.used++)];
    unused->arrived = unused->readers = 0;
  }
  unused->mask = mask;
  return *unused;
}

void Block::wake_if_complete(int index, Meeting &meeting) {
  const Warp &warp = warps_[static_cast<size_t>(index)];
  const uint32_t needed = meeting.mask & warp.members & ~warp.exited;
  if (!meeting.arrived || (meeting.arrived & needed) != needed)
    return;
  meeting.met = meeting.readers = meeting.arrived;
  if (watcher_) {
    const bool sync = meeting.meet == Meet::sync;
    watcher_->lanes_met(index, meeting.mask & warp.members, sync ? meeting.site : Site());
    if (sync)
      note_passed(passed_by_warps_, meeting.site);
  }
  for (uint32_t rest = meeting.arrived; rest; rest &= rest - 1)
    ready_.insert(index * warp_size + __builtin_ctz(rest));
  meeting.arrived = 0;
}

// By which calls the running thread came here: two branches that call one function meet at one line of it, and are apart
// all the same.
uint64_t Block::call_path(const void *call, const void *caller) const {
  constexpr uint64_t spread = 0x9e3779b97f4a7c15; // 2^64 over the golden ratio
  struct Path {
    uint64_t hash;
    const void *first; // function on the stack
  } path = {reinterpret_cast<uint64_t>(call) * spread,
            body_.thread ? reinterpret_cast<const void *>(body_.thread)
                         : reinterpret_cast<const void *>(body_.threads)};
  if (caller == nullptr)
    return path.hash;
  // Mostly the kernel has called. A chain of frames would be quicker to follow, but then all kernels would have to keep
  // their frame pointers.
  if (_Unwind_FindEnclosingFunction(const_cast<void *>(caller)) == path.first)
    return path.hash ^ reinterpret_cast<uint64_t>(caller);
  _Unwind_Backtrace(
      [](_Unwind_Context *frame, void *argument) {
        Path &path = *static_cast<Path *>(argument);
        path.hash = (path.hash ^ _Unwind_GetIP(frame)) * spread;
        const bool first = reinterpret_cast<void *>(_Unwind_GetRegionStart(frame)) == path.first;
        return first ? _URC_NORMAL_STOP : _URC_NO_REASON;
      },
      &path);
  return path.hash;
}

unsigned Block::converge(Site site, const void *call, const void *caller) {
  if (mode_ == Mode::plain)
    leave_plain();
  if (mode_ == Mode::ordered)
    leave_ordered();
  converge_waiters_.insert(turn.fiber->thread);
  note_wait(Wait::converge, site);
  const auto me = static_cast<size_t>(turn.fiber->thread);
  converge_path_[me] = call_path(call, caller);
  wait_for_turn(pick());
  return told_[me];
}

// Wakes the lanes that wait in converge(): those of one warp that came to one site by the same calls go on together.
bool Block::release_converged() {
  if (converge_waiters_.empty())
    return false;
  for (int index = 0; index * warp_size < thread_count_; ++index) {
    uint32_t waiting = converge_waiters_.lanes(index);
    while (waiting) {
      const int first = index * warp_size + __builtin_ctz(waiting);
      uint32_t together = 0;
      for (uint32_t rest = waiting; rest; rest &= rest - 1) {
        const int thread = index * warp_size + __builtin_ctz(rest);
        if (same(wait_site_[static_cast<size_t>(thread)], wait_site_[static_cast<size_t>(first)]) &&
            converge_path_[static_cast<size_t>(thread)] ==
                converge_path_[static_cast<size_t>(first)])
          together |= rest & -rest;
      }
      for (uint32_t rest = together; rest; rest &= rest - 1)
        told_[static_cast<size_t>(index * warp_size + __builtin_ctz(rest))] = together;
      waiting &= ~together;
    }
  }
  ready_.take(converge_waiters_);
  return true;
}

// ------------------------------------------------------------------------------ several warps

void Block::barrier_of(int first, int count, Site site) {
  if (mode_ == Mode::plain)
    leave_plain();
  if (mode_ == Mode::ordered)
    leave_ordered();
  const auto found =
      std::find_if(warps_meetings_.begin(), warps_meetings_.end(), [&](const WarpsMeeting &m) {
        return m.first == first && m.count == count;
      });
  WarpsMeeting &meeting = found != warps_meetings_.end()
                              ? *found
                              : warps_meetings_.emplace_back(WarpsMeeting{first, count, {}});
  meeting.waiting.insert(turn.fiber->thread);
  note_wait(Wait::warps, site);
  wake_if_complete(meeting);
  wait_for_turn(pick());
}

void Block::wake_if_complete(WarpsMeeting &meeting) {
  const int end = std::min(meeting.first + meeting.count, thread_count_);
  bool anybody = false;
  for (int index = meeting.first / warp_size; index * warp_size < end; ++index) {
    const Warp &warp = warps_[static_cast<size_t>(index)];
    const uint32_t waiting = meeting.waiting.lanes(index);
    if ((waiting | warp.exited) != warp.members)
      return;
    anybody |= waiting != 0;
  }
  if (!anybody)
    return;
  ready_.take(meeting.waiting);
  if (watcher_)
    watcher_->warps_met(meeting.first, end - meeting.first);
}

bool Block::is_first() const {
  if (mode_ != Mode::free)
    return current() == 0;
  const int thread = current(), index = thread / warp_size;
  for (int i = 0; i < index; ++i)
    if (warps_[static_cast<size_t>(i)].exited != warps_[static_cast<size_t>(i)].members)
      return false;
  return (~warps_[static_cast<size_t>(index)].exited & ((1u << thread % warp_size) - 1)) == 0;
}

// -------------------------------------------------------------------------------------- the rest

void Block::yield(Stop why, unsigned asked) { yield_as(yielded_, why, asked); }

void Block::stand_back() { yield_as(joined_ ? yielded_ : ready_, Stop::full, 1); }

void Block::yield_as(ThreadSet &as, Stop why, unsigned asked) {
  asked_ += asked;
  if (watcher_ && why == Stop::full)
    watcher_->thread_stops(turn.fiber->thread, Stop::full);
  if (thread_count_ == 1 && !resident_ && watcher_) {
    sched_yield();
    return;
  }
  if (mode_ == Mode::plain)
    leave_plain();
  if (mode_ == Mode::ordered)
    leave_ordered();
  as.insert(turn.fiber->thread);
  // In a drawn order blocks that live at the same time come between each other's steps; those that go in step, behind it.
  DrawnOrder &order = drawn_order();
  const bool to_others = (joined_ || resident_) && watcher_ && order.drawn() &&
                         !(resident_ && order.in_step()) && order.one_in(8);
  wait_for_turn(to_others ? -1 : pick());
}

void Block::abandon(Fault fault) {
  abandoned_ = true;
  fault_ = fault;
  go_to_main();
  __builtin_unreachable();
}

void Block::abandon_overrun(const char *instruction) {
  tell_overrun(local_memory(), instruction);
  abandon();
}

void Block::report_deadlock() {
  int stuck = 0, example = -1, elsewhere = -1;
  for (int thread = 0; thread < thread_count_; ++thread) {
    const Warp &warp = warps_[static_cast<size_t>(thread / warp_size)];
    if (thread >= started_ || warp.exited >> (thread % warp_size) & 1)
      continue;
    ++stuck;
    if (example < 0)
      example = thread;
    const Site &site = wait_site_[static_cast<size_t>(thread)];
    if (elsewhere < 0 && !same(site, wait_site_[static_cast<size_t>(example)]))
      elsewhere = thread;
  }
  const auto index = static_cast<size_t>(example);
  Message message;
  add_wait(message.add("%d of %d threads wait for ever, this one ", stuck, thread_count_), example);
  threadIdx = thread_index(example);
  if (elsewhere >= 0)
    complain("deadlock",
             message.text,
             wait_site_[index],
             thread_index(elsewhere),
             wait_site_[static_cast<size_t>(elsewhere)]);
  else
    complain("deadlock", message.text, wait_site_[index]);
  record_failure(cudaErrorLaunchFailure);
}

// ------------------------------------------------------------- what device code calls by name

namespace {
Block &block_of_caller(const char *what, Site site) {
  if (!this_block) {
    std::fprintf(stderr,
                 "emulator: %s:%d: %s was called on the host; only kernels can call it\n",
                 site.file,
                 site.line,
                 what);
    std::abort();
  }
  return *this_block;
}
} // namespace

void barrier_slow(Site site) { block_of_caller("__syncthreads", site).barrier(site); }
int barrier_count(int predicate, int &arrived, Site site) {
  return block_of_caller("__syncthreads", site).barrier_count(predicate, arrived, site);
}
Exchanged exchange(unsigned mask, uint64_t value, Site site, Meet meet) {
  return block_of_caller("a warp operation", site).exchange(mask, value, site, meet);
}
void warn_of_absent(const char *what, unsigned absent, Site site) {
  if (!kernel_watcher)
    return;
  char text[160];
  std::snprintf(text,
                sizeof text,
                "%s names lanes that had exited (mask 0x%08x): only those that come may be named",
                what,
                absent);
  complain("absent_lanes", text, site);
}
unsigned converge_from(Site site, const void *caller) {
  return block_of_caller("__activemask", site).converge(site, __builtin_return_address(0), caller);
}
void run_each_thread() {
  entered_fiber();
  for (;;) {
    const auto run = turn.thread;
    const void *const body = turn.body;
    unsigned x = threadIdx.x;
    do {
      threadIdx.x = x;
      run(body);
    } while (__builtin_expect(in_a_row, true) && ++x < blockDim.x);
    end_thread();
  }
}
void end_thread_slow() { this_block->end_thread(); }
int lane_id() { return this_block ? this_block->current() % warp_size : 0; }
bool in_kernel() { return this_block && this_block->running(); }

constinit thread_local uint16_t spins = 0;
void barrier_of(int first, int count, Site site) {
  block_of_caller("a group's sync()", site).barrier_of(first, count, site);
}
const void **thread_slots() { return block_of_caller("a cooperative group", {}).thread_slots(); }
void yield(unsigned asked) {
  if (in_kernel())
    this_block->yield(Stop::barrier, asked);
}

} // namespace emu
