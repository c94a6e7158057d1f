#include "problem.hpp"

#include "traps/trap_another_gpus_grid.cuh"
#include "traps/trap_block_of_33.cuh"
#include "traps/trap_bound_too_tight.cuh"
#include "traps/trap_full_is_fast.cuh"
#include "traps/trap_nobody_asked.cuh"
#include "traps/trap_small_benchmark.cuh"

void register_traps(lab::Ladder<Readings> &ladder) {
  ladder.trap("trap_block_of_33", trap_block_of_33::run, trap_block_of_33::why)
      .check(trap_block_of_33::check)
      .exposed_by({.n = 33});
  ladder.trap("trap_nobody_asked", trap_nobody_asked::run, trap_nobody_asked::why)
      .exposed_by({.n = 1});
  ladder.trap("trap_another_gpus_grid", trap_another_gpus_grid::run, trap_another_gpus_grid::why)
      .check(trap_another_gpus_grid::check)
      .exposed_by({.n = 1});
  ladder.trap("trap_full_is_fast", trap_full_is_fast::run, trap_full_is_fast::why)
      .check(trap_full_is_fast::check)
      .exposed_by({.n = 1});
  ladder.trap("trap_small_benchmark", trap_small_benchmark::run, trap_small_benchmark::why)
      .check(trap_small_benchmark::check)
      .exposed_by({.n = 8 * 1024});
#ifdef BUILD_FIRST_EMULATOR
  ladder.skipped_rival("trap_bound_too_tight",
                       "g++ compiles for a CPU, which has no such registers");
#else
  ladder.trap("trap_bound_too_tight", trap_bound_too_tight::run, trap_bound_too_tight::why)
      .check(trap_bound_too_tight::check)
      .exposed_by({.n = 1});
#endif
}
