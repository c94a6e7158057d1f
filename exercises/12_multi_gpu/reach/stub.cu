// 12.6 · Within reach
//
// A rumour: some numbers that one device knows. Who can follow pointers into the memory of a device that knows them
// fetches them, by a kernel of its own, and knows them too. Not every device reaches every other one.
#include <cuda_runtime.h>

namespace {

__global__ void fetch(const unsigned *theirs, int n, unsigned *mine) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine[i] = theirs[i];
}

} // namespace

// Lets kernels of `device` follow pointers into the memory of `other`, if they can: true, and it may be called
// again and again. false if they cannot. Afterwards the device is current that was so before, and no error stays
// behind for others to find.
bool reach(int device, int other) {
  // TODO 1: ask, then allow it. Who is allowed something: the device that is current.
  static_cast<void>(device);
  static_cast<void>(other);
  return true;
  // end of TODO
}

// d_room[d] lies on device d and has room for n > 0 numbers; d_room[first] has them. In each round every device that does
// not know them fetches them from one that did so before the round, if it reaches any. heard[d] becomes the round in which d
// has heard of them: 0 of the first one, -1 of who never does. All is done when this returns, and the device is current that
// was so before.
//
// Five devices, each of which reaches its neighbours, and device 1 is the first: heard is 1, 0, 1, 2, 3.
void spread(int first, int devices, unsigned *const *d_room, int n, int *heard) {
  // TODO 2: as if everybody reached the first one.
  for (int d = 0; d < devices; ++d) {
    heard[d] = d == first ? 0 : 1;
    if (d != first && reach(d, first))
      fetch<<<4, 128>>>(d_room[first], n, d_room[d]);
  }
  cudaDeviceSynchronize();
  // end of TODO
}
