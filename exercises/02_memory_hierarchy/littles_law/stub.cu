// 02.2 · Little's law
//
// A GPU reads as many bytes per second as it can only if enough of them are under way all the time. And if more than
// enough are?
#include <cuda_runtime.h>

struct Gpu {
  double bandwidth; // GB/s, 10^9 bytes per second: the memory brings no more
  double latency; // ns that a load takes as long as the memory has time to spare
  int multiprocessors;
  int threads; // on each multiprocessor
};

struct Reads {
  double rate; // GB/s that arrive
  double time; // ns that each load takes, with its wait for the memory, if it has to wait
};

// Each thread has so many loads in flight all the time. A load brings so many bytes.
Reads reads(const Gpu &gpu, int loads, int bytes) {
  // TODO: the figures of the data sheet, for every kernel. Too few loads leave the memory idle, and too many wait for it.
  return {gpu.bandwidth, gpu.latency};
  // end of TODO
}
