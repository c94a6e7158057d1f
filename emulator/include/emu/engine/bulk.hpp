/// \file
/// Bulk copies (cp.async.bulk): a thread begins to copy a whole stretch between global and shared memory. As with all
/// asynchronous operations, source and destination are touched as late as the waits for them allow.
#pragma once

#include <cstddef>

#include "emu/engine/phases.hpp"

namespace emu {

/// How a copy changes what is there already, as atomics of its elements; null: it takes its place.
using Combine = void (*)(char *to, const char *from, size_t bytes);

/// A load goes to the block in whose shared memory it is told to go.
constexpr int to_one_block = -1;

/// To shared memory of a block of the cluster, from global memory or the running block's shared memory. The phase of the
/// barrier, in the same block, that is not over waits for these bytes.
/// \param bytes  a multiple of 16, as both addresses are
/// \param blocks  from global memory: bit n for the block of rank n, each of which gets the bytes at the same place, and is
///                told of them by the barrier at the same place; or to_one_block
void begin_bulk_load(
    void *to, const void *from, size_t bytes, PhaseBarrier &until, int blocks, Site site);
/// From shared to global memory, for a group of the running thread.
void begin_bulk_store(void *to, const void *from, size_t bytes, Combine combine, Site site);
/// A value of the thread's own, to shared memory of a block of the cluster, whose barrier is told of the bytes.
/// \param bytes  4, 8 or 16; `to` is a multiple of it
void begin_async_store(
    void *to, const void *value, size_t bytes, Combine combine, PhaseBarrier &until, Site site);
/// What the thread has begun to store since the last call is a group.
void commit_bulk();
/// Waits for the thread's groups but the last `but`.
/// \param read  only until shared memory has been read
void wait_for_bulk(size_t but, bool read);
/// What the thread has stored or read in shared memory is settled for bulk copies that begin now.
/// \param barriers_only  only which barriers it has made ready
void proxy_fence(bool barriers_only = false);

} // namespace emu
