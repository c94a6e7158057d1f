/// \file
/// The simulation of one SM: its warps issue in order, as soon as what they need is there, to units and a
/// memory system that serve one after the other.
#pragma once

#include "device.hpp"
#include "trace.hpp"

namespace model {

/// What of the memory's traffic a launch causes, as fractions of the sectors that leave an SM.
struct Traffic {
  double read_from_dram = 1; // of the sectors loaded past the L1
  double written_to_dram = 1; // of those stored
  double dram_slower = 1; // than where neighbours are read, so many times
  double atomic_homes = 1; // at work at a time
  double stored_apart = 0; // 1: blocks that follow each other do not store side by side
};

/// What an SM's warps waited for, and how busy its units were.
struct Waits {
  double long_latency = 0, short_latency = 0, barrier = 0, arithmetic = 0, memory_queue = 0,
         unit = 0;
  double issue = 0;
};

struct Simulated {
  double cycles = 0; // of the whole launch
  Waits waits; // cycles of warps
  // Cycles of the whole launch that the busiest SM's units were at work.
  double issue = 0, alu = 0, fma = 0, fp64 = 0, special = 0, l1 = 0, shared = 0, l2 = 0, dram = 0,
         atomics = 0;
  double start = 0; // of blocks
  double dram_bytes = 0; // of all SMs
  double instructions_per_warp = 0;
};

/// A unit that may bind a launch, or what its warps may wait for.
template <class Of> struct Term {
  const char *key, *phrase;
  double Of::*cycles;
};
constexpr Term<Simulated> unit_terms[] = {
    {"memory", "memory", &Simulated::dram},
    {"l2", "the way to the L2", &Simulated::l2},
    {"l1", "the L1", &Simulated::l1},
    {"shared", "shared memory's banks", &Simulated::shared},
    {"issue", "issue slots", &Simulated::issue},
    {"fma", "multiply-adds", &Simulated::fma},
    {"alu", "integer arithmetic", &Simulated::alu},
    {"fp64", "arithmetic in double precision", &Simulated::fp64},
    {"special", "the special function units", &Simulated::special},
    {"atomics", "atomics in the L2", &Simulated::atomics},
};
constexpr Term<Waits> wait_terms[] = {
    {"latency", "waits for memory", &Waits::long_latency},
    {"shared_latency", "waits for shared memory", &Waits::short_latency},
    {"barriers", "waits for barriers", &Waits::barrier},
    {"dependence", "waits for the instruction before", &Waits::arithmetic},
    {"queues", "waits for queues to the memory", &Waits::memory_queue},
    {"units", "waits for a free unit", &Waits::unit},
};

Simulated simulate(const LaunchTrace &launch, const Device &device, const Traffic &traffic);

} // namespace model
