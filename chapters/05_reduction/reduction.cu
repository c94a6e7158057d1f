/// @file
/// Chapter 05: the sum of n integers, from the first idea to the memory's bandwidth.

#include "cub_rival.hpp"
#include "demos.hpp"
#include "host.hpp"
#include "problem.hpp"
#include "trap_cap_512.cuh"
#include "trap_early_return.cuh"
#include "trap_grid_rounds_down.cuh"
#include "trap_half_pairs.cuh"
#include "trap_in_place_race.cuh"
#include "trap_int_overflow.cuh"
#include "trap_past_the_end.cuh"
#include "trap_volatile_tail.cuh"
#include "v0_interleaved_modulo.cuh"
#include "v1_shared_contiguous_ids.cuh"
#include "v2_sequential_addressing.cuh"
#include "v3_first_add_during_load.cuh"
#include "v4_last_warp_unrolled.cuh"
#include "v5_fully_unrolled.cuh"
#include "v6_many_adds_per_thread.cuh"
#include "v7_warp_shuffle.cuh"
#include "v8_vector_loads_one_pass.cuh"

namespace {

// v0 destroys its input. The copy is made before each run and is not part of the time.
void copy_input(Reduction &p) {
  if (p.d_scratch.size() < p.n)
    p.d_scratch = lab::DeviceBuffer<Value>(p.n);
  LAB_CHECK(
      cudaMemcpyAsync(p.d_scratch.data(), p.d_in.data(), p.d_in.bytes(), cudaMemcpyDeviceToDevice));
}

void register_steps(lab::Ladder<Reduction> &ladder) {
  ladder.cpu("cpu_loop", run_cpu_loop).check(check_host);
  ladder.cpu("cpu_halving", run_cpu_halving).before(copy_input_on_host).check(check_host);
  ladder.step("v0_interleaved_modulo", v0::run).before(copy_input);
  ladder.step("v1_shared_contiguous_ids", v1::run);
  ladder.step("v2_sequential_addressing", v2::run);
  ladder.step("v3_first_add_during_load", v3::run);
  ladder.step("v4_last_warp_unrolled", v4::run);
  ladder.step("v5_fully_unrolled", v5::run);
  ladder.step("v6_many_adds_per_thread", v6::run);
  ladder.step("v7_warp_shuffle", v7::run);
  ladder.step("v8_vector_loads_one_pass", v8::run).timed_with(1024);
#ifdef BUILD_FIRST_EMULATOR
  ladder.skipped_rival("cub_device_reduce", "CUB is part of the CUDA toolkit, not of the emulator");
#else
  ladder.rival("cub_device_reduce", run_cub).before(allocate_for_cub);
#endif
}

// Each with the smallest input that shows it.
void register_traps(lab::Ladder<Reduction> &ladder) {
  ladder.trap("trap_in_place_race", trap_in_place_race::run, trap_in_place_race::why)
      .before(copy_input)
      .exposed_by({.n = 1024, .block = 1024})
      .may_be_right();
  ladder.trap("trap_early_return", trap_early_return::run, trap_early_return::why)
      .exposed_by({.n = 33, .block = 64})
      .may_be_right();
  ladder.trap("trap_grid_rounds_down", trap_grid_rounds_down::run, trap_grid_rounds_down::why)
      .exposed_by({.n = 33, .block = 32});
  ladder.trap("trap_half_pairs", trap_half_pairs::run, trap_half_pairs::why)
      .exposed_by({.n = 1, .block = 32});
  ladder.trap("trap_volatile_tail", trap_volatile_tail::run, trap_volatile_tail::why)
      .exposed_by({.n = 4, .block = 64})
      .may_be_right();
  ladder.trap("trap_cap_512", trap_cap_512::run, trap_cap_512::why)
      .exposed_by({.n = 513, .block = 1024});
  ladder.trap("trap_past_the_end", trap_past_the_end::run, trap_past_the_end::why)
      .exposed_by({.n = 1, .block = 32});
  ladder.trap("trap_int_overflow", trap_int_overflow::run, trap_int_overflow::why)
      .check(trap_int_overflow::check)
      .exposed_by({.n = 2, .block = 32});
}

} // namespace

int main(int argc, char **argv) {
  lab::Ladder<Reduction> ladder("05_reduction", "the sum of n 32-bit integers, modulo 2^32");
  ladder.sizes({.emulator = 1u << 20,
                .gpu = 1u << 28,
                .check = {0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 1000003}});
  ladder.blocks({.check = {32, 64, 128, 256, 512, 1024}, .timed = 256});
  ladder.moves([](const Reduction &p) { return sizeof(Value) * static_cast<double>(p.n); },
               lab::Ceiling::read);
  register_steps(ladder);
  register_traps(ladder);
  ladder.demo("sum_min_max_mean", show_sum_min_max_mean, "four results, one kernel");
  ladder.demo("float_sum", show_float_sum, "when the sum is large, small terms vanish");
  return ladder.main(argc, argv);
}
