/// \file
/// What single instructions compute, and what their requests to memory cost.
#pragma once

#include "machine.hpp"

namespace model {

/// What `f` makes of each lane's number, for the lanes of `active`.
template <class F> void for_lanes(uint32_t active, Lanes &result, F f) {
  for (const size_t lane : LanesOf(active))
    result[lane] = f(lane);
}

/// A value of memory as a register holds it.
uint64_t extended(uint64_t bits, Type type);

/// Arithmetic, comparisons, conversions.
void compute_lanes(const Instruction &i,
                   uint32_t active,
                   const std::array<const uint64_t *, 4> &from,
                   size_t operands,
                   Lanes &result);

/// Shuffles, votes, matches: `valid` is what a second destination gets.
void exchange_lanes(const Instruction &i,
                    uint32_t active,
                    const std::array<const uint64_t *, 4> &from,
                    Lanes &result,
                    Lanes &valid);

uint64_t atomic_result(const Instruction &i, uint64_t old, uint64_t a, uint64_t b);

enum class Operation : uint8_t { load, store, atomic, add };

struct Request {
  Operation operation;
  size_t bytes; // of a lane
  uint32_t active;
  const uint64_t *address; // of each lane
  bool asynchronous = false;
};

unsigned shared_wavefronts(const Request &request);
/// Of an atomic in global memory: the turns that it takes where its words are at home, one for each sector of
/// each packet, and how many of them are of all the sector's words.
void note_atomic(Step &step, const Request &request);
/// Appends the different sectors, in rising order.
void distinct_sectors(const Request &request, std::vector<uint64_t> &sectors);
/// Different lines of 128 bytes among sectors in rising order.
unsigned distinct_lines(std::vector<uint64_t>::const_iterator begin,
                        std::vector<uint64_t>::const_iterator end);

} // namespace model
