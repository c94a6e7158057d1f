#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/device.hpp"
#include "common/timer.hpp"

namespace lab {
namespace {

// The store never happens, as all that is read is zero; it keeps the compiler from dropping the
// loads.
__global__ void read_all(const int4 *in, size_t n, int *never) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  int bits = 0;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    bits |= in[i].x | in[i].y | in[i].z | in[i].w;
  if (bits != 0)
    *never = bits;
}

#ifndef BUILD_FIRST_EMULATOR
__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}
#endif

} // namespace

// By reading, not by writing: what a memset leaves in the L2 would have to be written back to
// memory while the run that is timed wants the memory for itself.
void flush_l2() {
  if (on_emulator())
    return; // it has no cache
  // Lives as long as the process: allocating it anew for each run would synchronise the device.
  static DeviceBuffer<int4> *wash = nullptr;
  if (!wash) {
    const size_t l2_bytes = choose_device().l2_bytes;
    const size_t least = size_t{32} << 20;
    wash = new DeviceBuffer<int4>(4 * (l2_bytes > least ? l2_bytes : least) / sizeof(int4));
    LAB_CHECK(cudaMemset(wash->data(), 0, wash->bytes()));
  }
  constexpr int threads = 256;
  const unsigned grid = static_cast<unsigned>(choose_device().resident_blocks(threads));
  read_all<<<grid, threads>>>(wash->data(), wash->size(), reinterpret_cast<int *>(wash->data()));
  LAB_CHECK_LAUNCH();
}

void hold_device() {
#ifndef BUILD_FIRST_EMULATOR // which runs everything when it is called
  constexpr long long cycles = 80000; // 40 us at 2 GHz: a dozen launches
  spin<<<1, 1>>>(cycles);
  LAB_CHECK_LAUNCH();
#endif
}

} // namespace lab
