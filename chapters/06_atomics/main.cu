/// @file
/// Chapter 06: atomics, seen in the histogram of n bytes.

#include "demos/demo_block_size.cuh"
#include "demos/demo_contiguous.cuh"
#include "demos/demo_equal_bytes.cuh"
#include "problem.hpp"
#include "steps/v0_global_atomics.cuh"
#include "steps/v1_grid_stride.cuh"
#include "steps/v2_shared_bins.cuh"
#include "steps/v3_sixteen_bytes.cuh"
#include "steps/v4_copy_per_warp.cuh"
#include "steps/v5_column_per_lane.cuh"
#include "steps/v6_loads_in_flight.cuh"
#include "steps/v7_streaming_loads.cuh"

namespace {

void run_cpu_loop(Histogram &p) { p.host_result = count_bytes(p.h_in); }

lab::Verdict check_host(Histogram &p) { return lab::compare(p.host_result, p.expected); }

void register_steps(lab::Ladder<Histogram> &ladder) {
  ladder.cpu("cpu_loop", run_cpu_loop).check(check_host);
  ladder.step("v0_global_atomics", v0::run);
  ladder.step("v1_grid_stride", v1::run);
  ladder.step("v2_shared_bins", v2::run);
  ladder.step("v3_sixteen_bytes", v3::run);
  ladder.step("v4_copy_per_warp", v4::run);
  ladder.step("v5_column_per_lane", v5::run);
  ladder.step("v6_loads_in_flight", v6::run);
  ladder.step("v7_streaming_loads", v7::run);
  ladder.rival("cub_device_histogram", run_cub)
      .before(allocate_for_cub)
      .not_observed("the emulator's CUB has its results, not its counts");
}

} // namespace

int main(int argc, char **argv) {
  lab::Ladder<Histogram> ladder("06_atomics", "how often each byte occurs among n");
  ladder.sizes({.emulator = 1u << 20,
                .gpu = 1u << 30,
                .check = {0, 1, 15, 16, 17, 31, 33, 1023, 1025, 1000003}});
  ladder.blocks({.check = {32, 64, 128, 256, 512, 1024}, .timed = 512});
  ladder.moves([](const Histogram &p) { return static_cast<double>(p.n); }, lab::Ceiling::read);
  ladder.recorded({.counted = "--n 100003 --block 256"});
  register_steps(ladder);
  register_traps(ladder);
  ladder.demo("block_size", demo_block_size::run, "how many blocks fit");
  ladder.demo("equal_bytes", demo_equal_bytes::run, "all lanes want one count");
  ladder.demo("contiguous", demo_contiguous::run, "in turn, in stretches, and joined by a thread");
  register_demos(ladder);
  return ladder.main(argc, argv);
}
