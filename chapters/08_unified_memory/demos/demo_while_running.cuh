#pragma once

#include "problem.hpp"

#include <cuda/atomic>

namespace demo_while_running {

// Seen by the host and the device alike, in the order in which things were written.
using Progress = cuda::atomic_ref<int, cuda::thread_scope_system>;

// One thread that works in rounds. It stores the result of each, and then says how many there are.
__global__ void work(int rounds, long long clocks, int *results, int *done) {
  for (int round = 1; round <= rounds; ++round) {
    for (const long long start = clock64(); clock64() - start < clocks;)
      continue;
    results[round - 1] = round * round;
    Progress(*done).store(round, cuda::memory_order_release); // after what was written before
  }
}

inline void run(lab::Demo &demo) {
  constexpr int rounds = 10;
  lab::PinnedBuffer<int> results(rounds), done(1);
  done[0] = 0;
  const bool live = !lab::on_emulator();
  work<<<1, 1>>>(rounds, live ? 10'000'000 : 1, results.data(), done.data());
  LAB_CHECK_LAUNCH();
  int seen = 0, changes = 0;
  bool complete = true;
  while (live && cudaStreamQuery(nullptr) == cudaErrorNotReady) {
    const int now = Progress(done[0]).load(cuda::memory_order_acquire); // before what is read next
    for (int round = seen + 1; round <= now; ++round)
      complete = complete && results[round - 1] == round * round;
    changes += now != seen;
    seen = now;
  }
  LAB_CHECK(cudaDeviceSynchronize());
  demo.expect(done[0] == rounds, "after the kernel all rounds are done");
  if (!live) {
    demo.say("%d rounds are done. The emulator runs a kernel when it is launched:\n", rounds);
    demo.say("nobody can look on.\n");
    return;
  }
  demo.expect(changes > 1, "the host sees the counter change while the kernel runs");
  demo.expect(complete, "whoever has seen a round counted finds its result");
  demo.say("%d rounds; while the kernel ran the host saw the counter change %d times,\n",
           rounds,
           changes);
  demo.say("and found the result of each round that was counted\n");
  demo.value("changes", changes);
}

} // namespace demo_while_running
