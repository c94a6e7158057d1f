// 12.8 · Local rank
//
// Processes on several machines. MPI numbers all of them from 0, in any order; CUDA numbers the devices of each machine
// from 0. A machine may have more processes than devices.
#include <cuda_runtime.h>

#include <cstring>

// The name of a machine, as a process of it gets it from its system.
struct Name {
  char text[16]; // ends in a 0
};

// Makes a device of this machine current; all machines have as many. machines[r] is the name of rank r's machine, for all
// ranks. Of one machine's ranks none has a device with another while there is one for each; if there are more, no device
// has two ranks more than another, and those that share one follow each other among the machine's ranks.
void take_device(int rank, int ranks, const Name *machines) {
  // TODO: the rank counts over all machines, and there may be fewer devices than that.
  cudaSetDevice(rank % 2);
  // end of TODO
}
