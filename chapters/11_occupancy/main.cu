/// @file
/// Chapter 11: occupancy: what a multiprocessor holds at a time, and what that is worth.

#include "demos/own_figures.hpp"
#include "problem.hpp"
#include "steps/v0_one_warp_blocks.cuh"
#include "steps/v1_larger_blocks.cuh"
#include "steps/v2_smaller_table.cuh"
#include "steps/v3_every_slot.cuh"
#include "steps/v4_four_loads.cuh"
#include "steps/v5_sixteen_bytes.cuh"
#include "steps/v6_fewer_warps.cuh"
#include "steps/v7_side_by_side.cuh"
#include "steps/v8_next_tile.cuh"
#include "steps/v9_twice_the_warps.cuh"

std::vector<PlannedStep> planned_steps() {
  return {{"v0", "v0_one_warp_blocks", v0::plan(), v0::run},
          {"v1", "v1_larger_blocks", v1::plan(), v1::run},
          {"v2", "v2_smaller_table", v2::plan(), v2::run},
          {"v3", "v3_every_slot", v3::plan(), v3::run},
          {"v4", "v4_four_loads", v4::plan(), v4::run},
          {"v5", "v5_sixteen_bytes", v5::plan(), v5::run},
          {"v6", "v6_fewer_warps", v6::plan(), v6::run},
          {"v7", "v7_side_by_side", v7::plan(), v7::run},
          {"v8", "v8_next_tile", v8::plan(), v8::run},
          {"v9", "v9_twice_the_warps", v9::plan(), v9::run}};
}

int main(int argc, char **argv) {
  if (asks_about_own_figures(argc, argv))
    return answer_own_figures(argc, argv);
  lab::Ladder<Readings> ladder("11_occupancy", "n readings to values, through a table");
  ladder.sizes({.emulator = 1u << 18,
                .gpu = 1u << 28,
                .check = {0, 1, 31, 33, 1023, 1025, 2000003},
                .largest = 1u << 30});
  ladder.moves([](const Readings &p) { return 8.0 * static_cast<double>(p.n); },
               lab::Ceiling::copy);
  // No more blocks than fit on an H200, or on the emulator.
  ladder.recorded({.counted = "--n 8191"});
  for (const PlannedStep &step : planned_steps())
    ladder.step(step.name, step.run);
  register_traps(ladder);
  register_demos(ladder);
  return ladder.main(argc, argv);
}
