/// \file
/// What the benchmarks measure, on the emulator and on PoCL alike, and how.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <sys/resource.h>

constexpr int elements = 1 << 22;
constexpr int block = 256;
constexpr int grid = elements / block;
constexpr int streaming_elements = 1 << 24; // what takes less time each has more of them

/// Of all host threads of this process, user and system.
inline double processor_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval &t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Prints the name, million units per second of processor time (one core's, which other programs on the
/// machine hardly change) and of wall time on all cores: the best of several runs.
template <class Work> void measure(const char *name, double units, Work work) {
  work(); // threads, stacks and pages are made
  double cpu = 1e30, wall = 1e30;
  for (int i = 0; i < 5; ++i) {
    const double cpu_before = processor_seconds();
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    cpu = std::min(cpu, processor_seconds() - cpu_before);
    wall = std::min(wall, taken.count());
  }
  std::printf("%s %.3f %.3f\n", name, 1e-6 * units / std::max(cpu, 1e-6), 1e-6 * units / wall);
}
