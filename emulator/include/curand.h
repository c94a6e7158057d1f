// cuRAND for the host fills arrays; the emulator has only its device functions (curand_kernel.h).
#pragma once

enum curandStatus_t { CURAND_STATUS_SUCCESS = 0, CURAND_STATUS_INTERNAL_ERROR = 999 };
using curandStatus = curandStatus_t;
enum curandRngType_t {
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161
};
using curandGenerator_t = struct curandGenerator_st *;

/// The first call of a program that needs more.
template <class... Arguments> inline curandStatus_t curandCreateGenerator(Arguments...) {
  static_assert(sizeof...(Arguments) == 0,
                "the emulator has no cuRAND for the host: draw in a kernel (curand_kernel.h), or "
                "on the host with <random>");
  return CURAND_STATUS_INTERNAL_ERROR;
}
