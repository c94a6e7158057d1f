// 12.8 · Local rank
//
// Processes on two machines, and each is to have a device of its own. MPI numbers all of them from 0, in any
// order; CUDA numbers the devices of each machine from 0.
#include <cuda_runtime.h>

#include <cstring>

// The name of a machine, as a process of it gets it from its system.
struct Name {
  char text[16];
};

// Makes a device current that no other rank of this machine takes. There are enough. machines[r] is the name of
// rank r's machine, for all ranks.
void take_device(int rank, const Name *machines) {
  // TODO: the rank counts over all machines. Which number has this process among those of its own?
  cudaSetDevice(rank % 2);
  // end of TODO
}
