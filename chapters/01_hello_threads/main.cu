/// @file
/// Chapter 01: a first kernel, the threads that run it, and how they share work out.

#include "problem.hpp"
#include "steps/euclidean.cuh"
#include "steps/v0_one_thread.cuh"
#include "steps/v1_one_block.cuh"
#include "steps/v2_thread_per_point.cuh"
#include "steps/v3_grid_2d.cuh"
#include "steps/v4_linear_id.cuh"
#include "steps/v5_grid_stride.cuh"

namespace {

/// The baseline: one thread of the host, one distance after the other.
namespace host_loop {

std::vector<float> distances;

void run(Points &p) {
  distances.resize(p.n);
  for (unsigned i = 0; i < p.n; ++i)
    distances[i] = euclidean(p.h_a[i], p.h_b[i]);
}

lab::Verdict check(Points &p) {
  return lab::compare(distances, p.expected, lab::tolerance_for_operations<float>(4));
}

} // namespace host_loop

/// The check of v5: what its run left must be right, and what launches of very different shapes give
/// must be, too.
lab::Verdict check_every_shape(Points &p) {
  const dim3 shapes[][2] = {
      {1, 1}, {1, 33}, {7, 1}, {dim3(2, 3), dim3(5, 4)}, {dim3(3, 1, 2), dim3(2, 4, 8)}};
  lab::Verdict verdict = p.check();
  for (const auto &[blocks, block] : shapes) {
    if (!verdict.ok)
      break;
    p.prepare();
    v5_grid_stride::distances<<<blocks, block>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
    LAB_CHECK_LAUNCH();
    verdict = p.check();
  }
  return verdict;
}

/// Two points are read and one distance is written.
double bytes(const Points &p) { return (2.0 * sizeof(float2) + sizeof(float)) * p.n; }

} // namespace

int main(int argc, char **argv) {
  lab::Ladder<Points> ladder("01_hello_threads", "the distances between n pairs of points");
  ladder.sizes({.emulator = 1u << 20,
                .gpu = 1u << 24,
                .check = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 1000003},
                .largest = 1u << 30});
  ladder.blocks({.check = {32, 96, 256, 1024}, .timed = 256});
  ladder.moves(bytes, lab::Ceiling::copy);
  ladder.recorded({.counted = "--n 10007 --block 256"});

  ladder.cpu("host_loop", host_loop::run).check(host_loop::check);
  ladder.step("v0_one_thread", v0_one_thread::run).block(1);
  ladder.step("v1_one_block", v1_one_block::run);
  ladder.step("v2_thread_per_point", v2_thread_per_point::run);
  ladder.step("v3_grid_2d", v3_grid_2d::run);
  ladder.step("v4_linear_id", v4_linear_id::run);
  ladder.step("v5_grid_stride", v5_grid_stride::run).check(check_every_shape);

  add_traps(ladder);
  add_demos(ladder);
  return ladder.main(argc, argv);
}
