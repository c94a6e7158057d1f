// 12.6 · Within reach
//
// A kernel on one device adds up numbers in the memory of another. It may follow such pointers only if somebody
// has said so before. Nobody has.
#include <cuda_runtime.h>

namespace {

// *sum += numbers[0] + … + numbers[n - 1]
__global__ void add_up(const unsigned *numbers, int n, unsigned *sum) {
  unsigned mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine += numbers[i];
  atomicAdd(sum, mine);
}

} // namespace

// Lets kernels of `device` follow pointers into the memory of `other`, if they can: true, and it may be called
// again and again. false if they cannot. Afterwards the device is current that was so before, and no error stays
// behind for others to find.
bool reach(int device, int other) {
  // TODO: ask, then allow it. Who is allowed something: the device that is current.
  static_cast<void>(device);
  static_cast<void>(other);
  return true;
  // end of TODO
}

// d_numbers lie on `other`, *d_sum lies on `device`, which is current, and adds them up. Returns without waiting.
bool sum_of_others(int device, int other, const unsigned *d_numbers, int n, unsigned *d_sum) {
  if (!reach(device, other))
    return false;
  add_up<<<4, 128>>>(d_numbers, n, d_sum);
  return true;
}
