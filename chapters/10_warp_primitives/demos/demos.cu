#include "problem.hpp"

#include "demos/demo_apart.cuh"
#include "demos/demo_barrier.cuh"
#include "demos/demo_clusters.cuh"
#include "demos/demo_groups.cuh"
#include "demos/demo_segments.cuh"
#include "demos/demo_shuffles.cuh"
#include "demos/demo_votes.cuh"

void register_demos(lab::Ladder<Scan> &ladder) {
  ladder.demo("apart", demo_apart::run, "lanes that go their own ways, and meet");
  ladder.demo("shuffles", demo_shuffles::run, "four ways to read another lane's register")
      .counted();
  ladder.demo("beyond", demo_shuffles::run_beyond, "shuffles that ask beyond their part");
  ladder.demo("votes", demo_votes::run, "what a warp answers at once").counted();
  ladder.demo("segments", demo_segments::run, "sums of many groups in one go").counted();
  ladder.demo("groups", demo_groups::run, "threads with a common name").counted();
  ladder.demo("barrier", demo_barrier::run, "a barrier for some of a block's warps");
  ladder.demo("clusters", demo_clusters::run, "blocks that read each other's shared memory");
}
