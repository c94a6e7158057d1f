#include "demos/ways.hpp"
#include "steps/v0_interleaved_modulo.cuh"
#include "steps/v1_shared_contiguous_ids.cuh"
#include "steps/v2_sequential_addressing.cuh"
#include "steps/v3_first_add_during_load.cuh"
#include "steps/v4_last_warp_unrolled.cuh"
#include "steps/v5_fully_unrolled.cuh"

std::vector<Way> ways_of_trees() {
  return {{"v0", "v0_interleaved_modulo", v0::run, copy_input_on_device},
          {"v1", "v1_shared_contiguous_ids", v1::run, read_input_once},
          {"v2", "v2_sequential_addressing", v2::run, read_input_once},
          {"v3", "v3_first_add_during_load", v3::run, read_input_once},
          {"v4", "v4_last_warp_unrolled", v4::run, read_input_once},
          {"v5", "v5_fully_unrolled", v5::run, read_input_once}};
}
