// 02.2 · Little's law
//
// How good must a cache be? Some of a kernel's loads hit: they find their bytes in the L2, which is nearer than the memory,
// and brings whatever is asked of it. The memory brings the rest. Two things can limit the rate. With few bytes under way it is
// the time that a load takes; no load waits for others then. With many it is the memory, which brings no more than it can.
#include <cuda_runtime.h>

struct Gpu {
  double bandwidth; // GB/s, 10^9 bytes per second: the memory brings no more
  double latency; // ns that a load from memory takes, if it waits for no other
  double latency_l2; // ns that a load from the L2 takes, always
  int multiprocessors;
  int threads; // on each multiprocessor
};

// Each thread has so many loads in flight all the time, of so many bytes each. Which share of them, from 0 to 1, has to find its
// bytes in the L2, at the least, so that `wanted` GB/s reach the threads? -1: not even all would do. With one load of 4 bytes
// on the lesson's H200, {4660, 351, 145, 132, 2048}, 3000 GB/s take no hits, 4660 a share of 0.577, and 8000 can't be had.
double hits_needed(const Gpu &gpu, int loads, int bytes, double wanted) {
  // TODO: this is what the memory can't bring, whatever is under way.
  return 1 - gpu.bandwidth / wanted;
  // end of TODO
}
