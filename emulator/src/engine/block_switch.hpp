/// \file
/// Changing the running thread: inlined into each way of waiting, so that a switch costs one save and
/// one restore of the registers.
#pragma once

#include "engine/block.hpp"

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

/// The number of a thread given by its indices.
inline int thread_number(uint3 index) {
  return static_cast<int>((index.z * blockDim.y + index.y) * blockDim.x + index.x);
}

// Makes `thread` the one that `fiber` runs.
inline void Block::run_on(Fiber &fiber, int thread) {
  fiber.thread = thread;
  fiber.index = thread_index(thread);
  fiber_of_[static_cast<size_t>(thread)] = &fiber;
}

// Makes `thread` the running one: on its own stack if it has begun, else on a new one.
inline __attribute__((always_inline)) void Block::become(int thread) {
  if (thread < started_) [[likely]]
    turn.fiber = fiber_of_[static_cast<size_t>(thread)];
  else
    begin_on_new_fiber(thread);
  __builtin_prefetch(turn.fiber[1].sp); // mostly who comes next
  threadIdx = turn.fiber->index;
}

inline __attribute__((always_inline)) void Block::go(int thread) {
  Fiber &from = *turn.fiber;
  become(thread);
  switch_fiber(from, *turn.fiber);
}

inline void Block::go_to_main() { switch_fiber(*turn.fiber, main_); }

// Lets `next` run; returns when it is this thread's turn again.
inline __attribute__((always_inline)) void Block::wait_for_turn(int next) {
  if (next < 0)
    go_to_main();
  else if (next != turn.fiber->thread)
    go(next);
}

} // namespace emu
