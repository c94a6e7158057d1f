#include "steps/k0_kahan_naive.cuh"
#include "steps/k1_kahan_tiles.cuh"
#include "steps/k2_kahan_per_tile.cuh"
#include "steps/steps.hpp"

std::vector<Step> kahan_steps() {
  return {{"k0_kahan_naive", k0::run}, {"k1_kahan_tiles", k1::run}, {"k2_kahan_per_tile", k2::run}};
}

void run_any_shape_kahan(Matmul &p) { k0::run(p); }
