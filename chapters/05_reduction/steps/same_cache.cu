#include "problem.hpp"

namespace {

// The store, which hardly ever happens, keeps the compiler from dropping the loads.
__global__ void read_all(const Value *in, size_t n, Value *rarely) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  Value bits = 0;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    bits ^= in[i];
  if (bits == 0xCDCDCDCD)
    *rarely = bits;
}

} // namespace

void read_input_once(Reduction &p) {
  if (lab::on_emulator() || p.d_in.bytes() <= lab::choose_device().l2_bytes)
    return; // no cache, or all of the input is in it
  constexpr int threads = 256;
  read_all<<<blocks_to_fill(p.n, threads), threads>>>(
      p.d_in.data(), p.n, p.d_partials[0].data()); // which nobody reads before writing
  LAB_CHECK_LAUNCH();
}
