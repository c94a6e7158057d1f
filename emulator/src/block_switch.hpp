/// \file
/// Changing the running thread: inlined into each way of waiting, so that a switch costs one save and
/// one restore of the registers.
#pragma once

#include "block.hpp"

namespace emu {

/// Indices of a thread given by its number in the block.
inline uint3 thread_index(int thread) {
  const unsigned linear = static_cast<unsigned>(thread);
  if (linear < blockDim.x)
    return {linear, 0, 0};
  const unsigned row = linear / blockDim.x;
  return {linear % blockDim.x, row % blockDim.y, row / blockDim.y};
}

inline bool same(Site a, Site b) { return a.line == b.line && a.file == b.file; }

// Makes `thread` the running one: on its own stack if it has begun, else on a new one.
inline __attribute__((always_inline)) void Block::become(int thread) {
  current_ = thread;
  if (thread < started_) [[likely]]
    fiber_ = fiber_of_[static_cast<size_t>(thread)];
  else
    begin_on_new_fiber(thread);
}

inline __attribute__((always_inline)) void Block::go(int thread) {
  Fiber &from = *fiber_;
  become(thread);
  switch_fiber(from, *fiber_);
}

inline void Block::go_to_main() { switch_fiber(*fiber_, main_); }

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

} // namespace emu
