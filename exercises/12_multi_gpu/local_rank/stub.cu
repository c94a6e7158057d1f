// 12.8 · Local rank
//
// MPI numbers the processes of all machines from 0, in any order; CUDA numbers the devices of each machine from 0. A
// machine may have more processes than devices. Two devices each, and the machines of ranks 0 to 5 are a b a b a a:
//
//   a's ranks are 0 2 4 5: ranks 0 and 2 take device 0, ranks 4 and 5 take device 1
//   b's ranks are 1 3: rank 1 takes device 0, rank 3 takes device 1
#include <cuda_runtime.h>

#include <cstring>

// The name of a machine, as a process of it gets it from its system.
struct Name {
  char text[16]; // ends in a 0
};

// Makes a device of this rank's machine current; all machines have as many devices as this one. machines[r] is the name of
// rank r's machine. Where a machine has devices enough, each of its ranks has one alone. Otherwise all devices are taken,
// none by two ranks more than another, and those that share one follow each other in the list of their machine's ranks.
void take_device(int rank, int ranks, const Name *machines) {
  // TODO: the rank counts over all machines, and there may be fewer devices than that.
  cudaSetDevice(rank % 2);
  // end of TODO
}
