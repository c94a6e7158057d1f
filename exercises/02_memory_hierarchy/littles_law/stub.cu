// 02.2 · Little's law
//
// A share of a kernel's loads finds its bytes in the L2, which is nearer than the memory, and which we take to have no limit.
// How many bytes reach the threads per second, and how long does a load take?
#include <cuda_runtime.h>

struct Gpu {
  double bandwidth; // GB/s, 10^9 bytes per second: the memory brings no more
  double latency; // ns that a load from memory takes as long as the memory has time to spare
  double latency_l2; // ns that a load from the L2 takes, always
  int multiprocessors;
  int threads; // on each multiprocessor
};

struct Reads {
  double rate; // GB/s that reach the threads, from wherever
  double time; // ns that a load takes on average, with its wait for the memory, if it has to wait
};

// Each thread has so many loads in flight all the time, of so many bytes each. The L2 has what `hits` of them want, from 0 to
// 0.9: of the lesson's H200, {4660, 351, 145, 132, 2048}, one load of 4 bytes and no hits give {3081, 351}.
Reads reads(const Gpu &gpu, int loads, int bytes, double hits) {
  // TODO: these are the data sheet's figures, whatever is under way. With too little the first is too high, with more than
  // enough the second is too low.
  return {gpu.bandwidth, gpu.latency};
  // end of TODO
}
