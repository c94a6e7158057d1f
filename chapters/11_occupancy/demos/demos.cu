#include "problem.hpp"

#include "demos/demo_arithmetic.cuh"
#include "demos/demo_carveout.cuh"
#include "demos/demo_clusters.cuh"
#include "demos/demo_gaps.cuh"
#include "demos/demo_limits.cuh"
#include "demos/demo_model.cuh"
#include "demos/demo_proof.cuh"
#include "demos/demo_registers.cuh"
#include "demos/demo_sweep.cuh"
#include "demos/demo_tiles.cuh"
#include "demos/demo_waves.cuh"

void register_demos(lab::Ladder<Readings> &ladder) {
  ladder.demo("limits", demo_limits::run, "what each limit says of a launch");
  ladder.demo("proof", demo_proof::run, "the chapter's calculator against CUDA's");
  ladder.demo("model", demo_model::run, "all steps: what fits, what that promises, what came");
  ladder.demo("sweep", demo_sweep::run, "warps, and loads in each thread").counted();
  ladder.demo(
      "arithmetic", demo_arithmetic::run, "warps, and chains of multiply-adds in each thread");
  ladder.demo("tiles", demo_tiles::run, "who takes which readings");
  ladder.demo("registers", demo_registers::run, "more blocks, fewer registers");
  ladder.demo("waves", demo_waves::run, "one block more");
  ladder.demo("gaps", demo_gaps::run, "a second grid beside the first").counted();
  ladder.demo("carveout", demo_carveout::run, "shared memory or L1").counted();
#ifdef BUILD_FIRST_EMULATOR
  ladder.skipped_rival("clusters", "clusters of blocks need a GPU of compute capability 9.0");
#else
  ladder.demo("clusters", demo_clusters::run, "how many clusters of blocks fit");
#endif
}
