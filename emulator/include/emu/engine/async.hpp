/// \file
/// Asynchronous operations: a thread begins them and goes on; who needs what they bring waits.
///
/// Their destination holds no sensible value until then, bytes of 0xff, and what they do is done as late
/// as the waits allow: so who does not wait, or not for all of it, finds that out. In drawn orders it is
/// done at any moment. What nobody has waited for is dropped with its block.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emu {

/// Begins to copy from global to shared memory, for the running thread.
/// \param bytes  4, 8 or 16; both addresses are multiples of it
/// \param zeros  how many of them, at the end, are not read but set to 0
/// \return false: a device has no such operation (another size, other kinds of memory), its threads make
///         these copies by themselves, and nothing was done
bool begin_copy(void *to, const void *from, size_t bytes, size_t zeros = 0);

/// \name Waiting by groups, which each thread has for itself
/// @{
/// The thread's copies since the last call are a group.
void commit_copies();
/// Waits for the thread's groups but the last `but`.
void wait_for_groups(size_t but);
/// The same as CUDA's libraries have it, which tell no more of them apart.
inline void wait_for_copies(size_t but) { wait_for_groups(but < 8 ? but : 8); }
/// @}

/// \name Waiting by a barrier
/// @{
/// What the thread has begun and not handed over yet is done when this phase of the barrier ends.
void end_with_phase(const void *barrier, uint64_t phase);
/// Somebody has found the barrier in `phase`: those before it have ended.
void found_in_phase(const void *barrier, uint64_t phase);
/// @}

} // namespace emu
