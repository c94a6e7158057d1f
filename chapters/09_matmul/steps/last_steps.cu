#include "steps/steps.hpp"
#include "steps/v15_tile_to_fit.cuh"
#include "steps/v16_two_groups.cuh"
#include "steps/v17_whole_rows.cuh"
#include "steps/v18_equal_shares.cuh"

std::vector<Step> last_steps() {
  return {{"v15_tile_to_fit", v15::run},
          {"v16_two_groups", v16::run},
          {"v17_whole_rows", v17::run},
          {"v18_equal_shares", v18::run, make_turns}};
}
