/// @file
/// Chapter 05: the sum of n integers, from the first idea to the memory's bandwidth.

#include "cub_rival.hpp"
#include "demos.hpp"
#include "host.hpp"
#include "problem.hpp"
#include "traps.hpp"
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

void register_steps(lab::Ladder<Reduction> &ladder) {
  ladder.cpu("cpu_loop", run_cpu_loop).check(check_host);
  ladder.cpu("cpu_halving", run_cpu_halving).before(copy_input_on_host).check(check_host);
  ladder.step("v0_interleaved_modulo", v0::run).before(copy_input_on_device);
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
