#include "steps/steps.hpp"
#include "steps/v10_warp_tiles.cuh"
#include "steps/v11_operands_ahead.cuh"
#include "steps/v12_no_test_inside.cuh"
#include "steps/v13_wide_tiles.cuh"
#include "steps/v14_to_and_fro.cuh"
#include "steps/v9_async_copies.cuh"

std::vector<Step> async_steps() {
  return {{"v9_async_copies", v9::run},
          {"v10_warp_tiles", v10::run},
          {"v11_operands_ahead", v11::run},
          {"v12_no_test_inside", v12::run},
          {"v13_wide_tiles", v13::run},
          {"v14_to_and_fro", v14::run}};
}

void run_any_shape(Matmul &p) { v11::run(p); }
