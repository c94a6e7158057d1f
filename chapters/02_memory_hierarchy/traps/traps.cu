#include "problem.hpp"

#include "traps/trap_clock_of_one_block.cuh"
#include "traps/trap_device_variable_on_host.cuh"
#include "traps/trap_grid_of_one_size.cuh"
#include "traps/trap_sum_in_32_bits.cuh"

void register_traps(lab::Ladder<SumOfSquares> &ladder) {
  ladder.trap("trap_sum_in_32_bits", trap_sum_in_32_bits::run, trap_sum_in_32_bits::why)
      .check(trap_sum_in_32_bits::check)
      .exposed_by({.n = 3});
  ladder.trap("trap_grid_of_one_size", trap_grid_of_one_size::run, trap_grid_of_one_size::why)
      .exposed_by({.n = 8193});
  ladder
      .trap("trap_device_variable_on_host",
            trap_device_variable_on_host::run,
            trap_device_variable_on_host::why)
      .check(trap_device_variable_on_host::check)
      .exposed_by({.n = 1})
      .hazard("shadow_used");
  ladder.trap("trap_clock_of_one_block", trap_clock_of_one_block::run, trap_clock_of_one_block::why)
      .check(trap_clock_of_one_block::check)
      .exposed_by({.n = 1u << 20})
      .may_be_right(3);
}
