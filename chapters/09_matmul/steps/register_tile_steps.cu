#include "steps/steps.hpp"
#include "steps/v6_eight_results.cuh"
#include "steps/v7_eight_by_eight.cuh"
#include "steps/v8_sixteen_byte_loads.cuh"

std::vector<Step> register_tile_steps() {
  return {{"v6_eight_results", v6::run},
          {"v7_eight_by_eight", v7::run},
          {"v8_sixteen_byte_loads", v8::run}};
}
