#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace demo_late_errors {

// Writes to where there is no memory.
__global__ void stray(Word *nowhere) { nowhere[threadIdx.x] = 1; }

inline void say(lab::Demo &demo, const char *call, cudaError_t answer) {
  demo.say("  %-38s %s\n", call, cudaGetErrorName(answer));
}

// A launch that cannot be made is refused at once, and forgotten when it was asked for.
inline void show_refused(lab::Demo &demo, const Batch &p) {
  demo.say("a launch of 2048 threads per block:\n\n");
  advance<<<1, 2048>>>(p.d_in.data(), const_cast<Word *>(p.d_out.data()), p.n, 1);
  const cudaError_t refused = cudaGetLastError(), then = cudaGetLastError();
  say(demo, "cudaGetLastError()", refused);
  say(demo, "cudaGetLastError(), once more", then);
  say(demo, "cudaDeviceSynchronize()", cudaDeviceSynchronize());
  demo.expect(refused != cudaSuccess, "the launch is refused");
  demo.expect(then == cudaSuccess, "fetching an error clears it");
}

// A kernel that goes wrong was launched without any error: it is told later, and for ever after.
inline void show_late(lab::Demo &demo, Batch &p) {
  const cudaStream_t stream = engines().work;
  demo.say("\na kernel that writes to where there is no memory:\n\n");
  advance<<<blocks_for(p.n), block, 0, stream>>>(p.d_in.data(), p.d_out.data(), p.n, p.steps);
  stray<<<1, 32, 0, stream>>>(reinterpret_cast<Word *>(16));
  const cudaError_t launched = cudaGetLastError();
  say(demo, "cudaGetLastError() after the launch", launched);
  const cudaMemcpyKind out = cudaMemcpyDeviceToHost;
  say(demo,
      "cudaMemcpyAsync, right after it",
      cudaMemcpyAsync(p.pinned_out.data(), p.d_out.data(), p.bytes(), out, stream));
  const cudaError_t late = cudaStreamSynchronize(stream);
  say(demo, "cudaStreamSynchronize", late);
  void *memory = nullptr;
  const cudaError_t after = cudaMalloc(&memory, 4);
  say(demo, "cudaMalloc, of 4 bytes", after);
  say(demo, "cudaGetLastError()", cudaGetLastError());
  say(demo, "cudaDeviceSynchronize()", cudaDeviceSynchronize());
  demo.expect(launched == cudaSuccess || lab::on_emulator(), "the launch itself is in order");
  demo.expect(late != cudaSuccess, "who waits is told");
  demo.expect(after == late, "and so is every call after that");
}

inline void run(lab::Demo &demo) {
  Batch p({.n = demo.timed() ? size_t{1} << 22 : size_t{4096}});
  if (!demo.quick() || lab::on_emulator()) // compute-sanitizer would count it as a mistake
    show_refused(demo, p);
  if (demo.quick() || lab::can_observe())
    return; // after the second one nothing works any more
  draw_order(3); // the emulator runs nothing before it must
  show_late(demo, p);
  if (lab::on_emulator())
    LAB_CHECK(cudaDeviceReset()); // all memory, all streams and the error are gone
}

} // namespace demo_late_errors
