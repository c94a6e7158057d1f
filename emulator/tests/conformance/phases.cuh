// mbarriers by PTX, for the tests that wait at them.
#pragma once

#include "conformance.cuh"

#include <cstdint>

namespace conformance {

inline __device__ unsigned in_shared(const void *p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
inline __device__ void make_ready(uint64_t *barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(in_shared(barrier)), "r"(count));
}
// The loop that everybody writes.
inline __device__ void wait_for(uint64_t *barrier, unsigned parity) {
  asm volatile("{\n"
               ".reg .pred P1;\n"
               "LAB_WAIT:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
               "@P1 bra DONE;\n"
               "bra LAB_WAIT;\n"
               "DONE:\n"
               "}"
               :
               : "r"(in_shared(barrier)), "r"(parity)
               : "memory");
}

} // namespace conformance
