#pragma once

#include "ladder/chapter.hpp"

namespace demo_statics {

__device__ int launches; // device memory that no cudaMalloc asked for; as old as the program
__constant__ int step[2]; // written by the host, read by kernels

__global__ void count(int which) { launches += step[which]; }

inline void run(lab::Demo &demo) {
  const int h_step[2] = {1, 10};
  const int zero = 0;
  LAB_CHECK(cudaMemcpyToSymbol(step, h_step, sizeof(h_step)));
  LAB_CHECK(cudaMemcpyToSymbol(launches, &zero, sizeof(zero)));
  int expected = 0;
  for (int launch = 0; launch < 4; ++launch) {
    const int which = launch % 2;
    count<<<1, 1>>>(which);
    LAB_CHECK_LAUNCH();
    int h_launches = -1;
    LAB_CHECK(cudaMemcpyFromSymbol(&h_launches, launches, sizeof(h_launches)));
    expected += h_step[which];
    demo.say("launch %d adds %2d: the variable holds %2d\n", launch + 1, h_step[which], h_launches);
    demo.expect(lab::compare_value("launches", h_launches, expected));
  }
}

} // namespace demo_statics
