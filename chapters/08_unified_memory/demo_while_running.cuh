#pragma once

#include "problem.hpp"

namespace demo_while_running {

// One thread that works in rounds, and after each says how many it has done.
__global__ void work(int rounds, long long clocks, volatile int *done) {
  for (int round = 1; round <= rounds; ++round) {
    for (const long long start = clock64(); clock64() - start < clocks;)
      continue;
    __threadfence_system(); // what was written before comes first, for the host too
    *done = round;
  }
}

inline void run(lab::Demo &demo) {
  lab::PinnedBuffer<int> done(1);
  done[0] = 0;
  constexpr int rounds = 10;
  const bool live = !lab::on_emulator();
  work<<<1, 1>>>(rounds, live ? 10'000'000 : 1, done.data());
  LAB_CHECK_LAUNCH();
  int seen = 0, changes = 0;
  while (live && cudaStreamQuery(nullptr) == cudaErrorNotReady) {
    const int now = *static_cast<volatile int *>(done.data());
    changes += now != seen;
    seen = now;
  }
  LAB_CHECK(cudaDeviceSynchronize());
  demo.expect(done[0] == rounds, "after the kernel all rounds are done");
  if (!live) {
    demo.say("On a GPU this prints how often the host saw the counter change.\n");
    return;
  }
  demo.expect(changes > 1, "the host sees the counter change while the kernel runs");
  demo.say("%d rounds; while the kernel ran the host saw the counter change %d times\n",
           rounds,
           changes);
  demo.value("changes", changes);
}

} // namespace demo_while_running
