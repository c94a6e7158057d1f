#include "steps.hpp"

#include "v6_many_adds_per_thread.cuh"
#include "v7_warp_shuffle.cuh"
#include "v8_vector_loads_one_pass.cuh"
#include "v9_sum_and_count_at_once.cuh"

void register_shares(lab::Ladder<Reduction> &ladder) {
  ladder.step("v6_many_adds_per_thread", v6::run).before(read_input_once);
  ladder.step("v7_warp_shuffle", v7::run).before(read_input_once);
  ladder.step("v8_vector_loads_one_pass", v8::run).before(read_input_once);
  ladder.step("v9_sum_and_count_at_once", v9::run).before(read_input_once);
}
