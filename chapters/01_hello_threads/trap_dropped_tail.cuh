// A trap: this code is wrong on purpose.
#pragma once

#include "v2_thread_per_point.cuh"

namespace trap_dropped_tail {

inline void run(Points &p) {
  const unsigned blocks = p.n / p.block; // rounds down: the last points get no thread
  v2_thread_per_point::distances<<<blocks, p.block>>>(
      p.a.data(), p.b.data(), p.distance.data(), p.n);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_dropped_tail
