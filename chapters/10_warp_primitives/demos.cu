#include "demos.hpp"

#include "demo_apart.cuh"
#include "demo_clusters.cuh"
#include "demo_groups.cuh"
#include "demo_segments.cuh"
#include "demo_shuffles.cuh"
#include "demo_votes.cuh"

void register_demos(lab::Ladder<Scan> &ladder) {
  ladder.demo("apart", demo_apart::run, "lanes that go their own ways, and meet");
  ladder.demo("shuffles", demo_shuffles::run, "four ways to read another lane's register");
  ladder.demo("votes", demo_votes::run, "what a warp answers at once");
  ladder.demo("segments", demo_segments::run, "sums of many groups in one go");
  ladder.demo("groups", demo_groups::run, "threads with a common name");
#ifdef BUILD_FIRST_EMULATOR
  ladder.skipped_rival("clusters", "clusters of blocks need a GPU of compute capability 9.0");
#else
  ladder.demo("clusters", demo_clusters::run, "blocks that read each other's shared memory");
#endif
}
