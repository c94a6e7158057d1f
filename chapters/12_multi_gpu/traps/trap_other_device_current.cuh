// "A kernel on each device", and device 0 is current all the time.
#pragma once

#include "demos/which_device.cuh"
#include "problem.hpp"

namespace trap_other_device_current {

inline const char *why =
    "a launch without a stream goes to the device that is current, whatever memory it works on: "
    "all "
    "kernels ran on device 0, one after the other, over the links, and waited for nobody's stream. "
    "cudaSetDevice first, or a stream, which knows its device.";

inline std::vector<int> where; // [rank]

inline void run(Vectors &p) {
  tell_devices_apart();
  const lab::PinnedBuffer<int> told(static_cast<size_t>(p.ranks()));
  for (int rank = 0; rank < p.ranks(); ++rank) {
    note_device<<<1, 1>>>(told.data() + rank);
    LAB_CHECK_LAUNCH();
  }
  synchronize_all();
  where.assign(told.data(), told.data() + p.ranks());
}

inline lab::Verdict check(Vectors &p) {
  for (int rank = 0; rank < p.ranks(); ++rank) {
    const std::string what = "kernel " + std::to_string(rank) + " ran on device";
    const int device = p.team.device(rank);
    const lab::Verdict verdict = lab::compare_value(what.c_str(), where[rank], device);
    if (!verdict.ok)
      return verdict;
  }
  return lab::Verdict::right();
}

} // namespace trap_other_device_current
