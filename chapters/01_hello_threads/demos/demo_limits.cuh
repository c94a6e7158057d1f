#pragma once

#include "ladder/chapter.hpp"

namespace demo_limits {

__global__ void count_threads(unsigned *count) { atomicAdd(count, 1u); }

/// What to ask for, and whether CUDA should grant it.
struct Request {
  dim3 grid;
  dim3 block;
  bool granted;
  const char *remark;
};

/// Launches and gives CUDA's answer; counts the threads that really ran.
inline cudaError_t ask(const Request &request, lab::DeviceBuffer<unsigned> &count) {
  LAB_CHECK(cudaMemset(count.data(), 0, count.bytes()));
  count_threads<<<request.grid, request.block>>>(count.data());
  return cudaGetLastError();
}

/// CUDA's answer to a launch that no device takes: the first one up to CUDA 12, the other since.
inline bool is_refusal(cudaError_t answer) {
  return answer == cudaErrorInvalidConfiguration || answer == cudaErrorInvalidValue;
}

inline void run(lab::Demo &demo) {
  const Request requests[] = {
      {dim3(1), dim3(1024), true, "1024 threads in all: the limit"},
      {dim3(1), dim3(32, 32), true, "1024 again, as a square"},
      {dim3(1), dim3(1, 1024), true, "1024 along y"},
      {dim3(1), dim3(1, 1, 64), true, "64 along z"},
      {dim3(1), dim3(1025), false, "one thread too many"},
      {dim3(1), dim3(32, 32, 2), false, "2048: the edges fit, the whole not"},
      {dim3(1), dim3(1, 1, 65), false, "z ends at 64"},
      {dim3(1), dim3(0), false, "a block of nobody"},
      {dim3(0), dim3(32), false, "a grid of nothing"},
      {dim3(1, 65535), dim3(1), true, "y and z of a grid end at 65535"},
      {dim3(1, 65536), dim3(1), false, "one row too many"},
  };
  lab::DeviceBuffer<unsigned> count(1);
  cudaError_t refusal = cudaSuccess;
  demo.say("%-15s%-14s%6s  %-9s%s\n", "grid", "block", "ran", "answer", "why");
  for (const Request &request : requests) {
    const cudaError_t answer = ask(request, count);
    const unsigned ran = count.at(0);
    const bool granted = answer == cudaSuccess;
    char grid[24], block[24];
    snprintf(grid, sizeof grid, "(%u, %u, %u)", request.grid.x, request.grid.y, request.grid.z);
    snprintf(
        block, sizeof block, "(%u, %u, %u)", request.block.x, request.block.y, request.block.z);
    demo.say("%-15s%-14s%6u  %-9s%s\n",
             grid,
             block,
             ran,
             granted ? "granted" : "refused",
             request.remark);
    const unsigned asked = request.grid.y * request.block.x * request.block.y * request.block.z;
    if (!granted)
      refusal = answer;
    demo.expect(request.granted ? granted && ran == asked : is_refusal(answer) && ran == 0,
                request.remark);
  }
  demo.say("\nrefused: the launch ends in %s, and no thread runs\n", cudaGetErrorName(refusal));
}

} // namespace demo_limits
