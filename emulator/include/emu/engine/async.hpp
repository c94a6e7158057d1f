/// \file
/// Asynchronous operations: a thread begins them and goes on; who needs what they bring waits.
///
/// Their destination holds no sensible value until then, bytes of 0xff, and what they do is done as late
/// as the waits allow: so who does not wait, or not for all of it, finds that out. In drawn orders it is
/// done at any moment. What nobody has waited for is dropped with its block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/engine/engine.hpp"

namespace emu {

/// A copy to shared memory.
struct AsyncCopy {
  char *to;
  const char *from;
  uint32_t group; // of its thread's
  uint8_t bytes; // 4, 8 or 16
  uint8_t read; // of them; what follows is set to 0
  bool done; // earlier than it had to be
};
static_assert(sizeof(AsyncCopy) == 24); // a matrix product keeps thousands of them

/// The copies [first, next) that a thread has begun and no barrier ends. One cache line is enough for who waits for each.
struct alignas(64) AsyncQueue {
  AsyncCopy *first = &one, *next = &one;
  AsyncCopy *begin = &one, *end = &one + 1; // of the room for them
  uint32_t groups = 0; // closed
  AsyncCopy one;
};
static_assert(sizeof(AsyncQueue) == 64);

/// Of the block that this host thread runs.
struct AsyncBlock {
  AsyncQueue *queues; // of its threads; null: none of them has begun anything
  const char *stacks; // of its threads
  size_t stacks_bytes;

  AsyncQueue &mine() const {
    return queues[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x];
  }
};
extern constinit thread_local AsyncBlock async_block;

bool begin_copy_slow(void *to, const void *from, size_t bytes, size_t zeros);
void commit_copies_slow();

/// Begins to copy from global to shared memory, for the running thread.
/// \param bytes  4, 8 or 16; both addresses are multiples of it
/// \param zeros  how many of them, at the end, are not read but set to 0
/// \return false: a device has no such operation between these kinds of memory, its threads make such copies by
///         themselves, and nothing was done
EMU_INLINE bool begin_copy(void *to, const void *from, size_t bytes, size_t zeros = 0) {
#ifndef EMU_OBSERVED
  const AsyncBlock &block = async_block;
  const auto *source = static_cast<const char *>(from);
  const auto bits = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from);
  if (block.queues && (bits & (bytes - 1)) == 0 && is_shared_here(to) && !is_shared_here(from) &&
      static_cast<size_t>(source - block.stacks) >= block.stacks_bytes) [[likely]] {
    if (AsyncQueue &queue = block.mine(); queue.next != queue.end) [[likely]] {
      __builtin_memset(to, 0xff, bytes);
      *queue.next++ = {static_cast<char *>(to),
                       source,
                       queue.groups,
                       static_cast<uint8_t>(bytes),
                       static_cast<uint8_t>(bytes - zeros),
                       false};
      return true;
    }
  }
#endif
  return begin_copy_slow(to, from, bytes, zeros);
}

/// \name Waiting by groups, which each thread has for itself
/// @{
/// The thread's copies since the last call are a group.
EMU_UNOBSERVED inline void commit_copies() {
  if (async_block.queues) [[likely]]
    ++async_block.mine().groups;
  else
    commit_copies_slow();
}
/// Waits for the thread's groups but the last `but`.
void wait_for_groups(size_t but);
/// The same as CUDA's libraries have it, which tell no more of them apart.
inline void wait_for_copies(size_t but) { wait_for_groups(but < 8 ? but : 8); }
/// @}

/// What the thread has begun and not handed over yet is done when the barrier's phase ends (phases.hpp).
void end_with_phase(const void *barrier);

} // namespace emu
