/// @file
/// Chapter 09: the product of two matrices, from three loops to the speed of the vendor's library.

#include "demos/demos.hpp"
#include "problem.hpp"
#include "steps/steps.hpp"

namespace {

void register_steps(lab::Ladder<Matmul> &ladder, const std::vector<Step> &steps, bool aside) {
  for (const Step &step : steps) {
    lab::StepOptions<Matmul> options = ladder.step(step.name, step.run);
    if (step.before)
      options.before(step.before);
    if (step.check)
      options.check(step.check);
    if (aside)
      options.aside();
  }
}

void register_rivals(lab::Ladder<Matmul> &ladder) {
#if defined(BUILD_FIRST_EMULATOR)
  ladder.skipped_rival("cublas_sgemm", "cuBLAS is part of the CUDA toolkit, not of the emulator");
#elif defined(BF_HAVE_CUBLAS)
  ladder.rival("cublas_sgemm", run_cublas).before(start_cublas);
#else
  ladder.skipped_rival("cublas_sgemm", "cuBLAS was not found when this program was built");
#endif
}

} // namespace

int main(int argc, char **argv) {
  lab::Ladder<Matmul> ladder("09_matmul", "the product of two matrices of floats");
  ladder.sizes({.emulator = 128,
                .gpu = 4096,
                .check = {0, 1, 2, 31, 33, 64, 260},
                .shapes = {{1, 65}, {65, 1}, {0, 5}, {36, 100}, {131, 300}},
                .largest = 1u << 15});
  ladder.computes([](const Matmul &p) { return p.flops(); });
  ladder.recorded(
      {.timed = {"--n 4096", "--n 1000", "--n 1024", "--n 2048", "--n 8192", "--n 1023x1025"},
       .counted = "--n 68x140",
       .sanitized = "--n 260",
       .largest_predicted = 8192});
  for (const auto &steps : {first_steps(), register_tile_steps(), async_steps(), last_steps()})
    register_steps(ladder, steps, false);
  register_steps(ladder, kahan_steps(), true);
  register_rivals(ladder);
  register_traps(ladder);
  register_demos(ladder);
  return ladder.main(argc, argv);
}
