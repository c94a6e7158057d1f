// Was:   three instructions of four go into errors that are small as long as the sum is short.
// Now:   64 products are added plainly, on top of what is owed; their sum is Kahan's next term.
// Watch: three additions for 64 multiply-adds; the mean error beside that of k1.
#pragma once

#include "steps/steps.hpp"
#include "steps/v15_tile_to_fit.cuh"

namespace k2 {

using KahanTile = Tile<64, 128, 8, 8, 3, 2>;

inline void run(Matmul &p) {
  if (fits<KahanTile>(p.plain))
    v15::launch<KahanTile, KahanPerTile<8>>(p.plain);
  else
    run_any_shape_kahan(p);
}

} // namespace k2
