// One launch without its stream, among calls that all name theirs.
#pragma once

#include "steps/advance.cuh"

namespace trap_forgotten_stream {

inline const char *why =
    "<<<blocks, threads>>> means the default stream. Streams made with cudaStreamNonBlocking do "
    "not "
    "wait for it, nor it for them. (Others would: right, and nothing overlaps any more.)";

inline void run(Batch &p) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  cudaStream_t stream;
  LAB_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  LAB_CHECK(cudaMemcpyAsync(p.d_in.data(), p.pinned_in.data(), p.bytes(), in, stream));
  advance<<<blocks_for(p.n), block>>>(p.d_in.data(), p.d_out.data(), p.n, p.steps);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data(), p.d_out.data(), p.bytes(), out, stream));
  LAB_CHECK(cudaDeviceSynchronize());
  LAB_CHECK(cudaStreamDestroy(stream));
  p.result = p.pinned_out.data();
}

} // namespace trap_forgotten_stream
