// A trap: this code is wrong on purpose.
#pragma once

#include "v5_grid_stride.cuh"

namespace trap_unchecked_launch {

inline void run(Points &p) {
  v5_grid_stride::distances<<<1, 2048>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
  // LAB_CHECK_LAUNCH() is missing here. The lab would still find the error that the launch left
  // behind, so it is swept away, as a program does that never looks.
  (void)cudaGetLastError();
}

} // namespace trap_unchecked_launch
