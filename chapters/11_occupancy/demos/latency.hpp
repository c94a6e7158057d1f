/// @file
/// How long one read from memory takes, and what follows from that: Little's law.
#pragma once

#include "problem.hpp"

/// Nanoseconds from asking for a word of memory to having it, nothing else going on: one thread walks
/// from line to line of far more memory than the L2 holds, and each line says where the next one is.
/// Measured once per process. 0 on the emulator, which has no latency.
double memory_latency_ns();

/// Bytes per second, in 10^9, that can arrive when a multiprocessor has `in_flight` bytes on their way
/// at all times and each needs `latency_ns`: Little's law, of all multiprocessors together.
inline double arriving_gbps(double in_flight, double latency_ns) {
  return in_flight * lab::choose_device().sm_count / latency_ns;
}
