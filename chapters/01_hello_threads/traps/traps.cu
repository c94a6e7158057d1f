#include "problem.hpp"

#include "traps/trap_and_for_or.cuh"
#include "traps/trap_copied_the_wrong_way.cuh"
#include "traps/trap_dropped_tail.cuh"
#include "traps/trap_no_bounds_test.cuh"
#include "traps/trap_swapped_configuration.cuh"
#include "traps/trap_unchecked_launch.cuh"
#include "traps/trap_unsynchronised_clock.cuh"

void add_traps(lab::Ladder<Points> &ladder) {
  ladder
      .trap("trap_dropped_tail",
            trap_dropped_tail::run,
            "n / block rounds down, so the points after the last full block are never computed. "
            "Round up: ceil_div(n, block).")
      .exposed_by({33, 32});
  ladder
      .trap("trap_no_bounds_test",
            trap_no_bounds_test::run,
            "the grid is rounded up to whole blocks, and the threads to spare write past the end. "
            "Test i < n.")
      .exposed_by({1, 32});
  ladder
      .trap("trap_and_for_or",
            trap_and_for_or::run,
            "a thread is outside when it is past one edge OR the other; with AND, only those past "
            "both leave.")
      .exposed_by({1, 64});
  ladder
      .trap("trap_unchecked_launch",
            trap_unchecked_launch::run,
            "a block of 2048 threads is refused, nothing runs, and nobody asked. A launch returns "
            "nothing: fetch its error with cudaGetLastError().")
      .exposed_by({1, 32});
  ladder
      .trap(
          "trap_swapped_configuration",
          trap_swapped_configuration::run,
          "the grid comes first, then the block. Swapped, the product is the same, so every point "
          "is computed while n is small; beyond 1024 blocks the launch is refused.")
      .exposed_by({32 * 1024 + 1, 32});
  ladder
      .trap("trap_copied_the_wrong_way",
            trap_copied_the_wrong_way::run,
            "cudaMemcpy takes the target first, then the source. Swapped, both pointers and the "
            "direction agree with each other, CUDA obeys, and the results are gone.")
      .check(trap_copied_the_wrong_way::check)
      .exposed_by({1, 32});
  ladder
      .trap("trap_unsynchronised_clock",
            trap_unsynchronised_clock::run,
            "a launch only hands the kernel over and returns; a clock on the host must wait for "
            "the device before it is read. (The emulator runs the kernel at once, unless "
            "EMU_SCHEDULE draws another order.)")
      .check(trap_unsynchronised_clock::check)
      .exposed_by({1 << 16, 32})
      .may_be_right(1);
}
