/// @file
/// Chapter NN: what it is about, in a line.

#include "problem.hpp"
#include "steps/v0_one_thread.cuh"
#include "steps/v1_thread_per_element.cuh"

namespace {

/// One element is read and one is written.
double bytes(const Problem &p) { return 2.0 * sizeof(float) * p.n; }

} // namespace

int main(int argc, char **argv) {
  lab::Ladder<Problem> ladder("NN_new_chapter", "twice each of n numbers");
  ladder.sizes({.emulator = 1u << 16,
                .gpu = 1u << 26,
                .check = {0, 1, 31, 32, 33, 255, 256, 257, 10007},
                .largest = 1u << 30});
  ladder.blocks({.check = {32, 96, 256, 1024}, .timed = 256});
  ladder.moves(bytes, lab::Ceiling::copy);

  ladder.step("v0_one_thread", v0_one_thread::run).block(1);
  ladder.step("v1_thread_per_element", v1_thread_per_element::run);
  return ladder.main(argc, argv);
}
