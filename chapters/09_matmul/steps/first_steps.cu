#include "steps/steps.hpp"
#include "steps/v0_naive.cuh"
#include "steps/v1_row_in_shared.cuh"
#include "steps/v2_pitched.cuh"
#include "steps/v3_tiles_16.cuh"
#include "steps/v4_tiles_32.cuh"
#include "steps/v5_padded_no_ifs.cuh"

std::vector<Step> first_steps() {
  return {{"v0_naive", v0::run},
          {"v1_row_in_shared", v1::run},
          {"v2_pitched", v2::run, make_pitched, check_pitched},
          {"v3_tiles_16", v3::run},
          {"v4_tiles_32", v4::run},
          {"v5_padded_no_ifs", v5::run, make_padded, check_padded}};
}
