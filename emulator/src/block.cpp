#include "block.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sched.h>

#include "block_switch.hpp"
#include "grid.hpp"
#include "schedule.hpp"

constinit thread_local uint3 threadIdx{};
constinit thread_local uint3 blockIdx{};
constinit thread_local dim3 blockDim{};
constinit thread_local dim3 gridDim{};

namespace emu {

constinit thread_local int plain_threads_left = -1;
constinit thread_local Block *this_block = nullptr;

namespace {

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

void ThreadSet::take(ThreadSet &other) {
  for (size_t word = 0; word < words_.size(); ++word) {
    words_[word] |= other.words_[word];
    other.words_[word] = 0;
  }
}

// ---------------------------------------------------------------------------- a block's lifetime

Block::Block(int most_threads, bool resident)
    : resident_(resident), warps_(static_cast<size_t>((most_threads + warp_size - 1) / warp_size)) {
  size_t stack_kb = 64;
  if (const char *text = std::getenv("EMU_STACK_KB"))
    stack_kb = std::strtoul(text, nullptr, 10);
  if (stack_kb < 16)
    stack_kb = 16;
  stacks_ = std::make_unique<StackPool>(most_threads, stack_kb << 10, !resident);
}

void Block::begin(uint64_t linear, KernelBody body) {
  index_.x = static_cast<unsigned>(linear % gridDim.x);
  linear /= gridDim.x;
  index_.y = static_cast<unsigned>(linear % gridDim.y);
  index_.z = static_cast<unsigned>(linear / gridDim.y);
  blockIdx = index_;
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
  warps_meetings_.clear();
  spins = 0;
}

Block::Outcome Block::run(uint64_t linear, KernelBody body) {
  stacks_->enter();
  begin(linear, body);
  running_ = true;
  started_ = 0;
  // The first thread, and with luck all of them, on the first stack.
  become(0);
  if (watcher && !resident_) {
    watcher->block_begins(linear, thread_count_);
    leave_plain();
    leave_ordered();
  }
  switch_fiber(main_, *fiber_);
  return stopped();
}

Block::Outcome Block::resume() {
  stacks_->enter();
  blockIdx = index_;
  running_ = true;
  ready_.take(yielded_);
  become(pick());
  switch_fiber(main_, *fiber_);
  return stopped();
}

// Nothing runs any more: is it the end?
Block::Outcome Block::stopped() {
  running_ = false;
  if (watcher && !resident_)
    watcher->block_ends();
  plain_threads_left = -1;
  if (fibers_used_ > fibers_ever_used_)
    fibers_ever_used_ = fibers_used_;
  if (!abandoned_ && live_ == 0)
    return Outcome::done;
  if (!abandoned_ && resident_ && !yielded_.empty())
    return Outcome::suspended;
  if (!abandoned_)
    report_deadlock();
  // These stacks hold frames of threads that never come back.
  for (int i = 0; i < fibers_used_; ++i)
    fibers_[static_cast<size_t>(i)].started = false;
  return Outcome::failed;
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

// All threads that this stack had to run have exited. Comes back when a later block uses it.
//
// Part of fiber_main: a processor predicts where a return goes from the calls it has seen, and on
// another stack that is right only where the calls nest alike.
inline __attribute__((always_inline)) void Block::finish_fiber() {
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

void Block::fiber_main() {
  for (;;) {
    body_.threads(body_.body);
    finish_fiber();
  }
}

void Block::leave_plain() {
  const int thread = current();
  const int warps = (thread_count_ + warp_size - 1) / warp_size;
  for (int i = 0; i < warps; ++i) {
    Warp &warp = warps_[static_cast<size_t>(i)];
    const int lanes = thread_count_ - i * warp_size;
    warp.members = lanes >= warp_size ? ~0u : (1u << lanes) - 1;
    warp.exited = 0;
    warp.turn = 0;
    warp.used = 2;
    for (int k = 0; k < warp.used; ++k)
      warp.meetings[static_cast<size_t>(k)].arrived = warp.meetings[static_cast<size_t>(k)].unread =
          0;
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
  const Warp &warp = warps_[static_cast<size_t>(my_warp)];
  const Meeting &meeting = warp.meetings[static_cast<size_t>(warp.turn)];
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

// Free mode: of the threads that are ready or have not begun, the one to run next; -1 if there are
// none.
int Block::next_in_turn() {
  Schedule &order = schedule();
  if (!watcher || !order.drawn()) {
    const int thread = ready_.next(current_ + 1);
    if (thread >= 0)
      return thread;
    return started_ < thread_count_ ? started_ : ready_.next(0);
  }
  if (order.one_in(4))
    ready_.take(yielded_);
  if (started_ < thread_count_ && (ready_.empty() || order.one_in(2)))
    return started_;
  const int thread = ready_.next(static_cast<int>(order.below(uint64_t(thread_count_))));
  return thread >= 0 ? thread : ready_.next(0);
}

// Free mode: who runs next, or -1 if nobody can.
int Block::pick() {
  int thread = next_in_turn();
  if (thread >= started_)
    return thread; // it has not begun, so it is in no set
  if (thread < 0) {
    // Only now, when nothing else can run, do the patient ones get their turn.
    if (!release_converged() && !yielded_.empty()) {
      if (resident_) // another block's turn
        return -1;
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
  Warp &warp = warps_[static_cast<size_t>(index)];
  warp.exited |= 1u << (current_ % warp_size);
  for (int i = 0; i < warp.used; ++i)
    wake_if_complete(index, warp.meetings[static_cast<size_t>(i)]);
  for (WarpsMeeting &meeting : warps_meetings_)
    wake_if_complete(meeting);
  // A barrier waits for the threads that have not exited.
  if (waiting_ > 0 && waiting_ == live_)
    release_barrier();
}

void Block::note_wait(Wait kind, Site site) {
  wait_[static_cast<size_t>(current_)] = kind;
  wait_site_[static_cast<size_t>(current_)] = site;
}

} // namespace emu
