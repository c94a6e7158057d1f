/// @file
/// How long one read from memory takes, and what follows from that: Little's law.
#pragma once

#include "problem.hpp"

#include <utility>

namespace latency {

inline constexpr unsigned words_per_line = 32;
inline constexpr unsigned steps = 20000;

static __global__ void walk(const unsigned *next, unsigned count, unsigned *end) {
  unsigned at = 0;
#pragma unroll 4
  for (unsigned i = 0; i < count; ++i)
    at = next[at];
  *end = at;
}

// One closed walk through all lines in random order (Sattolo's shuffle).
inline std::vector<unsigned> closed_walk(unsigned lines) {
  std::vector<unsigned> order(lines);
  for (unsigned i = 0; i < lines; ++i)
    order[i] = i;
  for (unsigned i = lines - 1; i > 0; --i)
    std::swap(order[i], order[lab::random_u32(lab::default_seed, i) % i]);
  std::vector<unsigned> next(static_cast<size_t>(lines) * words_per_line);
  for (unsigned i = 0; i < lines; ++i)
    next[static_cast<size_t>(i) * words_per_line] = order[i] * words_per_line;
  return next;
}

inline double measure_ns() {
  if (lab::on_emulator())
    return 0;
  const size_t l2_lines = lab::choose_device().l2_bytes / (words_per_line * sizeof(unsigned));
  const std::vector<unsigned> next = closed_walk(static_cast<unsigned>(4 * l2_lines));
  unsigned expected = 0;
  for (unsigned i = 0; i < steps; ++i)
    expected = next[expected];
  lab::DeviceBuffer<unsigned> d_next(next), d_end(1);
  lab::poison(d_end);
  const double ms = lab::measure([&] { walk<<<1, 1>>>(d_next.data(), steps, d_end.data()); },
                                 {.reps = 5, .warm_up = 1, .cold_l2 = true})
                        .median_ms;
  LAB_CHECK_LAUNCH();
  if (d_end.at(0) != expected)
    throw lab::Error(1, "the walk through memory ended at a wrong place");
  return 1e6 * ms / steps;
}

} // namespace latency

/// Nanoseconds from asking for a word of memory to having it, nothing else going on: one thread walks
/// from line to line of far more memory than the L2 holds, and each line says where the next one is.
/// Measured once per process. 0 on the emulator, which has no latency.
inline double memory_latency_ns() {
  static const double ns = latency::measure_ns();
  return ns;
}

/// Bytes per second, in 10^9, that can arrive when a multiprocessor has `in_flight` bytes on their way
/// at all times and each needs `latency_ns`: Little's law, of all multiprocessors together.
inline double arriving_gbps(double in_flight, double latency_ns) {
  return in_flight * lab::choose_device().sm_count / latency_ns;
}
