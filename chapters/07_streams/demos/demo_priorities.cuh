#pragma once

#include "steps/advance.cuh"

namespace demo_priorities {

struct Stream {
  explicit Stream(int priority) {
    LAB_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority));
  }
  ~Stream() { cudaStreamDestroy(stream); }
  cudaStream_t stream = nullptr;
};

// A large kernel in one stream, then a small one in another. Milliseconds until the small one is done.
inline double wait_for_small(Batch &p, const Stream &large, const Stream &small) {
  Word *const out = p.d_out.data();
  return lab::median_of(5, 1, [&] {
    LAB_CHECK(cudaDeviceSynchronize());
    const double ms = lab::host_ms([&] {
      advance<<<blocks_for(p.n), block, 0, large.stream>>>(p.d_in.data(), out, p.n, p.steps);
      advance<<<1, 32, 0, small.stream>>>(p.d_in.data() + p.n, out + p.n, 32, 1);
      LAB_CHECK_LAUNCH();
      LAB_CHECK(cudaStreamSynchronize(small.stream));
    });
    LAB_CHECK(cudaDeviceSynchronize());
    return ms;
  });
}

inline void run(lab::Demo &demo) {
  int least = 0, greatest = 0;
  LAB_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  demo.say("priorities go from %d (least) to %d (greatest)\n\n", least, greatest);
  demo.expect(greatest <= least, "a smaller number is a greater priority");
  Batch p({.n = demo.timed() ? size_t{1} << 26 : 4096});
  LAB_CHECK(cudaMemcpy(
      p.d_in.data(), p.h_in.data(), p.bytes() + 32 * sizeof(Word), cudaMemcpyHostToDevice));
  const Stream large(least), small(least), urgent(greatest);
  const double equal_ms = wait_for_small(p, large, small);
  const double urgent_ms = wait_for_small(p, large, urgent);
  if (demo.timed()) {
    demo.say("a kernel of one warp, asked for after a kernel of %u blocks, is done\n",
             blocks_for(p.n));
    demo.say("  after %8.3f ms with the same priority\n", equal_ms);
    demo.say("  after %8.3f ms with the greatest\n", urgent_ms);
    demo.value("blocks", blocks_for(p.n));
    demo.value("equal_ms", equal_ms);
    demo.value("urgent_ms", urgent_ms);
  } else {
    demo.say("On a GPU this prints how long a small kernel waits behind a large one.\n");
  }
  LAB_CHECK(cudaMemcpy(p.h_out.data(), p.d_out.data(), p.bytes(), cudaMemcpyDeviceToHost));
  p.result = p.h_out.data();
  demo.expect(p.check());
}

} // namespace demo_priorities
