#pragma once

#include "ladder/chapter.hpp"
#include "ladder/observe.hpp"
#include "steps/linear_id.cuh"

namespace demo_hello {

/// Every thread says where it is, and leaves a mark of its own.
__global__ void hello(int *marks) {
  printf("hello from block (%u, %u), thread (%u, %u): number %2u\n",
         blockIdx.x,
         blockIdx.y,
         threadIdx.x,
         threadIdx.y,
         linear_id());
  marks[linear_id()] = 1;
}

/// The same without a word, for the checks.
__global__ void silent_hello(int *marks) { marks[linear_id()] = 1; }

inline void run(lab::Demo &demo) {
  const dim3 grid(2, 2);
  const dim3 block(2, 2);
  const std::size_t threads = 16;

  lab::DeviceBuffer<int> marks(threads);
  LAB_CHECK(cudaMemset(marks.data(), 0, marks.bytes()));
  fflush(stdout); // what the host has to say comes first
  if (demo.quick() && !lab::being_observed())
    silent_hello<<<grid, block>>>(marks.data());
  else
    hello<<<grid, block>>>(marks.data());
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaDeviceSynchronize()); // printf of the device appears when the host waits for it

  // As many marks as threads: when all are set, no two threads had the same number.
  const bool all = lab::compare(marks.download(), std::vector<int>(threads, 1)).ok;
  demo.say("\n%s of the %zu threads said hello. On a GPU the order may be another one each time.\n",
           all ? "Each" : "NOT each",
           threads);
  demo.expect(all, "each thread says hello, under a number of its own");
}

} // namespace demo_hello
