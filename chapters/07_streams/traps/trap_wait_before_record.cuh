// The event is there, the wait is there, but the wait comes first.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace trap_wait_before_record {

inline const char *why = "a stream waits for the last record that was made before the call of "
                         "cudaStreamWaitEvent. There "
                         "was none yet, and so it waits for nothing. Record first, then wait.";

inline void run(Batch &p) {
  const Engines &e = engines();
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  cudaEvent_t arrived;
  LAB_CHECK(cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming));
  LAB_CHECK(cudaStreamWaitEvent(e.work, arrived));
  LAB_CHECK(cudaMemcpyAsync(p.d_in.data(), p.pinned_in.data(), p.bytes(), in, e.there));
  LAB_CHECK(cudaEventRecord(arrived, e.there));
  advance<<<blocks_for(p.n), block, 0, e.work>>>(p.d_in.data(), p.d_out.data(), p.n, p.steps);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data(), p.d_out.data(), p.bytes(), out, e.work));
  LAB_CHECK(cudaDeviceSynchronize());
  LAB_CHECK(cudaEventDestroy(arrived));
  p.result = p.pinned_out.data();
}

} // namespace trap_wait_before_record
