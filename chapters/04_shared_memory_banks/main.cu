/// @file
/// Chapter 04: shared memory and its banks, seen in the transpose of a matrix by tiles.

#include "problem.hpp"
#include "steps/copy_through_shared.cuh"
#include "steps/v0_square_tile.cuh"
#include "steps/v1_padded_tile.cuh"
#include "steps/v2_swizzled_tile.cuh"

int main(int argc, char **argv) {
  lab::Ladder<Transpose> ladder("04_shared_memory_banks", "the transpose of a matrix of floats");
  ladder.sizes({.emulator = 1024,
                .gpu = 8192,
                .check = {0, 1, 2, 31, 32, 33, 63, 64, 65, 500},
                .shapes = {{1, 4097}, {4097, 1}, {33, 7}, {1023, 1025}},
                .largest = 1u << 20});
  // Each element is read once and written once.
  ladder.moves(
      [](const Transpose &p) {
        return 2.0 * sizeof(float) * static_cast<double>(p.rows) * static_cast<double>(p.cols);
      },
      lab::Ceiling::copy);
  ladder.recorded({.counted = "--n 127x250"});
  ladder.step("copy_through_shared", copy_through_shared::run).check(check_copy).yardstick();
  ladder.step("v0_square_tile", v0::run);
  ladder.step("v1_padded_tile", v1::run);
  ladder.step("v2_swizzled_tile", v2::run);
  register_traps(ladder);
  register_demos(ladder);
  return ladder.main(argc, argv);
}
