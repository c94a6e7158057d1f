#include "demos/ways.hpp"
#include "steps/v10_last_round_at_once.cuh"
#include "steps/v11_streaming_loads.cuh"
#include "steps/v12_sum_and_count_at_once.cuh"
#include "steps/v6_many_adds_per_thread.cuh"
#include "steps/v7_warp_shuffle.cuh"
#include "steps/v8_vector_loads.cuh"
#include "steps/v9_one_pass.cuh"

std::vector<Way> ways_of_shares() {
  return {{"v6", "v6_many_adds_per_thread", v6::run, read_input_once},
          {"v7", "v7_warp_shuffle", v7::run, read_input_once},
          {"v8", "v8_vector_loads", v8::run, read_input_once},
          {"v9", "v9_one_pass", v9::run, read_input_once},
          {"v10", "v10_last_round_at_once", v10::run, read_input_once},
          {"v11", "v11_streaming_loads", v11::run, read_input_once},
          {"v12", "v12_sum_and_count_at_once", v12::run, read_input_once}};
}
