#include "common/check.hpp"
#include "common/device.hpp"
#include "ladder/detail/ladder_check.hpp"

namespace lab {
namespace {

constexpr int static_words = 4096;

// Volatile: nobody reads it, and it must still be written.
__global__ void leave_in_shared(int dynamic_words) {
  __shared__ volatile float s_static[static_words];
  extern __shared__ volatile float s_dynamic[];
  for (int i = threadIdx.x; i < static_words; i += blockDim.x)
    s_static[i] = 1000.0f;
  for (int i = threadIdx.x; i < dynamic_words; i += blockDim.x)
    s_dynamic[i] = 1000.0f;
}

} // namespace

// On a GPU the next launch's blocks may be any SM's, so on all of them: a block that takes all that a
// block may have leaves room for no second one. The emulator has one place for static memory and one
// for dynamic memory.
void spoil_shared_memory() {
  static const int dynamic_words = [] {
    const int bytes = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);

    const int words = bytes / 4 - static_words;
    LAB_CHECK(cudaFuncSetAttribute(
        leave_in_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * words));
    return words;
  }();
  const int blocks = on_emulator() ? 1 : choose_device().sm_count;
  leave_in_shared<<<blocks, 1024, 4 * dynamic_words>>>(dynamic_words);
  LAB_CHECK_LAUNCH();
}

} // namespace lab
