// 12.6 · Within reach
//
// A rumour: some numbers that one device knows. Who can follow pointers into the memory of a device that knows them
// fetches them, by a kernel of its own, and knows them too. Not every device reaches every other one. Here is a town of
// one-way streets: 4 reaches the memory of 5, so a rumour goes from 5 to 4 at once. Back it goes by 0 and 1. And it is
// whispered: to one at a time.
//
//     0 -->  1 -->  2 -->  3
//     ^      v      ^      v
//     4 <--  5 <--  6 <--  7
//     ^      v      ^      v
//     8 -->  9 --> 10 --> 11
//     ^      v      ^      v
//    12 <-- 13 <-- 14 <-- 15
#include <cuda_runtime.h>

#include <vector>

namespace {

// Makes a device current while it lives; then the one that was so before.
class OnDevice {
public:
  explicit OnDevice(int device) {
    cudaGetDevice(&before_);
    cudaSetDevice(device);
  }
  ~OnDevice() { cudaSetDevice(before_); }

private:
  int before_ = 0;
};

__global__ void fetch(const unsigned *theirs, int n, unsigned *mine) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine[i] = theirs[i];
}

} // namespace

// Can kernels of `device` follow pointers into the memory of `other`? If not: false. If so, it allows that: true. It may
// be called again and again, while any device is current. Afterwards the same one is current, and no error stays behind for
// others to find.
bool reach(int device, int other) {
  // TODO 1: ask, then allow it. Who is allowed something: the device that is current.
  static_cast<void>(device);
  static_cast<void>(other);
  return true;
  // end of TODO
}

// d_room[d] lies on device d and has room for n > 0 numbers; d_room[first] has them. In a round each device that has known
// them since before is fetched from once at most, and no device without them waits that reaches one which nobody else fetches
// from. heard[d] becomes the round in which d has heard of them: 0 for the first one, -1 for those who never do. All is
// done when this returns, and the device is current that was so before.
//
// In the town, with 5 as the first one: heard[4] is 1 and heard[9] is 2, or the other way round.
void spread(int first, int devices, unsigned *const *d_room, int n, int *heard) {
  // TODO 2: as if everybody reached the first one, and it could tell all of them at a time.
  for (int d = 0; d < devices; ++d) {
    heard[d] = d == first ? 0 : 1;
    if (d != first && reach(d, first))
      fetch<<<4, 128>>>(d_room[first], n, d_room[d]);
  }
  cudaDeviceSynchronize();
  // end of TODO
}
