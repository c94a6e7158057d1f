// Was: three copies and a kernel, one after the other, and everything stored twice.
// Now: the kernel reads and writes the page-locked memory itself, over the link. Nothing is copied.
// Watch: GB/s: reads and writes cross the link at the same time.
#pragma once

#include "problem.hpp"

namespace v2 {

inline void run(VectorSum &p) {
  if (p.n > 0) {
    double *a, *b, *c; // the same memory by the names that the device knows it by
    LAB_CHECK(cudaHostGetDevicePointer(&a, p.pinned_a.data(), 0));
    LAB_CHECK(cudaHostGetDevicePointer(&b, p.pinned_b.data(), 0));
    LAB_CHECK(cudaHostGetDevicePointer(&c, p.pinned_c.data(), 0));
    add(a, b, c, p.n, p.block);
  }
  LAB_CHECK(cudaDeviceSynchronize()); // no copy waits for the kernel any more
  p.result = p.pinned_c.data();
}

} // namespace v2
