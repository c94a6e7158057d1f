/// \file
/// What one request of a warp costs: the rules of the hardware, and nothing else.
#pragma once

#include <array>

#include "observer.hpp"

namespace emu {

/// Sectors and wavefronts of one request.
struct RequestCost {
  unsigned sectors = 0;
  unsigned wavefronts = 0;
  unsigned ideal_wavefronts = 0;
  unsigned max_conflict = 0;
  unsigned max_same_address = 0;

  /// One more round of lanes, the worst bank of which is wanted by `degree` different words.
  void add_round(unsigned degree) {
    wavefronts += degree;
    ideal_wavefronts += 1;
    max_conflict = degree > max_conflict ? degree : max_conflict;
  }
};

/// Global memory moves in sectors of 32 bytes: a request costs the distinct sectors that its lanes
/// touch, in whatever order.
///
/// cp.async of 16 bytes passes by the L1 cache: each two lanes, 0 and 1, 2 and 3, ..., cost the distinct lines
/// of 128 bytes that they want. An H200's counters say so of all of 158 patterns of addresses and sizes where the
/// places that are filled follow the lanes' numbers, or these after an exclusive or; of 30 with random places
/// of 3, as those cost up to twice as much. cp.async of 4 and 8 bytes: as loads, in all of 80.
///
/// Atomics leave for the L2 cache in packets. A line of 128 bytes belongs to one of four queues, by the
/// parities of two sets of bits of its number. In each queue lanes wait in their order; the first one
/// goes, and with it all that want the same line, unless one before them in the queue wants the same
/// of 32 banks of 4 bytes. So lanes at one address go one by one, and a packet moves the sectors it needs.
/// An H200's counters say so of all of 1120 patterns of addresses (additions of 4 and of 8 bytes, with
/// a result and without) and of 215 of 217 for compare and swap. There two more bits of the line's
/// number count; without them it is 1102.
unsigned count_sectors(const WarpRequest &request);
/// The sectors of an atomic's packets, and those of them that get all their eight words in one.
struct AtomicSectors {
  unsigned all = 0, whole = 0;
};
AtomicSectors count_atomic_sectors(const WarpRequest &request);

/// Shared memory has 32 banks of 4 bytes. Lanes that access 4 bytes or less go in one round, those
/// that access 8 in two halves, 16 in four quarters; within a round, different words of the same
/// bank wait for each other, the same word is broadcast. (CUDA C++ Programming Guide, "Shared
/// Memory".) A load of 8 or 16 bytes does two rounds in one where nobody waits and each two lanes
/// whose numbers differ in the lowest bit, or each two that differ in the next, want the same.
///
/// An H200's counters say the same of 186 patterns of addresses in loads and stores of 8 bytes and
/// in stores of 16; in loads of 16, of all but some with inactive lanes, where it may need one more.
/// Atomics: lanes that share an address wait for each other, too, unless each adds 1; a compare and
/// swap needs every round twice. (So an H200, in all of 285 patterns.)
RequestCost count_wavefronts(const WarpRequest &request);
/// The lanes of each of these rounds, active or not; 0: there are no more. Not those of atomics, which
/// may need more.
std::array<uint32_t, 4> shared_rounds(const WarpRequest &request);

size_t distinct_sectors(const WarpRequest &request, uint32_t mask);
/// How many bytes the active lanes want, those that several want counted once.
uint64_t distinct_bytes(const WarpRequest &request);
/// How many lanes want the address that most of them want.
unsigned most_at_one_address(const WarpRequest &request);

} // namespace emu
