#pragma once

#include "problem.hpp"

namespace demo_attached {

// Two vectors, two streams: while a kernel works on one, the host works on the other.
inline void run(lab::Demo &demo) {
  const size_t n = demo.timed() ? size_t{1} << 22 : 4096;
  ManagedBuffer in_one(n), out_one(n), mine(n);
  cudaStream_t stream;
  LAB_CHECK(cudaStreamCreate(&stream));
  // A kernel in any other stream takes these two no longer along, nor this one anything else.
  LAB_CHECK(cudaStreamAttachMemAsync(stream, in_one.data(), 0, cudaMemAttachSingle));
  LAB_CHECK(cudaStreamAttachMemAsync(stream, out_one.data(), 0, cudaMemAttachSingle));
  LAB_CHECK(cudaStreamAttachMemAsync(stream, mine.data(), 0, cudaMemAttachHost));
  LAB_CHECK(cudaStreamSynchronize(stream)); // attached from here on
  for (size_t i = 0; i < n; ++i)
    in_one.data()[i] = static_cast<double>(i);
  add(in_one.data(), in_one.data(), out_one.data(), n, 256, stream);
  for (size_t i = 0; i < n; ++i) // beside the kernel
    mine.data()[i] = 1.0;
  LAB_CHECK(cudaStreamSynchronize(stream));
  bool right = true;
  for (size_t i = 0; i < n; ++i)
    right = right && out_one.data()[i] == 2.0 * static_cast<double>(i) && mine.data()[i] == 1.0;
  demo.expect(right, "the kernel's vector and the host's are both right");
  demo.say("the kernel's vector and the host's are both right\n");
  LAB_CHECK(cudaStreamDestroy(stream));
}

} // namespace demo_attached
