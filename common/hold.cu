#include "common/check.hpp"
#include "common/timer.hpp"

namespace lab {
#ifndef BUILD_FIRST_EMULATOR
namespace {

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

} // namespace

void hold_device() {
  constexpr long long cycles = 80000; // 40 us at 2 GHz: a dozen launches
  spin<<<1, 1>>>(cycles);
  LAB_CHECK_LAUNCH();
}
#else
void hold_device() {} // the emulator runs everything when it is called
#endif
} // namespace lab
