// 02.2 · Little's law
//
// A GPU reads as many bytes per second as it can only if enough of them are under way all the time. How many loads
// must each thread have in flight?
#include <cuda_runtime.h>

struct Gpu {
  int bandwidth; // GB/s: 10^9 bytes per second
  int latency; // of a load, ns
  int multiprocessors;
  int threads; // on each multiprocessor
};

// The fewest loads of each thread with which enough is under way by Little's law. A load brings so many bytes.
int loads_in_flight(const Gpu &gpu, int bytes) {
  // TODO: one load for each thread, as in v4. How many bytes are under way then, and how many must be?
  return 1;
  // end of TODO
}
