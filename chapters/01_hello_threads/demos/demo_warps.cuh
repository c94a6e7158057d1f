#pragma once

#include "ladder/chapter.hpp"
#include "steps/linear_id.cuh"

#include <cstdio>
#include <vector>

namespace demo_warps {

// Each thread asks lane 0 of its own warp for its number in the block. (Chapter 10 is about this.)
__global__ void ask_lane_0(unsigned *answer) {
  const unsigned i = thread_in_block();
  answer[i] = __shfl_sync(0xffffffffu, i, 0);
}

inline void run(lab::Demo &demo) {
  const struct {
    dim3 block, thread;
  } samples[] = {{dim3(64), dim3(31, 0, 0)},
                 {dim3(64), dim3(32, 0, 0)},
                 {dim3(8, 8), dim3(7, 3, 0)},
                 {dim3(8, 8), dim3(0, 4, 0)},
                 {dim3(4, 4, 4), dim3(3, 3, 1)},
                 {dim3(4, 4, 4), dim3(1, 0, 2)}};
  demo.say("%-12s%-12s%8s%6s%6s   %s\n", "block", "thread", "number", "warp", "lane", "the warp");
  for (const auto &[block, thread] : samples) {
    const unsigned threads = block.x * block.y * block.z;
    const unsigned number = thread.x + thread.y * block.x + thread.z * block.x * block.y;
    lab::DeviceBuffer<unsigned> d_answer(threads);
    lab::poison(d_answer);
    ask_lane_0<<<1, block>>>(d_answer.data());
    LAB_CHECK_LAUNCH();
    const std::vector<unsigned> answer = d_answer.download();
    bool as_the_rule_says = true;
    for (unsigned i = 0; i < threads; ++i)
      as_the_rule_says = as_the_rule_says && answer[i] == i / 32 * 32;
    demo.expect(as_the_rule_says, "a warp is 32 threads with consecutive numbers");
    char shape[24], place[24];
    snprintf(shape, sizeof shape, "(%u, %u, %u)", block.x, block.y, block.z);
    snprintf(place, sizeof place, "(%u, %u, %u)", thread.x, thread.y, thread.z);
    demo.say("%-12s%-12s%8u%6u%6u   numbers %u to %u\n",
             shape,
             place,
             number,
             number / 32,
             number % 32,
             answer[number],
             answer[number] + 31);
  }
  demo.say("\nthe warp: lane 0 of the thread's warp was asked for its number\n");
}

} // namespace demo_warps
