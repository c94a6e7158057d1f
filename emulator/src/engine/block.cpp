#include "engine/block.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "engine/block_switch.hpp"
#include "engine/cluster.hpp"
#include "engine/drawn_order.hpp"
#include "engine/failures.hpp"
#include "engine/surroundings.hpp"
#include "engine/watchdog.hpp"

constinit thread_local uint3 threadIdx{};
constinit thread_local uint3 blockIdx{};
constinit thread_local dim3 blockDim{};
constinit thread_local dim3 gridDim{};

namespace emu {

constinit thread_local Turn turn{};
constinit thread_local bool in_a_row = false;
constinit thread_local Block *this_block = nullptr;
constinit thread_local BlockWatcher *this_watcher = nullptr;

namespace {
// What functions of ours, the instruments and the C library may need of a stack below a kernel's own frames.
constexpr size_t room_below = 32 << 10;
constexpr size_t stack_bytes(int kb) { return (static_cast<size_t>(kb) << 10) + room_below; }
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

void ThreadSet::remove(const ThreadSet &others) {
  for (size_t word = 0; word < words_.size(); ++word)
    words_[word] &= ~others.words_[word];
}

// ---------------------------------------------------------------------------- a block's lifetime

Block::Block(int most_threads, bool resident)
    : resident_(resident), warps_(static_cast<size_t>((most_threads + warp_size - 1) / warp_size)) {
  const auto [usual, least] = stack_kb();
  stacks_ = std::make_unique<StackPool>(most_threads, stack_bytes(usual), stack_bytes(least));
  // Threads of kernels take no memory for the engine: operator new may be the program's own, and observed.
  passed_.reserve(most_sites);
  passed_by_warps_.reserve(most_sites);
}

bool Block::has_as_large_stacks(int threads, size_t freed) const {
  const auto [usual, least] = stack_kb();
  return stacks_->usable() >=
         StackPool::bytes_of(threads, stack_bytes(usual), stack_bytes(least), freed);
}

size_t Block::local_memory() const { return stacks_->usable() - room_below; }

bool Block::has_room_below(const void *frame) const {
  const char *const bottom = stacks_->bottom(static_cast<int>(turn.fiber - fibers_.data()));
  return static_cast<size_t>(static_cast<const char *>(frame) - bottom) >= room_below;
}

void Block::begin(uint64_t linear, KernelBody body) {
  index_ = index_of_block(linear);
  if (body.threads != body_.threads) // what waits on the stacks for another thread is the old one's
    drop();
  body_ = body;
  turn.body = body.body;
  turn.thread = body.thread;
  thread_count_ = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
  turn.last = &fibers_[static_cast<size_t>(thread_count_ - 1)];
  begin_plain();
}

// What a block starts with, whichever of the launch it is.
void Block::begin_plain() {
  blockIdx = index_;
  mode_ = Mode::plain;
  at_barrier_ = -1;
  in_a_row = true;
  turn.due = turn.leaving = nullptr;
  abandoned_ = stuck_ = false;
  divergence_reported_ = false;
  passed_.clear();
  passed_by_warps_.clear();
  live_ = 0;
  fibers_used_ = 0;
  started_ = 0;
  patience_ = asked_ = 0;
  counts_ = {};
  warps_meetings_.clear();
  if (any_barriers_)
    forget_barriers();
  cluster_ = joined_;
  async_.forget();
  spins = 0;
}

Block::Outcome Block::run(uint64_t linear, KernelBody body, uint64_t more) {
  stacks_->enter();
  begin(linear, body);
  more_ = more;
  running_ = true;
  // The first thread, and with luck all of them, on the first stack.
  become(0);
  if (kernel_watcher) {
    if (!watcher_)
      watcher_ = kernel_watcher->watch_blocks();
    watcher_->begins(linear, thread_count_);
    this_watcher = watcher_.get();
  }
  life_ = Life::alive;
  if (kernel_watcher || joined_) {
    leave_plain();
    leave_ordered();
  }
  switch_fiber(main_, *turn.fiber);
  return stopped();
}

Block::Outcome Block::resume() {
  stacks_->enter();
  blockIdx = index_;
  running_ = true;
  this_watcher = watcher_.get();
  async_.enter();
  ready_.take(yielded_);
  if (joined_)
    ready_.take(trying_);
  look_at_phases();
  asked_ = 0;
  turn.body = body_.body;
  turn.thread = body_.thread;
  turn.last = &fibers_[static_cast<size_t>(thread_count_ - 1)];
  more_ = 0;
  if (const int next = pick(); next >= 0) {
    become(next);
    switch_fiber(main_, *turn.fiber);
  }
  return stopped();
}

// Nothing runs any more: is it the end?
Block::Outcome Block::stopped() {
  running_ = false;
  this_watcher = nullptr;
  in_a_row = false;
  if (fibers_used_ > fibers_ever_used_)
    fibers_ever_used_ = fibers_used_;
  if (!abandoned_ && !stuck_ && live_ > 0 &&
      (!yielded_.empty() || !ready_.empty() || (joined_ && waits_for_others())))
    return Outcome::suspended;
  if (!abandoned_ && live_ == 0)
    async_.finish();
  life_ = Life::ended;
  if (watcher_)
    watcher_->ends();
  if (!abandoned_ && live_ == 0)
    return Outcome::done;
  if (!abandoned_)
    report_deadlock();
  else if (fault_.signal != 0 && !tell_peer_fault(fault_))
    tell_fault(fault_, stacks_->guarded_by(fault_.address) >= 0 ? local_memory() : 0);
  drop();
  return Outcome::failed;
}

void Block::drop() {
  for (int i = 0; i < fibers_ever_used_; ++i)
    fibers_[static_cast<size_t>(i)].sp = nullptr;
}

int Block::overrun_stack() const {
  for (int i = 0; i < fibers_ever_used_; ++i)
    if (stacks_->overrun(i))
      return i;
  return -1;
}

int Block::current() const {
  return mode_ == Mode::plain ? thread_number(threadIdx) : turn.fiber->thread;
}

// -------------------------------------------------------------------------- switching and modes

void Block::begin_on_new_fiber(int thread) {
  started_ = thread + 1;
  const int index = fibers_used_++;
  turn.fiber = &fibers_[static_cast<size_t>(index)];
  if (!turn.fiber->started())
    stacks_->prepare(*turn.fiber, index, body_.threads);
  run_on(*turn.fiber, thread);
}

// Lets all threads begin that have not, each on a stack of its own, when it is its turn. Nobody has exited,
// so that stacks and threads have the same numbers.
void Block::begin_all() {
  for (; started_ < thread_count_; ++started_, ++fibers_used_) {
    Fiber &fiber = fibers_[static_cast<size_t>(started_)];
    if (!fiber.started())
      stacks_->prepare(fiber, started_, body_.threads);
    run_on(fiber, started_);
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
      warp.meetings[static_cast<size_t>(k)].arrived =
          warp.meetings[static_cast<size_t>(k)].readers = 0;
  }
  mode_ = Mode::ordered;
  in_a_row = false;
  started_ = thread + 1;
  run_on(*turn.fiber, thread);
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
  exited_ = exited_in_order();
  live_ = thread_count_ - exited_;
  waiting_ = std::max(waiting_in_order(), 0);
  turn.due = turn.leaving = nullptr;
  first_site_ = turn.site;
  ready_.clear();
  yielded_.clear();
  trying_.clear();
  barrier_waiters_.clear();
  converge_waiters_.clear();
  for (ThreadSet *of_cluster : {&cluster_arrived_, &cluster_passed_, &cluster_waiters_})
    of_cluster->clear();
  for (int thread = 0; thread < exited_; ++thread)
    warps_[static_cast<size_t>(thread / warp_size)].exited |= 1u << (thread % warp_size);
  const int current = turn.fiber->thread, my_warp = current / warp_size;
  const Warp &warp = warps_[static_cast<size_t>(my_warp)];
  const Meeting &meeting = warp.meetings[static_cast<size_t>(warp.turn)];
  first_thread_ = 0;
  at_barrier_ = -1;
  for (int thread = exited_; thread < started_; ++thread) {
    const auto index = static_cast<size_t>(thread);
    if (thread == current)
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
  DrawnOrder &order = drawn_order();
  if (!watcher_ || !order.drawn()) {
    const int thread = ready_.next(turn.fiber->thread + 1);
    if (thread >= 0)
      return thread;
    return started_ < thread_count_ ? started_ : ready_.next(0);
  }
  async_.some_come();
  if (order.in_step()) { // nobody begins a round anew before all have ended theirs
    const int thread = ready_.next(turn.fiber->thread + 1);
    return thread < 0 && started_ < thread_count_ ? started_ : thread;
  }
  if (!phase_waiters_.empty() && order.one_in(4))
    bring_bytes();
  if (order.one_in(4)) {
    ready_.take(yielded_);
    ready_.take(trying_);
  }
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
    const bool somebody = release_converged() || (bring_bytes() && !ready_.empty());
    if (!somebody && !(yielded_.empty() && trying_.empty())) {
      if ((!yielded_.empty() || joined_) && gives_way())
        return -1;
      ready_.take(yielded_);
      ready_.take(trying_);
    }
    thread = ready_.next(0);
  }
  if (thread >= 0) {
    ready_.erase(thread);
    wait_[static_cast<size_t>(thread)] = Wait::none;
  }
  return thread;
}

int Block::exited_in_order() const { return turn.leaving ? turn.leaving->thread : exited_; }

// Starts another thread in place of the running one, which exits; false if this stack has no more to run.
bool Block::next_thread() {
  if (mode_ == Mode::plain) {
    const int next = thread_number(threadIdx) + 1;
    if (next == thread_count_)
      return false;
    threadIdx = thread_index(next);
    return true;
  }
  const int current = turn.fiber->thread;
  if (mode_ == Mode::ordered && exited_in_order() == current && waiting_in_order() <= 0) {
    exited_ = current + 1;
    // Where each thread has a stack of its own, most of them leave without coming here.
    if (current == 0 && fibers_used_ == thread_count_ && thread_count_ > 2) {
      turn.leaving = &fibers_[1];
      exited_ = thread_count_ - 1;
    }
    at_barrier_ = -1;
    turn.due = nullptr;
    // Threads that have not begun can run right here.
    if (current + 1 < started_ || started_ == thread_count_)
      return false;
  } else {
    if (mode_ == Mode::ordered)
      leave_ordered();
    exit_thread();
    if (started_ == thread_count_)
      return false;
  }
  run_on(*turn.fiber, started_++);
  threadIdx = turn.fiber->index;
  return true;
}

// A block whose threads never waited is followed by the next one where it was, on the first stack.
bool Block::next_block() {
  if (mode_ != Mode::plain || more_ == 0)
    return false;
  --more_;
  async_.finish();
  block_finished();
  if (++index_.x == gridDim.x) {
    index_.x = 0;
    if (++index_.y == gridDim.y) {
      index_.y = 0;
      ++index_.z;
    }
  }
  begin_plain();
  become(0);
  return true;
}

void Block::end_thread() {
  if (next_thread() || next_block())
    return;
  int next = -1;
  if (mode_ == Mode::ordered && turn.fiber->thread + 1 < thread_count_)
    next = turn.fiber->thread + 1;
  else if (mode_ == Mode::free)
    next = pick();
  if (next < 0)
    go_to_main();
  else
    go(next);
}

void Block::exit_thread() {
  const int current = turn.fiber->thread;
  if (watcher_)
    watcher_->thread_stops(current, Stop::exit);
  --live_;
  const int index = current / warp_size;
  Warp &warp = warps_[static_cast<size_t>(index)];
  warp.exited |= 1u << (current % warp_size);
  for (int i = 0; i < warp.used; ++i)
    wake_if_complete(index, warp.meetings[static_cast<size_t>(i)]);
  for (WarpsMeeting &meeting : warps_meetings_)
    wake_if_complete(meeting);
  for (size_t i = 0; any_barriers_ && i < named_.size(); ++i)
    if (named_[i].arrived > 0 && named_[i].threads == 0)
      wake_if_complete(named_[i]);
  if (cluster_)
    leave_cluster(current);
  // A barrier waits for the threads that have not exited.
  if (waiting_ > 0 && waiting_ == live_)
    release_barrier();
}

void Block::note_wait(Wait kind, Site site) {
  const auto current = static_cast<size_t>(turn.fiber->thread);
  wait_[current] = kind;
  wait_site_[current] = site;
}

void fail_launch(int error, const char *kind, const char *text, Site site) {
  complain(kind, text, site);
  record_failure(static_cast<cudaError_t>(error));
  this_block->abandon();
}

} // namespace emu
