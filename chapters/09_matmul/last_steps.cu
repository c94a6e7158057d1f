#include "steps.hpp"
#include "v14_tile_to_fit.cuh"
#include "v15_two_groups.cuh"
#include "v16_equal_shares.cuh"

std::vector<Step> last_steps() {
  return {
      {"v14_tile_to_fit", v14::run}, {"v15_two_groups", v15::run}, {"v16_equal_shares", v16::run}};
}
