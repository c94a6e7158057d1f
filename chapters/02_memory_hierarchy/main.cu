/// @file
/// Chapter 02: the sum of squares from one thread to a whole GPU, and the memories on the way.

#include "problem.hpp"
#include "steps/chunks_in_many_blocks.cuh"
#include "steps/v0_one_thread.cuh"
#include "steps/v1_one_block_chunks.cuh"
#include "steps/v2_interleaved.cuh"
#include "steps/v3_more_threads.cuh"
#include "steps/v4_many_blocks.cuh"
#include "steps/v5_shared_one_adder.cuh"
#include "steps/v6_shared_tree.cuh"

int main(int argc, char **argv) {
  lab::Ladder<SumOfSquares> ladder("02_memory_hierarchy", "the sum of the squares of n ints");
  ladder.sizes({.emulator = 1u << 20,
                .gpu = 1u << 25,
                .check = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 8191, 1000003}});
  ladder.moves([](const SumOfSquares &p) { return sizeof(int) * static_cast<double>(p.n); },
               lab::Ceiling::read);
  ladder.recorded({.timed = {"--n 2^25", "--n 2^20"}, .counted = "--n 100003"});

  ladder.cpu("host_loop", run_host_loop).check(check_host_loop);
  ladder.step("v0_one_thread", v0::run);
  ladder.step("v1_one_block_chunks", v1::run);
  ladder.step("v2_interleaved", v2::run);
  ladder.step("v3_more_threads", v3::run);
  ladder.step("v4_many_blocks", v4::run);
  ladder.step("v5_shared_one_adder", v5::run);
  ladder.step("v6_shared_tree", v6::run);
  ladder.step("chunks_in_many_blocks", chunks_in_many_blocks::run).aside();

  register_traps(ladder);
  register_demos(ladder);
  return ladder.main(argc, argv);
}
