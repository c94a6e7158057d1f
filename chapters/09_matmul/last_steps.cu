#include "steps.hpp"
#include "v15_tile_to_fit.cuh"
#include "v16_two_groups.cuh"
#include "v17_whole_rows.cuh"
#include "v18_equal_shares.cuh"

std::vector<Step> last_steps() {
  return {{"v15_tile_to_fit", v15::run},
          {"v16_two_groups", v16::run},
          {"v17_whole_rows", v17::run},
          {"v18_equal_shares", v18::run, make_turns}};
}
