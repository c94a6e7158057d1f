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
  double atomics_per_ns = 1; // that the addresses of this launch allow
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

Simulated simulate(const LaunchTrace &launch, const Device &device, const Traffic &traffic);

} // namespace model
