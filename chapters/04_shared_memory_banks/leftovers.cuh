// What the block before left in shared memory: for traps that read a word before it is written.
#pragma once

#include "lab/lab.hpp"

namespace leftovers {

__global__ void leave() {
  __shared__ volatile float s_data[4096]; // volatile: nobody reads it, but it must be written
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x)
    s_data[i] = 1000.0f;
}

/// Puts 1000 into the shared memory that the next launch's only block will get. On a GPU that may be
/// any SM's, so into all of them. The emulator runs single blocks in one place.
inline void leave_everywhere() {
  const int blocks = lab::on_emulator() ? 1 : lab::choose_device().resident_blocks(1024);
  leave<<<blocks, 1024>>>();
  LAB_CHECK_LAUNCH();
}

} // namespace leftovers
