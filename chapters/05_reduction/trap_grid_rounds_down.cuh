// The kernel of v1, launched with n / block blocks.
#pragma once

#include "problem.hpp"
#include "v1_shared_contiguous_ids.cuh"

namespace trap_grid_rounds_down {

inline const char *why =
    "n / block rounds down: the elements behind the last full block have no thread. Round up, and "
    "test the index against n.";

inline void run(Reduction &p) {
  const unsigned grid = static_cast<unsigned>(p.n / static_cast<size_t>(p.block));
  v1::reduce<<<grid, p.block, p.block * sizeof(Value)>>>(p.d_in.data(), p.n, p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_grid_rounds_down
