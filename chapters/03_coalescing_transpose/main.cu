/// @file
/// Chapter 03: a matrix is transposed, from the first idea to the speed of a copy.

#include "demos/demos.hpp"
#include "problem.hpp"
#include "steps/copy_float4.cuh"
#include "steps/copy_scalar.cuh"
#include "steps/v0_read_coalesced.cuh"
#include "steps/v10_padded_again.cuh"
#include "steps/v11_swizzled_tile.cuh"
#include "steps/v1_write_coalesced.cuh"
#include "steps/v2_read_only_hint.cuh"
#include "steps/v3_shared_tile.cuh"
#include "steps/v4_padded_tile.cuh"
#include "steps/v5_four_elements_per_thread.cuh"
#include "steps/v6_four_loads_in_flight.cuh"
#include "steps/v7_blocks_follow_the_writes.cuh"
#include "steps/v8_sixteen_elements_per_thread.cuh"
#include "steps/v9_float4_both_sides.cuh"

namespace {

void register_steps(lab::Ladder<Matrix> &ladder) {
  ladder.step("copy_scalar", copy_scalar::run).check(check_copy);
  ladder.step("copy_float4", copy_float4::run).check(check_copy).yardstick();
  ladder.step("v0_read_coalesced", v0::run);
  ladder.step("v1_write_coalesced", v1::run);
  ladder.step("v2_read_only_hint", v2::run);
  ladder.step("v3_shared_tile", v3::run);
  ladder.step("v4_padded_tile", v4::run);
  ladder.step("v5_four_elements_per_thread", v5::run);
  ladder.step("v6_four_loads_in_flight", v6::run);
  ladder.step("v7_blocks_follow_the_writes", v7::run);
  ladder.step("v8_sixteen_elements_per_thread", v8::run);
  ladder.step("v9_float4_both_sides", v9::run);
  ladder.step("v10_padded_again", v10::run);
  ladder.step("v11_swizzled_tile", v11::run);
#if defined(BUILD_FIRST_EMULATOR)
  ladder.skipped_rival("cublas_sgeam", "cuBLAS is part of the CUDA toolkit, not of the emulator");
#elif defined(BF_HAVE_CUBLAS)
  ladder.rival("cublas_sgeam", run_cublas).before(start_cublas);
#else
  ladder.skipped_rival("cublas_sgeam", "cuBLAS was not found when this program was built");
#endif
}

} // namespace

int main(int argc, char **argv) {
  lab::Ladder<Matrix> ladder("03_coalescing_transpose", "the transpose of a matrix of floats");
  ladder.sizes({.emulator = 1024,
                .gpu = 8192,
                .check = {0, 1, 2, 31, 32, 33, 64, 65, 252, 255},
                .shapes = {{1, 4097}, {4097, 1}, {0, 5}, {36, 100}, {257, 64}, {1023, 1025}},
                .largest = 1u << 22});
  ladder.moves([](const Matrix &p) { return 2.0 * sizeof(float) * double(p.elements()); },
               lab::Ceiling::copy);
  ladder.recorded({.timed = {"--n 8192 --l2 cold",
                             "--n 4096 --l2 cold",
                             "--n 16384 --l2 cold",
                             "--n 1023x1025 --l2 cold",
                             "--n 8190x8194 --l2 cold",
                             "--n 4096x65536 --l2 cold"},
                   .counted = "--n 500x1028"});
  register_steps(ladder);
  register_traps(ladder);
  register_demos(ladder);
  return ladder.main(argc, argv);
}
