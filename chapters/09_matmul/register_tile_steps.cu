#include "steps.hpp"
#include "v6_eight_results.cuh"
#include "v7_eight_by_eight.cuh"
#include "v8_sixteen_byte_loads.cuh"

std::vector<Step> register_tile_steps() {
  return {{"v6_eight_results", v6::run},
          {"v7_eight_by_eight", v7::run},
          {"v8_sixteen_byte_loads", v8::run}};
}
