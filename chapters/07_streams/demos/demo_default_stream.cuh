#pragma once

#include "demos/demos.hpp"
#include "steps/advance.cuh"
#include "steps/span.hpp"

#include <latch>
#include <thread>

namespace demo_default_stream {

constexpr size_t words = 32; // one warp: there is room for many such kernels

struct Launcher {
  lab::DeviceBuffer<Word> in{words}, out{3 * words};
  unsigned steps;

  void launch(size_t place, cudaStream_t stream) const {
    advance<<<1, words, 0, stream>>>(in.data(), out.data() + place * words, words, steps);
    LAB_CHECK_LAUNCH();
  }
};

// Two threads of the host launch a kernel each into `stream`, a name that may mean two streams.
inline void from_two_threads(const Launcher &launcher, cudaStream_t stream) {
  std::latch launched(2); // nobody waits for the device before both have launched
  const auto launch_and_wait = [&](size_t which) {
    launcher.launch(which, stream);
    launched.arrive_and_wait();
    LAB_CHECK(cudaStreamSynchronize(stream));
  };
  std::thread other(launch_and_wait, size_t{0});
  launch_and_wait(1);
  other.join();
}

inline void run(lab::Demo &demo) {
  make_steps_long();
  // Long beside a launch, and beside a thread's start.
  const Launcher l{.steps = demo.timed() ? 1000000u : 2000u};
  lab::poison(l.in.data(), words);
  const Streams blocking(2, cudaStreamDefault), free(2);
  const double one = span_us([&] { l.launch(0, blocking.all[0]); });
  // Says how long it took, in lengths of one kernel; `expected` is what the rules make of it.
  const auto show = [&](const char *what, const char *key, int expected, auto &&work) {
    const double length = span_us(work) / one;
    if (!can_tell_spans()) {
      demo.say("  %s\n", what);
      return;
    }
    demo.say("  %-62s %4.1f\n", what, length);
    demo.value(key, length);
    if (lab::on_emulator() || !demo.quick()) // a quick kernel is no longer than its launch
      demo.expect(length > expected - 0.5 && length < expected + 0.5, what);
  };
  demo.say("Kernels of one warp, launched one after the other; lengths of one kernel:\n\n");
  show("stream 1, stream 2", "two_streams", 1, [&] {
    l.launch(0, blocking.all[0]);
    l.launch(1, blocking.all[1]);
  });
  show("stream 1, the default stream, stream 2", "default_between", 3, [&] {
    l.launch(0, blocking.all[0]);
    l.launch(1, nullptr);
    l.launch(2, blocking.all[1]);
  });
  show("the same, streams 1 and 2 made with cudaStreamNonBlocking", "non_blocking", 1, [&] {
    l.launch(0, free.all[0]);
    l.launch(1, nullptr);
    l.launch(2, free.all[1]);
  });
  show("two threads of the host, the default stream", "threads_default", 2, [&] {
    from_two_threads(l, cudaStreamLegacy);
  });
  show("two threads of the host, cudaStreamPerThread", "threads_per_thread", 1, [&] {
    from_two_threads(l, cudaStreamPerThread);
  });
  if (!can_tell_spans()) {
    demo.say("\n");
    say_who_tells(demo, "default_stream");
  }
}

} // namespace demo_default_stream
