// Barriers of a part of a block (bar.sync and its kin), which have numbers for names.
#include "emu/engine/phases.hpp"

#include "emu/runtime/errors.hpp"
#include "engine/block_switch.hpp"
#include "engine/failures.hpp"
#include "engine/message.hpp"

namespace emu {

// What is wrong with coming to this barrier.
void Block::look_at_use(unsigned number, unsigned threads, Site site) {
  Message message;
  const auto refuse_use = [&](uint3 thread = {}, Site other = {}) {
    complain("invalid_barrier", message.text, site, thread, other);
    record_failure(cudaErrorLaunchFailure);
    abandon();
  };
  message.add("the named barrier %u ", number);
  if (number >= named_barriers) {
    message.add("is not there: they have the numbers 0 to 15");
    refuse_use();
  }
  if (threads % warp_size != 0) {
    message.add("is for %u threads, which is no multiple of 32", threads);
    refuse_use();
  }
  const NamedBarrier &barrier = named_[number];
  const auto all = static_cast<unsigned>(thread_count_);
  const unsigned here = threads ? threads : all, there = barrier.threads ? barrier.threads : all;
  if (barrier.arrived > 0 && here != there) {
    message.add("is for %u threads here and for %u where another one waits", here, there);
    refuse_use(barrier.first, barrier.site);
  }
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

} // namespace emu
