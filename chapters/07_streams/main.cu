/// @file
/// Chapter 07: streams: what runs beside what, and who has to wait for whom.

#include "demos/demos.hpp"
#include "problem.hpp"
#include "steps/stages.hpp"
#include "steps/v0_pageable_copies.cuh"
#include "steps/v1_pinned_copies.cuh"
#include "steps/v2_two_streams.cuh"
#include "steps/v3_eight_parts.cuh"
#include "steps/v4_double_buffers.cuh"
#include "steps/v5_parts_by_model.cuh"
#include "steps/v6_kernels_overlap.cuh"

namespace {

// Not within the timed run.
template <size_t kernel_streams> void measure_stages(Batch &p) {
  static_cast<void>(stages_of(p, kernel_streams));
}

void register_steps(lab::Ladder<Batch> &ladder) {
  ladder.step("v0_pageable_copies", v0::run);
  ladder.step("v1_pinned_copies", v1::run).yardstick();
  ladder.step("v2_two_streams", v2::run);
  ladder.step("v3_eight_parts", v3::run);
  ladder.step("v4_double_buffers", v4::run);
  // They measure before they decide.
  ladder.step("v5_parts_by_model", v5::run).before(measure_stages<1>).recorded({.counted = false});
  ladder.step("v6_kernels_overlap", v6::run).before(measure_stages<2>).recorded({.counted = false});
}

} // namespace

int main(int argc, char **argv) {
  lab::Ladder<Batch> ladder("07_streams", "n words to the device, through a kernel, and back");
  // On a GPU 512 MiB each way, page-locked, and the same again that is not.
  ladder.sizes({.emulator = 1u << 16,
                .gpu = 1u << 26,
                .check = {0, 1, 31, 33, 255, 257, 100003},
                .largest = 1u << 27});
  ladder.moves([](const Batch &p) { return 2.0 * static_cast<double>(p.bytes()); },
               lab::Ceiling::none);
  ladder.recorded({.counted = "--n 100003"});
  register_steps(ladder);
  register_traps(ladder);
  register_demos(ladder);
  return ladder.main(argc, argv);
}
