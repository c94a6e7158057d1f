// The result's copy names the wrong kind, and nobody reads the answer.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace trap_wrong_kind {

inline const char *why =
    "the kind must fit the two pointers. With pageable memory CUDA sees that it does not, copies "
    "nothing and answers cudaErrorInvalidValue, which only LAB_CHECK would have told. With "
    "page-locked memory it copies all the same. cudaMemcpyDefault leaves the kind to CUDA.";

inline void run(Batch &p) {
  LAB_CHECK(cudaMemcpy(p.d_in.data(), p.h_in.data(), p.bytes(), cudaMemcpyHostToDevice));
  advance<<<blocks_for(p.n), block>>>(p.d_in.data(), p.d_out.data(), p.n, p.steps);
  LAB_CHECK_LAUNCH();
  static_cast<void>(cudaMemcpy(p.h_out.data(), p.d_out.data(), p.bytes(), cudaMemcpyHostToDevice));
  static_cast<void>(cudaGetLastError());
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.h_out.data();
}

} // namespace trap_wrong_kind
