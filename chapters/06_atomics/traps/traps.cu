#include "problem.hpp"

#include "traps/trap_bins_not_emptied.cuh"
#include "traps/trap_compare_floats.cuh"
#include "traps/trap_flag_without_fence.cuh"
#include "traps/trap_float_max_by_bits.cuh"
#include "traps/trap_missing_barrier.cuh"
#include "traps/trap_missing_block_index.cuh"
#include "traps/trap_two_locks.cuh"
#include "traps/trap_volatile_counter.cuh"

void register_traps(lab::Ladder<Histogram> &ladder) {
  ladder.trap("trap_volatile_counter", trap_volatile_counter::run, trap_volatile_counter::why)
      .exposed_by({.n = 2, .block = 32});
  ladder.trap("trap_bins_not_emptied", trap_bins_not_emptied::run, trap_bins_not_emptied::why)
      .hazard("uninitialised")
      .exposed_by({.n = 1, .block = 32})
      .may_be_right();
  ladder.trap("trap_missing_barrier", trap_missing_barrier::run, trap_missing_barrier::why)
      .hazard("shared_race")
      .exposed_by({.n = 64, .block = 64})
      .may_be_right();
  ladder
      .trap(
          "trap_missing_block_index", trap_missing_block_index::run, trap_missing_block_index::why)
      .exposed_by({.n = 33, .block = 32});
  ladder.trap("trap_flag_without_fence", trap_flag_without_fence::run, trap_flag_without_fence::why)
      .check(trap_flag_without_fence::check)
      .hazard("global_race")
      .exposed_by({.n = 64, .block = 32})
      .may_be_right();
  ladder.trap("trap_float_max_by_bits", trap_float_max_by_bits::run, trap_float_max_by_bits::why)
      .check(trap_float_max_by_bits::check)
      .exposed_by({.n = 2, .block = 32});
  ladder.trap("trap_compare_floats", trap_compare_floats::run, trap_compare_floats::why)
      .check(trap_compare_floats::check)
      .exposed_by({.n = 1, .block = 32});
  ladder.trap("trap_two_locks", trap_two_locks::run, trap_two_locks::why)
      .check(trap_two_locks::check)
      .exposed_by({.n = 0, .block = 64});
}
