// Barriers with phases (mbarrier, cuda::barrier): how threads wait there, who wakes them, and what is wrong with their use.
#include "emu/engine/phases.hpp"

#include <algorithm>

#include "emu/runtime/errors.hpp"
#include "engine/block_switch.hpp"
#include "engine/cluster.hpp"
#include "engine/failures.hpp"
#include "engine/message.hpp"
#include "engine/shared_memory.hpp"

namespace emu {

namespace {

// How often all who wait ask in vain, and nothing else happens, before nothing ever will.
constexpr unsigned most_tries = 32;

// "1 byte", "3 bytes"
struct Counted {
  long long number;
  const char *plural;
  explicit Counted(long long n) : number(n), plural(n == 1 ? "" : "s") {}
};

// Those in shared memory are of a block that this host thread runs; others (null) are shared with other host threads.
Block *block_of(const PhaseBarrier &barrier) {
  return this_block ? block_of_shared(&barrier) : nullptr;
}

BlockWatcher *watcher() { return this_block ? this_block->watcher() : nullptr; }

// Its variable, and its line where it was made ready: "the barrier s_full[1] (made ready in line 12)".
void add_name(Message &message, const PhaseBarrier &barrier) {
  const Block *const owner = block_of(barrier);
  const char *const memory =
      owner ? shared_of(static_cast<unsigned>(rank_of_shared(&barrier))) : static_shared;
  const auto at = static_cast<size_t>(reinterpret_cast<const char *>(&barrier) - memory);
  message.add("the barrier");
  for (const SharedVariable *variable : placed_shared_variables()) {
    const size_t from = at - variable->offset, elements = variable->extents[0];
    if (from >= variable->size)
      continue;
    message.add(" %s", variable->name);
    if (elements > 0)
      message.add("[%zu]", from / (variable->size / elements));
  }
  if (const KnownBarrier *known = owner ? owner->known(barrier) : nullptr)
    message.add(" (made ready in line %d)", known->site.line);
}

// "1 of 2 arrivals and 512 bytes are missing"
void add_missing(Message &message, PhaseState state) {
  const Counted expected(state.expected()), bytes(state.bytes());
  if (state.pending() > 0)
    message.add("%u of %lld arrival%s", state.pending(), expected.number, expected.plural);
  if (state.bytes() > 0)
    message.add("%s%lld byte%s", state.pending() > 0 ? " and " : "", bytes.number, bytes.plural);
  if (state.pending() > 0 || state.bytes() > 0) {
    const bool one =
        state.bytes() > 0 ? state.pending() == 0 && state.bytes() == 1 : state.pending() == 1;
    message.add(one ? " is missing" : " are missing");
  }
  if (const Counted more(-static_cast<long long>(state.bytes())); more.number > 0)
    message.add("%s%lld byte%s more than expected have come",
                state.pending() > 0 ? ", and " : "",
                more.number,
                more.plural);
}

// After a change of what was `before`: ends the phase if nothing is missing.
void settle(Block &owner, PhaseBarrier &barrier, PhaseState now) {
  if (!now.is_over()) {
    barrier.set(now);
    return;
  }
  barrier.set(now.next_phase());
  if (BlockWatcher *const looking_on = watcher())
    looking_on->phase_ends(&barrier);
  owner.phase_ended(barrier);
}

} // namespace

// ------------------------------------------------------------------------------ barriers with phases

namespace {

[[noreturn]] void refuse(const Message &message, Site site) {
  fail_launch(cudaErrorLaunchFailure, "invalid_barrier", message.text, site);
}

// It is made ready, or given up.
void look_at_waiters(const PhaseBarrier &barrier, const char *what, Site site) {
  const int waiting = this_block->waiters_of(barrier);
  if (waiting == 0)
    return;
  Message message;
  add_name(message, barrier);
  refuse(message.add(" %s while %d of the block's threads wait at it", what, waiting), site);
}

} // namespace

void refuse_barrier(const PhaseBarrier &barrier, const char *text, Site site) {
  Message message;
  add_name(message, barrier);
  refuse(message.add(" %s", text), site);
}

PhaseState init_phases(PhaseBarrier &barrier, unsigned expected, Site site) {
  if (expected == 0 || expected > PhaseState::most) {
    Message message;
    add_name(message, barrier);
    message.add(" is made ready for %d arrivals: from 1 to %u can be expected",
                static_cast<int>(expected),
                PhaseState::most);
    refuse(message, site);
  }
  if (!this_block || block_of(barrier) != this_block)
    return PhaseState::first(expected);
  if (this_block->known(barrier)) {
    look_at_waiters(barrier, "is made ready again", site);
    const PhaseState state = barrier.state();
    if (state.expected() > 0 && (state.pending() != state.expected() || state.bytes() != 0)) {
      Message message;
      add_name(message, barrier);
      add_missing(message.add(" is made ready again within a phase: "), state);
      refuse(message, site);
    }
  }
  this_block->know(barrier, site);
  if (BlockWatcher *const looking_on = watcher())
    looking_on->phases_begin(&barrier);
  return PhaseState::first(expected);
}

PhaseState end_phases(PhaseBarrier &barrier, Site site) {
  if (this_block && block_of(barrier) == this_block) {
    look_at_waiters(barrier, "is given up", site);
    this_block->forget(barrier);
  }
  return {};
}

PhaseState arrive_slow(PhaseBarrier &barrier, unsigned count, unsigned dropped, Site site) {
  Block *const owner = block_of(barrier);
  if (BlockWatcher *const looking_on = watcher())
    looking_on->arrives(&barrier, owner == this_block ? Scope::block : Scope::device);
  PhaseState before = barrier.state();
  if (before.expected() == 0)
    refuse_barrier(barrier, "was not made ready before a thread arrives", site);
  if (before.pending() < count) {
    const Counted come(count);
    Message message;
    add_name(message, barrier);
    message.add(" gets %lld arrival%s where its phase waits for no more than %u",
                come.number,
                come.plural,
                before.pending());
    refuse(message, site);
  }
  if (owner) {
    settle(*owner, barrier, before.after(count, dropped));
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
  Block *const owner = block_of(barrier);
  if (!owner)
    refuse_barrier(barrier, "is not in shared memory: it cannot wait for bytes", site);
  const PhaseState before = barrier.state();
  if (before.expected() == 0)
    refuse_barrier(barrier, "was not made ready before it is told of bytes", site);
  const int64_t missing = before.bytes() + bytes;
  if (missing > int64_t{PhaseState::most} || -missing > int64_t{PhaseState::most})
    refuse_barrier(barrier, "is told of more than 1048575 bytes in one phase", site);
  settle(*owner, barrier, before.with_bytes(static_cast<int>(missing)));
}

bool wait_slow(PhaseBarrier &barrier, unsigned phase, bool tries, Site site) {
  if (const PhaseState now = barrier.state(); now.expected() == 0 && now.phase() == phase)
    refuse_barrier(barrier, "was not made ready before a thread waits at it", site);
  const Block *const owner = block_of(barrier);
  if (owner && owner != this_block)
    refuse_barrier(barrier, "is another block's: a thread can arrive there, and not wait", site);
  if (owner) {
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
  in_vain_ = false;
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
  in_vain_ = false;
  if (const uint64_t now = state_of_waits(); now != tried_at_) {
    tries_.fill(0);
    tried_at_ = now;
  }
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
  in_vain_ = true;
  return !joined_; // others of its cluster may end it
}

uint64_t Block::state_of_waits() const {
  uint64_t state = static_cast<uint64_t>(live_) * 31 + round_;
  state = state * 1031 + static_cast<uint64_t>(waiting_);
  for (const PhaseWaiters &waiters : phase_waiters_)
    state = state * 31 + waiters.barrier->state().bits;
  return state;
}

bool Block::asks_in_vain() const { return in_vain_ && tried_at_ == state_of_waits(); }

// ----------------------------------------------------------------------------------- for reports

void Block::add_wait(Message &message, int thread) const {
  const void *const where = waits_at_[static_cast<size_t>(thread)];
  switch (wait_[static_cast<size_t>(thread)]) {
  case Wait::barrier:
    message.add("at a __syncthreads()");
    return;
  case Wait::warps:
    message.add("at a group's sync()");
    return;
  case Wait::named: {
    const auto &barrier = *static_cast<const NamedBarrier *>(where);
    message.add("at the named barrier %d: %u of %u threads have arrived",
                static_cast<int>(&barrier - named_.data()),
                barrier.arrived,
                barrier.threads ? barrier.threads : static_cast<unsigned>(thread_count_));
    return;
  }
  case Wait::phase: {
    const auto &barrier = *static_cast<const PhaseBarrier *>(where);
    const KnownBarrier *const its = known(barrier);
    message.add("for phase %llu of ",
                static_cast<unsigned long long>(its ? its->ended : barrier.state().phase()));
    add_name(message, barrier);
    add_missing(message.add(": "), barrier.state());
    return;
  }
  case Wait::cluster:
    message.add("%s", cluster_->awaited().c_str());
    return;
  default:
    message.add("at a warp operation");
    add_lanes(message, thread);
  }
}

// Those that the mask names and that have not come.
void Block::add_lanes(Message &message, int thread) const {
  const Warp &warp = warps_[static_cast<size_t>(thread / warp_size)];
  for (int i = 0; i < warp.used; ++i) {
    const Meeting &meeting = warp.meetings[static_cast<size_t>(i)];
    const uint32_t missing = meeting.mask & warp.members & ~warp.exited & ~meeting.arrived;
    if (!(meeting.arrived >> thread % warp_size & 1) || missing == 0)
      continue;
    const int others = __builtin_popcount(missing) - 1;
    message.add(" for lane %d", __builtin_ctz(missing));
    if (others > 0)
      message.add(" and %d more", others);
    message.add(" of its mask");
    return;
  }
}

} // namespace emu
