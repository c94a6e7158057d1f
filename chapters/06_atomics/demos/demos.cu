#include "problem.hpp"

#include "demos/demo_aggregated.cuh"
#include "demos/demo_compare_and_swap.cuh"
#include "demos/demo_contention.cuh"
#include "demos/demo_finish.cuh"
#include "demos/demo_float_order.cuh"
#include "demos/demo_kinds.cuh"
#include "demos/demo_locks.cuh"
#include "demos/demo_lost_update.cuh"
#include "demos/demo_many_bins.cuh"
#include "demos/demo_mean_distance.cuh"
#include "demos/demo_primes.cuh"
#include "demos/demo_scopes.cuh"

void register_demos(lab::Ladder<Histogram> &ladder) {
  ladder.demo("lost_update", demo_lost_update::run, "read, add, write: and what gets lost");
  ladder.demo("contention", demo_contention::run, "atomics on 1, 2, 4 … addresses");
  ladder.demo("kinds", demo_kinds::run, "every atomic there is");
  ladder.demo("mean_distance", demo_mean_distance::run, "a float sum in shared memory");
  ladder.demo("finish", demo_finish::run, "from one sum per block to one sum");
  ladder.demo("aggregated", demo_aggregated::run, "one atomic for a warp").counted();
  ladder.demo("many_bins", demo_many_bins::run, "more bins than shared memory holds");
  ladder.demo("compare_and_swap", demo_compare_and_swap::run, "atomics that CUDA does not have");
  ladder.demo("scopes", demo_scopes::run, "who must see it, and what else with it");
  ladder.demo("locks", demo_locks::run, "words that belong together");
  ladder.demo("float_order", demo_float_order::run, "the order of a sum of floats");
  ladder.demo("primes", demo_primes::run, "a flag that stops everybody");
}
