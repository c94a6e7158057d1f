/// @file
/// Chapter 01: a first kernel, the threads that run it, and how they share work out.

#include "demo_clocks.cuh"
#include "demo_device.cuh"
#include "demo_hello.cuh"
#include "demo_ids.cuh"
#include "demo_limits.cuh"
#include "every_shape.cuh"
#include "host_loop.hpp"
#include "trap_and_for_or.cuh"
#include "trap_dropped_tail.cuh"
#include "trap_no_bounds_test.cuh"
#include "trap_unchecked_launch.cuh"
#include "trap_unsynchronised_clock.cuh"
#include "v0_one_thread.cuh"
#include "v1_one_block.cuh"
#include "v2_thread_per_point.cuh"
#include "v3_grid_2d.cuh"
#include "v4_linear_id.cuh"
#include "v5_grid_stride.cuh"

namespace {

/// Two points are read and one distance is written.
double bytes(const Points &p) { return (2.0 * sizeof(float2) + sizeof(float)) * p.n; }

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
      .trap("trap_unsynchronised_clock",
            trap_unsynchronised_clock::run,
            "a launch only hands the kernel over and returns; a clock on the host must wait for "
            "the device before it is read. (The emulator runs the kernel at once, so there the "
            "clock is right.)")
      .check(trap_unsynchronised_clock::check)
      .exposed_by({1 << 16, 32})
      .may_be_right(1);
}

} // namespace

int main(int argc, char **argv) {
  lab::Ladder<Points> ladder("01_hello_threads", "the distances between n pairs of points");
  ladder.sizes({.emulator = 1u << 20,
                .gpu = 1u << 24,
                .check = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 1000003},
                .largest = 1u << 30});
  ladder.blocks({.check = {32, 96, 256, 1024}, .timed = 256});
  ladder.moves(bytes, lab::Ceiling::copy);

  ladder.cpu("host_loop", host_loop::run).check(host_loop::check);
  ladder.step("v0_one_thread", v0_one_thread::run).block(1);
  ladder.step("v1_one_block", v1_one_block::run);
  ladder.step("v2_thread_per_point", v2_thread_per_point::run);
  ladder.step("v3_grid_2d", v3_grid_2d::run);
  ladder.step("v4_linear_id", v4_linear_id::run);
  ladder.step("v5_grid_stride", v5_grid_stride::run).check(every_shape::check);

  add_traps(ladder);

  ladder.demo("hello", demo_hello::run, "every thread of a 2-D grid says where it is");
  ladder.demo("ids", demo_ids::run, "one number for every thread, in 1, 2 and 3 dimensions");
  ladder.demo("limits", demo_limits::run, "how large blocks and grids may be");
  ladder.demo("device", demo_device::run, "what the device says about itself");
  ladder.demo("clocks", demo_clocks::run, "what the host's clock sees of a kernel, and events");
  return ladder.main(argc, argv);
}
