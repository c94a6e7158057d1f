#include "block.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sched.h>

#include "grid.hpp"

constinit thread_local uint3 threadIdx{};
constinit thread_local uint3 blockIdx{};
constinit thread_local dim3 blockDim{};
constinit thread_local dim3 gridDim{};

namespace emu {

constinit thread_local int plain_threads_left = -1;
constinit thread_local Block* this_block = nullptr;

namespace {

uint3 thread_index(int thread) {
  const unsigned linear = static_cast<unsigned>(thread);
  if (linear < blockDim.x)
    return {linear, 0, 0};
  const unsigned row = linear / blockDim.x;
  return {linear % blockDim.x, row % blockDim.y, row / blockDim.y};
}

bool same(Site a, Site b) { return a.line == b.line && a.file == b.file; }

void enter_fiber() {
  entered_fiber();
  this_block->fiber_main();
}

} // namespace

// ------------------------------------------------------------------------------------ ThreadSet

bool ThreadSet::empty() const {
  for (uint64_t word : words_)
    if (word)
      return false;
  return true;
}

int ThreadSet::next(int from) const {
  if (from >= max_threads)
    return -1;
  size_t word = static_cast<size_t>(from) >> 6;
  uint64_t bits = words_[word] & (~uint64_t{0} << (from & 63));
  while (!bits) {
    if (++word == words_.size())
      return -1;
    bits = words_[word];
  }
  return static_cast<int>(word * 64) + __builtin_ctzll(bits);
}

void ThreadSet::take(ThreadSet& other) {
  for (size_t word = 0; word < words_.size(); ++word) {
    words_[word] |= other.words_[word];
    other.words_[word] = 0;
  }
}

// ---------------------------------------------------------------------------- a block's lifetime

Block::Block() {
  size_t stack_kb = 64;
  if (const char* text = std::getenv("EMU_STACK_KB"))
    stack_kb = std::strtoul(text, nullptr, 10);
  if (stack_kb < 16)
    stack_kb = 16;
  stacks_ = std::make_unique<StackPool>(max_threads, stack_kb << 10);
}

void Block::begin(uint64_t linear, KernelBody body) {
  blockIdx.x = static_cast<unsigned>(linear % gridDim.x);
  linear /= gridDim.x;
  blockIdx.y = static_cast<unsigned>(linear % gridDim.y);
  blockIdx.z = static_cast<unsigned>(linear / gridDim.y);
  body_ = body;
  thread_count_ = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
  mode_ = Mode::plain;
  at_barrier_ = -1;
  plain_threads_left = thread_count_ - 1;
  abandoned_ = false;
  divergence_reported_ = false;
  live_ = 0;
  fibers_used_ = 0;
  counts_ = {};
  spins = 0;
}

// Makes `thread` the running one: on its own stack if it has begun, else on a new one.
inline __attribute__((always_inline)) void Block::become(int thread) {
  current_ = thread;
  if (thread < started_) [[likely]]
    fiber_ = fiber_of_[static_cast<size_t>(thread)];
  else
    begin_on_new_fiber(thread);
}

bool Block::run(uint64_t linear, KernelBody body) {
  begin(linear, body);
  running_ = true;
  started_ = 0;
  // The first thread, and with luck all of them, on the first stack.
  become(0);
  if (watcher) {
    watcher->block_begins(linear, thread_count_);
    leave_plain();
    leave_ordered();
  }
  switch_fiber(main_, *fiber_);
  running_ = false;
  if (watcher)
    watcher->block_ends();
  plain_threads_left = -1;
  if (fibers_used_ > fibers_ever_used_)
    fibers_ever_used_ = fibers_used_;
  if (abandoned_ || live_ > 0) {
    if (!abandoned_)
      report_deadlock();
    // These stacks hold frames of threads that never come back.
    for (int i = 0; i < fibers_used_; ++i)
      fibers_[static_cast<size_t>(i)].started = false;
    return false;
  }
  return true;
}

int Block::overrun_stack() const {
  for (int i = 0; i < fibers_ever_used_; ++i)
    if (stacks_->overrun(i))
      return i;
  return -1;
}

int Block::current() const {
  return mode_ == Mode::plain ? thread_count_ - 1 - plain_threads_left : current_;
}

// -------------------------------------------------------------------------- switching and modes

void Block::begin_on_new_fiber(int thread) {
  started_ = thread + 1;
  const int index = fibers_used_++;
  fiber_ = fiber_of_[static_cast<size_t>(thread)] = &fibers_[static_cast<size_t>(index)];
  if (!fiber_->started)
    stacks_->prepare(*fiber_, index, enter_fiber);
  threadIdx = thread_index(thread);
}

inline __attribute__((always_inline)) void Block::go(int thread) {
  Fiber& from = *fiber_;
  become(thread);
  switch_fiber(from, *fiber_);
}

void Block::go_to_main() { switch_fiber(*fiber_, main_); }

// Lets `next` run; returns when it is this thread's turn again.
inline __attribute__((always_inline)) void Block::wait_for_turn(int next) {
  if (next == current_)
    return;
  const uint3 mine = threadIdx;
  if (next < 0)
    go_to_main();
  else
    go(next);
  threadIdx = mine;
}

void Block::fiber_main() {
  for (;;) {
    body_.threads(body_.body);
    finish_fiber();
  }
}

// All threads that this stack had to run have exited. Comes back when a later block uses it.
void Block::finish_fiber() {
  int next = -1;
  if (mode_ == Mode::ordered && current_ + 1 < thread_count_)
    next = current_ + 1;
  else if (mode_ == Mode::free)
    next = pick();
  if (next < 0)
    go_to_main();
  else
    go(next);
}

void Block::leave_plain() {
  const int thread = current();
  const int warps = (thread_count_ + warp_size - 1) / warp_size;
  for (int i = 0; i < warps; ++i) {
    Warp& warp = warps_[static_cast<size_t>(i)];
    const int lanes = thread_count_ - i * warp_size;
    warp.members = lanes >= warp_size ? ~0u : (1u << lanes) - 1;
    warp.exited = 0;
    warp.turn = 0;
    warp.used = 2;
    for (int k = 0; k < warp.used; ++k)
      warp.meetings[static_cast<size_t>(k)].arrived =
          warp.meetings[static_cast<size_t>(k)].unread = 0;
  }
  mode_ = Mode::ordered;
  plain_threads_left = -1;
  current_ = thread;
  started_ = thread + 1;
  fiber_of_[static_cast<size_t>(thread)] = fiber_;
  at_barrier_ = 0;
  exited_ = thread;
  if (thread > 0) {
    at_barrier_ = -1;
    leave_ordered();
  }
}

// Writes down what the order has implied so far: who has exited, who waits where, who can run.
void Block::leave_ordered() {
  mode_ = Mode::free;
  live_ = thread_count_ - exited_;
  waiting_ = std::max(at_barrier_, 0);
  ready_.clear();
  yielded_.clear();
  barrier_waiters_.clear();
  converge_waiters_.clear();
  for (int thread = 0; thread < exited_; ++thread)
    warps_[static_cast<size_t>(thread / warp_size)].exited |= 1u << (thread % warp_size);
  const int my_warp = current_ / warp_size;
  const Warp& warp = warps_[static_cast<size_t>(my_warp)];
  const Meeting& meeting = warp.meetings[static_cast<size_t>(warp.turn)];
  first_thread_ = 0;
  at_barrier_ = -1;
  for (int thread = exited_; thread < started_; ++thread) {
    const auto index = static_cast<size_t>(thread);
    if (thread == current_)
      continue;
    if (thread < waiting_) {
      barrier_waiters_.insert(thread);
      wait_[index] = Wait::barrier;
      wait_site_[index] = first_site_;
    } else if (thread / warp_size == my_warp && meeting.arrived >> (thread % warp_size) & 1) {
      wait_[index] = Wait::warp;
      wait_site_[index] = meeting.site;
    } else {
      ready_.insert(thread);
    }
  }
}

// Free mode: who runs next, or -1 if nobody can.
int Block::pick() {
  int thread = ready_.next(current_ + 1);
  if (thread < 0 && started_ < thread_count_)
    return started_;
  if (thread < 0)
    thread = ready_.next(0);
  if (thread < 0) {
    // Only now, when nothing else can run, do the patient ones get their turn.
    if (!release_converged() && !yielded_.empty()) {
      ready_.take(yielded_);
      sched_yield();
    }
    thread = ready_.next(0);
  }
  if (thread >= 0) {
    ready_.erase(thread);
    wait_[static_cast<size_t>(thread)] = Wait::none;
  }
  return thread;
}

bool Block::next_thread() {
  if (mode_ == Mode::plain) {
    if (plain_threads_left == 0)
      return false;
    --plain_threads_left;
    threadIdx = thread_index(current());
    return true;
  }
  if (mode_ == Mode::ordered && exited_ == current_ && at_barrier_ <= 0) {
    ++exited_;
    at_barrier_ = -1;
    // Threads that have not begun can run right here.
    if (current_ + 1 < started_ || started_ == thread_count_)
      return false;
  } else {
    if (mode_ == Mode::ordered)
      leave_ordered();
    exit_thread();
    if (started_ == thread_count_)
      return false;
  }
  current_ = started_++;
  fiber_of_[static_cast<size_t>(current_)] = fiber_;
  threadIdx = thread_index(current_);
  return true;
}

void Block::exit_thread() {
  if (watcher)
    watcher->thread_stops(current_, Stop::exit);
  --live_;
  const int index = current_ / warp_size;
  Warp& warp = warps_[static_cast<size_t>(index)];
  warp.exited |= 1u << (current_ % warp_size);
  for (int i = 0; i < warp.used; ++i)
    wake_if_complete(index, warp.meetings[static_cast<size_t>(i)]);
  // A barrier waits for the threads that have not exited.
  if (waiting_ > 0 && waiting_ == live_)
    release_barrier();
}

void Block::note_wait(Wait kind, Site site) {
  wait_[static_cast<size_t>(current_)] = kind;
  wait_site_[static_cast<size_t>(current_)] = site;
}

// ---------------------------------------------------------------------------------- the barrier

// The common case, kept short: everybody so far has come here in order.
inline __attribute__((always_inline)) bool Block::pass_in_order(Site site) {
  const int thread = current_;
  if (at_barrier_ != thread)
    return false;
  if (thread == 0)
    first_site_ = site;
  else if (!same(site, first_site_))
    return false;
  int next = thread + 1;
  at_barrier_ = next;
  if (next == thread_count_) {
    release_barrier();
    if (thread == 0)
      return true;
    next = 0;
  }
  const uint3 mine = threadIdx;
  Fiber& from = *fiber_;
  become(next);
  switch_fiber(from, *fiber_);
  threadIdx = mine;
  return true;
}

void Block::barrier_out_of_order(Site site) {
  if (mode_ == Mode::plain) {
    leave_plain();
    if (pass_in_order(site))
      return;
  }
  if (mode_ == Mode::ordered)
    leave_ordered();
  arrive_at_barrier(site);
}

void Block::arrive_at_barrier(Site site) {
  if (watcher)
    watcher->thread_stops(current_, Stop::barrier);
  if (waiting_ == 0) {
    first_site_ = site;
    first_thread_ = current_;
  } else if (!same(site, first_site_) && !divergence_reported_) {
    divergence_reported_ = true;
    complain("divergent_barrier",
             "threads of one block wait at different __syncthreads()",
             site,
             thread_index(first_thread_),
             first_site_);
  }
  barrier_waiters_.insert(current_);
  note_wait(Wait::barrier, site);
  if (++waiting_ == live_)
    release_barrier();
  wait_for_turn(mode_ == Mode::ordered ? 0 : pick());
}

void Block::release_barrier() {
  counts_[(round_ + 1) & 1] = {};
  ++round_;
  if (mode_ == Mode::ordered) {
    at_barrier_ = 0;
    return;
  }
  waiting_ = 0;
  divergence_reported_ = false;
  if (watcher)
    watcher->barrier_released();
  if (live_ == thread_count_ && !watcher) {
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

int Block::barrier_count(int predicate, int& arrived, Site site) {
  const unsigned mine = round_ & 1;
  counts_[mine].nonzero += predicate != 0;
  ++counts_[mine].arrived;
  if (!pass_in_order(site))
    barrier_out_of_order(site);
  arrived = counts_[mine].arrived;
  return counts_[mine].nonzero;
}

// ------------------------------------------------------------------------------------- the warp

Exchanged Block::exchange(unsigned mask, uint64_t value, Site site) {
  if (mode_ == Mode::plain)
    leave_plain();
  const int index = current_ / warp_size, lane = current_ % warp_size;
  const uint32_t bit = 1u << lane;
  Warp& warp = warps_[static_cast<size_t>(index)];
  if (mode_ == Mode::ordered) {
    Meeting& meeting = warp.meetings[static_cast<size_t>(warp.turn)];
    if ((mask & warp.members) == warp.members && meeting.arrived == bit - 1) [[likely]] {
      meeting.value[lane] = value;
      meeting.arrived |= bit;
      meeting.site = site;
      meeting.mask = mask;
      int next = current_ + 1;
      if (meeting.arrived == warp.members) {
        meeting.met = meeting.unread = warp.members;
        meeting.arrived = 0;
        warp.turn ^= 1;
        next = index * warp_size;
      }
      wait_for_turn(next);
      meeting.unread &= ~bit;
      return {meeting.value, meeting.met};
    }
    leave_ordered();
  }
  if (!(mask & bit)) {
    complain("invalid_shuffle", "the calling lane is not in the mask it names", site);
    mask |= bit;
  }
  Meeting& meeting = find_meeting(warp, mask);
  meeting.value[lane] = value;
  meeting.arrived |= bit;
  meeting.site = site;
  note_wait(Wait::warp, site);
  wake_if_complete(index, meeting);
  wait_for_turn(pick());
  meeting.unread &= ~bit;
  return {meeting.value, meeting.met};
}

// The meeting where lanes already gather under this mask, else one that nobody needs any more.
Meeting& Block::find_meeting(Warp& warp, unsigned mask) {
  Meeting* unused = nullptr;
  for (int i = 0; i < warp.used; ++i) {
    Meeting& meeting = warp.meetings[static_cast<size_t>(i)];
    if (meeting.arrived && meeting.mask == mask)
      return meeting;
    if (!meeting.arrived && !meeting.unread)
      unused = &meeting;
  }
  if (!unused) {
    unused = &warp.meetings[static_cast<size_t>(warp.used++)];
    unused->arrived = unused->unread = 0;
  }
  unused->mask = mask;
  return *unused;
}

void Block::wake_if_complete(int index, Meeting& meeting) {
  const Warp& warp = warps_[static_cast<size_t>(index)];
  const uint32_t needed = meeting.mask & warp.members & ~warp.exited;
  if (!meeting.arrived || (meeting.arrived & needed) != needed)
    return;
  meeting.met = meeting.unread = meeting.arrived;
  if (watcher)
    watcher->lanes_met(index, meeting.met);
  for (uint32_t rest = meeting.arrived; rest; rest &= rest - 1)
    ready_.insert(index * warp_size + __builtin_ctz(rest));
  meeting.arrived = 0;
}

unsigned Block::converge(Site site) {
  if (mode_ == Mode::plain)
    leave_plain();
  if (mode_ == Mode::ordered)
    leave_ordered();
  converge_waiters_.insert(current_);
  note_wait(Wait::converge, site);
  const auto me = static_cast<size_t>(current_);
  wait_for_turn(pick());
  return converged_mask_[me];
}

// Wakes the lanes that wait in converge(): those of one warp at one site go on together.
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
        if (same(wait_site_[static_cast<size_t>(thread)], wait_site_[static_cast<size_t>(first)]))
          together |= rest & -rest;
      }
      for (uint32_t rest = together; rest; rest &= rest - 1)
        converged_mask_[static_cast<size_t>(index * warp_size + __builtin_ctz(rest))] = together;
      waiting &= ~together;
    }
  }
  ready_.take(converge_waiters_);
  return true;
}

