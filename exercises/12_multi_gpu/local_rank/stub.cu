// 12.8 · Local rank
//
// Processes on several machines. MPI numbers all of them from 0, in any order; CUDA numbers the devices of each machine
// from 0. A machine may have more processes than devices. With two devices each:
//
//   machines a b a b a a, rank by rank: of a's ranks 0 2 4 5 the first two take device 0, and 4 and 5 take device 1;
//   of b's ranks 1 takes device 0, and 3 takes device 1
#include <cuda_runtime.h>

#include <cstring>

// The name of a machine, as a process of it gets it from its system.
struct Name {
  char text[16]; // ends in a 0
};

// Makes a device of this machine current; all machines have as many. machines[r] is the name of rank r's machine, for all
// ranks. As long as there are devices enough, a machine's ranks have one each. If there are more ranks, those that share a
// device are neighbours in the row of this machine's ranks, and no device has two ranks more than another.
void take_device(int rank, int ranks, const Name *machines) {
  // TODO: the rank counts over all machines, and there may be fewer devices than that.
  cudaSetDevice(rank % 2);
  // end of TODO
}
