#include "steps.hpp"
#include "v14_tile_to_fit.cuh"
#include "v15_two_groups.cuh"

std::vector<Step> last_steps() {
  return {{"v14_tile_to_fit", v14::run}, {"v15_two_groups", v15::run}};
}
