#include "steps.hpp"

#include "v0_interleaved_modulo.cuh"
#include "v1_shared_contiguous_ids.cuh"
#include "v2_sequential_addressing.cuh"
#include "v3_first_add_during_load.cuh"
#include "v4_last_warp_unrolled.cuh"
#include "v5_fully_unrolled.cuh"

void register_trees(lab::Ladder<Reduction> &ladder) {
  ladder.step("v0_interleaved_modulo", v0::run).before(copy_input_on_device);
  ladder.step("v1_shared_contiguous_ids", v1::run).before(read_input_once);
  ladder.step("v2_sequential_addressing", v2::run).before(read_input_once);
  ladder.step("v3_first_add_during_load", v3::run).before(read_input_once);
  ladder.step("v4_last_warp_unrolled", v4::run).before(read_input_once);
  ladder.step("v5_fully_unrolled", v5::run).before(read_input_once);
}
