/// @file
/// Chapter 08: unified memory: one pointer for host and device, and where its pages are.

#include "problem.hpp"
#include "steps/copies_in_parts.cuh"
#include "steps/prefetch_in_parts.cuh"
#include "steps/v0_pageable_copies.cuh"
#include "steps/v1_pinned_copies.cuh"
#include "steps/v2_zero_copy.cuh"
#include "steps/v3_managed_first_touch.cuh"
#include "steps/v4_prefetch.cuh"
#include "steps/v5_result_stays_home.cuh"
#include "steps/v6_one_moves_ahead.cuh"
#include "steps/v7_all_stay_home.cuh"

namespace {

void run_cpu_loop(VectorSum &p) {
  for (size_t i = 0; i < p.n; ++i)
    p.h_c[i] = p.h_a[i] + p.h_b[i];
  p.result = p.h_c.data();
}

void register_steps(lab::Ladder<VectorSum> &ladder) {
  ladder.cpu("cpu_loop", run_cpu_loop);
  ladder.step("v0_pageable_copies", v0::run);
  ladder.step("v1_pinned_copies", v1::run);
  ladder.step("copies_in_parts", copies_in_parts::run).aside().yardstick();
  ladder.step("v2_zero_copy", v2::run);
  ladder.step("v3_managed_first_touch", v3::run).before(bring_home);
  ladder.step("v4_prefetch", v4::run).before(bring_home);
  ladder.step("v5_result_stays_home", v5::run).before(v5::advise_result);
  ladder.step("v6_one_moves_ahead", v6::run).before(v6::advise_b_and_result);
  ladder.step("v7_all_stay_home", v7::run).before(v7::advise_all);
  ladder.step("prefetch_in_parts", prefetch_in_parts::run).before(v5::advise_result).aside();
}

} // namespace

int main(int argc, char **argv) {
  lab::Ladder<VectorSum> ladder("08_unified_memory", "c = a + b, from host memory to host memory");
  // 3 vectors of managed memory: 768 MiB at the default, 1 GiB at the most.
  ladder.sizes({.emulator = 1u << 18,
                .gpu = 1u << 25,
                .check = {0, 1, 31, 33, 511, 513, 100003, 262145},
                .largest = (1u << 30) / 24});
  ladder.blocks({.check = {32, 256, 1024}, .timed = 256});
  ladder.moves([](const VectorSum &p) { return 24.0 * static_cast<double>(p.n); },
               lab::Ceiling::none);
  ladder.recorded({.counted = "--n 100003 --block 256"});
  register_steps(ladder);
  register_traps(ladder);
  register_demos(ladder);
  return ladder.main(argc, argv);
}