// -------------------------------------------------------------------------------------- the rest

void Block::yield(Stop why) {
  if (watcher && why == Stop::full)
    watcher->thread_stops(current_, Stop::full);
  if (thread_count_ == 1) {
    sched_yield();
    return;
  }
  if (mode_ == Mode::plain)
    leave_plain();
  if (mode_ == Mode::ordered)
    leave_ordered();
  yielded_.insert(current_);
  wait_for_turn(pick());
}

void Block::abandon() {
  abandoned_ = true;
  go_to_main();
  __builtin_unreachable();
}

void Block::report_deadlock() {
  int stuck = 0, example = -1;
  for (int thread = 0; thread < thread_count_; ++thread) {
    const Warp& warp = warps_[static_cast<size_t>(thread / warp_size)];
    if (thread >= started_ || warp.exited >> (thread % warp_size) & 1)
      continue;
    ++stuck;
    if (example < 0)
      example = thread;
  }
  const auto index = static_cast<size_t>(example);
  char text[256];
  std::snprintf(text,
                sizeof text,
                "%d of %d threads wait for ever, this one at a %s",
                stuck,
                thread_count_,
                wait_[index] == Wait::barrier ? "__syncthreads()" : "warp operation");
  current_ = example;
  threadIdx = thread_index(example);
  complain("deadlock", text, wait_site_[index]);
  record_failure(cudaErrorLaunchFailure);
}

// ------------------------------------------------------------- what device code calls by name

namespace {
Block& block_of_caller(const char* what, Site site) {
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

void barrier(Site site) {
  if (this_block && this_block->pass_in_order(site)) [[likely]]
    return;
  block_of_caller("__syncthreads", site).barrier_out_of_order(site);
}
int barrier_count(int predicate, int& arrived, Site site) {
  return block_of_caller("__syncthreads", site).barrier_count(predicate, arrived, site);
}
Exchanged exchange(unsigned mask, uint64_t value, Site site) {
  return block_of_caller("a warp operation", site).exchange(mask, value, site);
}
unsigned converge(Site site) { return block_of_caller("__activemask", site).converge(site); }
bool next_thread_slow() { return this_block->next_thread(); }
int lane_id() { return this_block ? this_block->current() % warp_size : 0; }
bool in_kernel() { return this_block && this_block->running(); }

constinit thread_local int spins = 0;
void yield() {
  if (in_kernel())
    this_block->yield();
}

} // namespace emu
