// Was:   k0 waits for loads, so its time does not tell what Kahan's four instructions cost.
// Now:   Kahan in v15: all data is at hand, and four instructions take four times as long as one.
// Watch: the share of a quarter of the multiply-add peak.
#pragma once

#include "steps/steps.hpp"
#include "steps/v15_tile_to_fit.cuh"

namespace k1 {

// Two numbers for each result: a thread holds half as many results as v16, from as deep tiles.
using KahanTile = Tile<64, 128, 4, 8, 3, 2, 16>;

inline void run(Matmul &p) {
  if (fits<KahanTile>(p.plain))
    v15::launch<KahanTile, KahanSum>(p.plain);
  else
    run_any_shape_kahan(p);
}

} // namespace k1
