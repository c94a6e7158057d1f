// 02.2 · Little's law
//
// Some of a kernel's loads hit: they find their bytes in the L2, which answers sooner than the memory, and has no limit of
// its own here. All others miss, and their bytes come from the memory. How large a share has to hit for a rate?
#include <cuda_runtime.h>

struct Gpu {
  double bandwidth; // GB/s, 10^9 bytes per second: the memory brings no more
  double latency; // ns that a load from memory takes
  double latency_l2; // ns that a load from the L2 takes
  int multiprocessors;
  int threads; // on each multiprocessor
};

// Your order: a GPU that reads 6000 GB/s with one int per thread. It costs 1 for each multiprocessor, 1 for each 20 GB/s of
// bandwidth, and 75 / m for an L2 in which a share m of the loads misses; the shop asks hits_needed() which L2 it takes. All
// else is as on the lesson's H200. This order costs 132 + 233 + 439 = 804. It can be had for much less.
struct Order {
  int multiprocessors, bandwidth;
};
Order order() { return {132, 4660}; }

// Each thread has so many loads in flight all the time, of so many bytes each. Which share of them, from 0 to 1, has to find its
// bytes in the L2, at the least, so that `wanted` GB/s reach the threads? -1: not even all would do. With one load of 4 bytes
// on the lesson's H200, {4660, 351, 145, 132, 2048}, 3000 GB/s take no hits, 4660 a share of 0.577, and 8000 can't be had.
double hits_needed(const Gpu &gpu, int loads, int bytes, double wanted) {
  // TODO: reckon on paper first. What may stand in the way of this rate?
  return 0;
  // end of TODO
}
