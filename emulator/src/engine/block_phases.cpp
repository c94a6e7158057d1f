// Barriers with phases (mbarrier, cuda::barrier), and those of a part of a block (bar.sync): how threads wait there, who
// wakes them, and what is wrong with their use.
#include "emu/engine/phases.hpp"

#include <algorithm>

#include "emu/runtime/errors.hpp"
#include "engine/block_switch.hpp"
#include "engine/cluster.hpp"
#include "engine/failures.hpp"
#include "engine/shared_memory.hpp"

namespace emu {

namespace {

// How often all who wait ask in vain, and nothing else happens, before nothing ever will.
constexpr unsigned most_tries = 32;

std::string counted(long long number, const char *what) {
  return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
}

// The engine's own are of this host thread alone; others are shared with other host threads.
bool is_engines(const PhaseBarrier &barrier) { return this_block && is_shared_here(&barrier); }

BlockWatcher *watcher() { return this_block ? this_block->watcher() : nullptr; }

// Its variable, and its line where it was made ready: "the barrier s_full[1] (made ready in line 12)".
std::string name_of(const PhaseBarrier &barrier) {
  const auto at = static_cast<size_t>(reinterpret_cast<const char *>(&barrier) - static_shared);
  std::string name = "the barrier";
  for (const SharedVariable *variable : placed_shared_variables()) {
    const size_t from = at - variable->offset, elements = variable->extents[0];
    if (from >= variable->size)
      continue;
    name += std::string(" ") + variable->name;
    if (elements > 0)
      name += '[' + std::to_string(from / (variable->size / elements)) + ']';
  }
  if (const KnownBarrier *known = this_block ? this_block->known(barrier) : nullptr)
    name += " (made ready in line " + std::to_string(known->site.line) + ')';
  return name;
}

// "1 of 2 arrivals and 512 bytes are missing"
std::string what_is_missing(PhaseState state) {
  std::string text;
  if (state.pending() > 0)
    text = std::to_string(state.pending()) + " of " + counted(state.expected(), "arrival");
  if (state.bytes() > 0)
    text += (text.empty() ? "" : " and ") + counted(state.bytes(), "byte");
  const bool one = state.bytes() > 0 ? text.find(" and ") == std::string::npos && state.bytes() == 1
                                     : state.pending() == 1;
  text += text.empty() ? "" : one ? " is missing" : " are missing";
  if (state.bytes() < 0)
    text += (text.empty() ? "" : ", and ") +
            counted(-static_cast<long long>(state.bytes()), "byte") +
            " more than expected have come";
  return text;
}

// After a change of what was `before`: ends the phase if nothing is missing.
void settle(PhaseBarrier &barrier, PhaseState now) {
  if (!now.is_over()) {
    barrier.set(now);
    return;
  }
  barrier.set(now.next_phase());
  if (BlockWatcher *const looking_on = watcher())
    looking_on->phase_ends(&barrier);
  this_block->phase_ended(barrier);
}

} // namespace

// ------------------------------------------------------------------------------ barriers with phases

void refuse_barrier(const PhaseBarrier &barrier, const char *text, Site site) {
  fail_launch(
      cudaErrorLaunchFailure, "invalid_barrier", (name_of(barrier) + ' ' + text).c_str(), site);
}

PhaseState init_phases(PhaseBarrier &barrier, unsigned expected, Site site) {
  if (expected == 0 || expected > PhaseState::most)
    refuse_barrier(barrier,
                   ("is made ready for " + counted(static_cast<int>(expected), "arrival") +
                    ": from 1 to 1048575 can be expected")
                       .c_str(),
                   site);
  if (!is_engines(barrier))
    return PhaseState::first(expected);
  if (this_block->known(barrier)) {
    const PhaseState state = barrier.state();
    if (const int waiting = this_block->waiters_of(barrier); waiting > 0)
      refuse_barrier(
          barrier,
          ("is made ready again while " + counted(waiting, "thread") + " wait at it").c_str(),
          site);
    if (state.expected() > 0 && (state.pending() != state.expected() || state.bytes() != 0))
      refuse_barrier(
          barrier, ("is made ready again within a phase: " + what_is_missing(state)).c_str(), site);
  }
  this_block->know(barrier, site);
  if (BlockWatcher *const looking_on = watcher())
    looking_on->phases_begin(&barrier);
  return PhaseState::first(expected);
}

PhaseState end_phases(PhaseBarrier &barrier, Site site) {
  if (is_engines(barrier)) {
    if (const int waiting = this_block->waiters_of(barrier); waiting > 0)
      refuse_barrier(barrier,
                     ("is given up while " + counted(waiting, "thread") + " wait at it").c_str(),
                     site);
    this_block->forget(barrier);
  }
  return {};
}

PhaseState arrive_slow(PhaseBarrier &barrier, unsigned count, unsigned dropped, Site site) {
  const bool mine = is_engines(barrier);
  if (BlockWatcher *const looking_on = watcher())
    looking_on->arrives(&barrier, mine ? Scope::block : Scope::device);
  PhaseState before = barrier.state();
  if (before.expected() == 0)
    refuse_barrier(barrier, "was not made ready before a thread arrives", site);
  if (before.pending() < count)
    refuse_barrier(barrier,
                   ("gets " + counted(count, "arrival") +
                    " where its phase waits for no more than " + std::to_string(before.pending()))
                       .c_str(),
                   site);
  if (mine) {
    settle(barrier, before.after(count, dropped));
    return before;
  }
  for (;;) {
    const PhaseState after = before.after(count, dropped);
    if (barrier.change(before, after.is_over() ? after.next_phase() : after)) {
      if (BlockWatcher *const looking_on = watcher(); looking_on && after.is_over())
        looking_on->phase_ends(&barrier);
      return before;
    }
  }
}

void expect_bytes(PhaseBarrier &barrier, int64_t bytes, Site site) {
  if (!is_engines(barrier))
    refuse_barrier(barrier, "is not in shared memory: it cannot wait for bytes", site);
  const PhaseState before = barrier.state();
  if (before.expected() == 0)
    refuse_barrier(barrier, "was not made ready before it is told of bytes", site);
  const int64_t missing = before.bytes() + bytes;
  if (missing > int64_t{PhaseState::most} || -missing > int64_t{PhaseState::most})
    refuse_barrier(barrier, "is told of more than 1048575 bytes in one phase", site);
  settle(barrier, before.with_bytes(static_cast<int>(missing)));
}

bool wait_slow(PhaseBarrier &barrier, unsigned phase, bool tries, Site site) {
  if (const PhaseState now = barrier.state(); now.expected() == 0 && now.phase() == phase)
    refuse_barrier(barrier, "was not made ready before a thread waits at it", site);
  if (is_engines(barrier)) {
    if (barrier.state().phase() == phase &&
        !this_block->wait_for_phase(barrier, phase, tries, site))
      return false;
    this_block->async().found_ended(&barrier);
  } else {
    while (barrier.state().phase() == phase) {
      yield();
      if (tries)
        return barrier.state().phase() != phase;
    }
  }
  if (BlockWatcher *const looking_on = watcher())
    looking_on->phase_passed(&barrier, (barrier.state().phase() - phase - 1) % PhaseState::phases);
  return true;
}

void know_arrivals(const PhaseBarrier &barrier) {
  if (BlockWatcher *const looking_on = watcher()) {
    looking_on->phase_ends(&barrier);
    looking_on->phase_passed(&barrier, 0);
  }
}

void Block::forget_barriers() {
  any_barriers_ = false;
  phase_waiters_.clear();
  known_barriers_.clear();
  trying_.clear();
  tried_at_ = 0;
  for (NamedBarrier &barrier : named_)
    if (barrier.used)
      barrier = {};
}

void Block::know(const PhaseBarrier &barrier, Site site) {
  any_barriers_ = true;
  forget(barrier);
  known_barriers_.push_back({&barrier, site, 0});
}

void Block::forget(const PhaseBarrier &barrier) {
  std::erase_if(known_barriers_, [&](const KnownBarrier &k) { return k.barrier == &barrier; });
}

const KnownBarrier *Block::known(const PhaseBarrier &barrier) const {
  for (const KnownBarrier &each : known_barriers_)
    if (each.barrier == &barrier)
      return &each;
  return nullptr;
}

int Block::waiters_of(const PhaseBarrier &barrier) const {
  int count = 0;
  for (const PhaseWaiters &waiters : phase_waiters_)
    for (int t = waiters.waiting.next(0); waiters.barrier == &barrier && t >= 0;
         t = waiters.waiting.next(t + 1))
      ++count;
  return count;
}

bool Block::wait_for_phase(PhaseBarrier &barrier, unsigned phase, bool tries, Site site) {
  if (mode_ == Mode::plain)
    leave_plain();
  if (mode_ == Mode::ordered)
    leave_ordered();
  any_barriers_ = true;
  const int me = turn.fiber->thread;
  const auto find = [&]() -> PhaseWaiters & {
    PhaseWaiters *unused = nullptr;
    for (PhaseWaiters &each : phase_waiters_) {
      if (each.barrier == &barrier && each.phase == phase)
        return each;
      if (each.waiting.empty())
        unused = &each;
    }
    if (!unused)
      unused = &phase_waiters_.emplace_back();
    *unused = {&barrier, phase, {}};
    return *unused;
  };
  while (barrier.state().phase() == phase) {
    find().waiting.insert(me);
    if (tries)
      trying_.insert(me);
    waits_at_[static_cast<size_t>(me)] = &barrier;
    note_wait(Wait::phase, site);
    wait_for_turn(pick());
    find().waiting.erase(me);
    trying_.erase(me);
    if (tries) {
      stuck_ = barrier.state().phase() == phase && tried_in_vain();
      if (stuck_)
        go_to_main();
      break;
    }
  }
  return barrier.state().phase() != phase;
}

void Block::wake(PhaseWaiters &waiters) {
  trying_.remove(waiters.waiting);
  ready_.take(waiters.waiting);
}

void Block::phase_ended(const PhaseBarrier &barrier) {
  for (KnownBarrier &each : known_barriers_)
    each.ended += each.barrier == &barrier;
  for (PhaseWaiters &waiters : phase_waiters_)
    if (waiters.barrier == &barrier)
      wake(waiters);
  async_.phase_ended(&barrier);
}

// Brings what threads wait for. \return whether there was anything
bool Block::bring_bytes() {
  bool any = false;
  for (PhaseWaiters &waiters : phase_waiters_)
    any |= !waiters.waiting.empty() && async_.bring(*waiters.barrier);
  return any;
}

// Other blocks may have ended phases while this one was suspended.
void Block::look_at_phases() {
  for (PhaseWaiters &waiters : phase_waiters_)
    if (!waiters.waiting.empty() && waiters.barrier->state().phase() != waiters.phase)
      wake(waiters);
}

// Once more the running thread has asked for a phase in vain. \return whether nobody will ever end it: all others wait,
// or have been told as often, and nothing has happened since.
bool Block::tried_in_vain() {
  if (joined_)
    return false; // others of its cluster may end it
  uint64_t now = static_cast<uint64_t>(live_);
  for (const PhaseWaiters &waiters : phase_waiters_)
    now = now * 31 + waiters.barrier->state().bits;
  if (now != tried_at_)
    tries_.fill(0);
  tried_at_ = now;
  if (++tries_[static_cast<size_t>(turn.fiber->thread)] < most_tries || started_ < thread_count_)
    return false;
  const auto may_go_on = [this](int thread) {
    return thread == turn.fiber->thread || ready_.contains(thread) || yielded_.contains(thread) ||
           trying_.contains(thread);
  };
  for (int thread = 0; thread < thread_count_; ++thread)
    if (may_go_on(thread) && tries_[static_cast<size_t>(thread)] < most_tries)
      return false;
  if (bring_bytes())
    return false;
  for (int thread = 0; thread < thread_count_; ++thread) // for the report
    if (may_go_on(thread))
      wait_[static_cast<size_t>(thread)] = Wait::phase;
  return true;
}

// --------------------------------------------------------------------------------- named barriers

// What is wrong with coming to this barrier.
void Block::look_at_use(unsigned number, unsigned threads, Site site) {
  const std::string name = "the named barrier " + std::to_string(number);
  const auto refuse = [&](const std::string &text, uint3 thread = {}, Site other = {}) {
    complain("invalid_barrier", (name + ' ' + text).c_str(), site, thread, other);
    record_failure(cudaErrorLaunchFailure);
    abandon();
  };
  if (number >= named_barriers)
    refuse("is not there: they have the numbers 0 to 15");
  if (threads % warp_size != 0)
    refuse("is for " + std::to_string(threads) + " threads, which is no multiple of 32");
  const NamedBarrier &barrier = named_[number];
  const auto all = static_cast<unsigned>(thread_count_);
  const unsigned here = threads ? threads : all, there = barrier.threads ? barrier.threads : all;
  if (barrier.arrived > 0 && here != there)
    refuse("is for " + std::to_string(here) + " threads here and for " + std::to_string(there) +
               " where another one waits",
           barrier.first,
           barrier.site);
}

unsigned
Block::named_barrier(unsigned number, unsigned threads, NamedUse use, bool predicate, Site site) {
  if (mode_ == Mode::plain)
    leave_plain();
  if (mode_ == Mode::ordered)
    leave_ordered();
  look_at_use(number, threads, site);
  NamedBarrier &barrier = named_[number];
  const int me = turn.fiber->thread;
  if (watcher_) {
    if (!barrier.used)
      watcher_->phases_begin(&barrier);
    watcher_->arrives(&barrier, Scope::block);
  }
  any_barriers_ = barrier.used = true;
  if (barrier.arrived == 0) {
    barrier.threads = threads;
    barrier.site = site;
    barrier.first = threadIdx;
  }
  // A warp counts for 32 threads, whether it has them or not.
  const bool last = me == thread_count_ - 1 && threads > 0;
  barrier.arrived += last ? warp_size - static_cast<unsigned>(me) % warp_size : 1;
  barrier.agreed += predicate;
  if (use != NamedUse::arrive) {
    barrier.waiting.insert(me);
    waits_at_[static_cast<size_t>(me)] = &barrier;
    note_wait(Wait::named, site);
  }
  const unsigned round = barrier.rounds;
  wake_if_complete(barrier);
  if (use == NamedUse::arrive)
    return 0;
  wait_for_turn(pick());
  if (watcher_)
    watcher_->phase_passed(&barrier, barrier.rounds - round - 1);
  return told_[static_cast<size_t>(me)];
}

void Block::wake_if_complete(NamedBarrier &barrier) {
  if (barrier.arrived < (barrier.threads ? barrier.threads : static_cast<unsigned>(live_)))
    return;
  for (int thread = barrier.waiting.next(0); thread >= 0; thread = barrier.waiting.next(thread + 1))
    told_[static_cast<size_t>(thread)] = barrier.agreed;
  barrier.arrived = barrier.agreed = 0;
  ++barrier.rounds;
  if (watcher_)
    watcher_->phase_ends(&barrier);
  ready_.take(barrier.waiting);
}

unsigned named_barrier(unsigned number, unsigned threads, NamedUse use, bool predicate, Site site) {
  return this_block->named_barrier(number, threads, use, predicate, site);
}

// ----------------------------------------------------------------------------------- for reports

std::string Block::what_it_waits_for(int thread) const {
  const void *const where = waits_at_[static_cast<size_t>(thread)];
  switch (wait_[static_cast<size_t>(thread)]) {
  case Wait::barrier:
    return "at a __syncthreads()";
  case Wait::warps:
    return "at a group's sync()";
  case Wait::named: {
    const auto &barrier = *static_cast<const NamedBarrier *>(where);
    return "at the named barrier " + std::to_string(&barrier - named_.data()) + ": " +
           std::to_string(barrier.arrived) + " of " +
           std::to_string(barrier.threads ? barrier.threads
                                          : static_cast<unsigned>(thread_count_)) +
           " threads have arrived";
  }
  case Wait::phase: {
    const auto &barrier = *static_cast<const PhaseBarrier *>(where);
    const KnownBarrier *const its = known(barrier);
    return "for phase " + std::to_string(its ? its->ended : barrier.state().phase()) + " of " +
           name_of(barrier) + ": " + what_is_missing(barrier.state());
  }
  case Wait::cluster:
    return cluster_->awaited();
  default:
    return "at a warp operation";
  }
}

} // namespace emu
