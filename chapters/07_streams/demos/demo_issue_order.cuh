#pragma once

#include "demos/demos.hpp"
#include "steps/advance.cuh"
#include "steps/engines.hpp"

#include <string>

namespace demo_issue_order {

constexpr int most = 32, kernels = 3; // of streams, and in each of them

struct Work {
  Streams streams{most};
  lab::DeviceBuffer<Word> words{most * 32};
  unsigned steps;

  void launch(int stream) {
    Word *const own = words.data() + stream * 32;
    advance<<<1, 32, 0, streams.all[stream]>>>(own, own, 32, steps);
    LAB_CHECK_LAUNCH();
  }
};

// All that one stream has to do, then the next stream.
inline void depth_first(Work &work, int streams) {
  for (int s = 0; s < streams; ++s)
    for (int k = 0; k < kernels; ++k)
      work.launch(s);
}

// One kernel for each stream, then the second one for each.
inline void breadth_first(Work &work, int streams) {
  for (int k = 0; k < kernels; ++k)
    for (int s = 0; s < streams; ++s)
      work.launch(s);
}

// Milliseconds by the host's clock, the median of five.
template <class Action> double time_ms(Action &&action) {
  LAB_CHECK(cudaDeviceSynchronize());
  return lab::median_of(5, 1, [&] {
    return lab::host_ms([&] {
      action();
      LAB_CHECK(cudaDeviceSynchronize());
    });
  });
}

// v3's loop with any number of streams.
inline void pipeline(Batch &p, size_t parts, size_t streams) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  static const Streams made(most);
  const size_t part = part_of(p.n, parts);
  for (size_t first = 0, k = 0; first < p.n; first += part, ++k) {
    const cudaStream_t stream = made.all[k % streams];
    const size_t n = length_of(first, part, p.n), bytes = n * sizeof(Word);
    Word *d_in = p.d_in.data() + first, *d_out = p.d_out.data() + first;
    LAB_CHECK(cudaMemcpyAsync(d_in, p.pinned_in.data() + first, bytes, in, stream));
    advance<<<blocks_for(n), block, 0, stream>>>(d_in, d_out, n, p.steps);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data() + first, d_out, bytes, out, stream));
  }
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.pinned_out.data();
}

inline void show_pipelines(lab::Demo &demo) {
  Batch p({.n = demo.timed() ? size_t{1} << 26 : 4096});
  demo.say("\neight parts of v3, in so many streams\n\n");
  for (const size_t streams : {1, 2, 3, 4, 8}) {
    const auto run = [&] { pipeline(p, 8, streams); };
    demo.check(p, run);
    demo.say("%4zu", streams);
    const auto ms = [&] { return time_ms(run); };
    demo.say_timed("parts_in_" + std::to_string(streams), "%12.2f ms\n", ms, "\n");
  }
}

inline void run(lab::Demo &demo) {
  Work work{.steps = demo.timed() ? 200000u : 100u};
  const double one = demo.timed() ? time_ms([&] { work.launch(0); }) : 0;
  demo.say("three kernels of one warp in each stream; lengths of one kernel\n\n");
  demo.say("streams   depth first   breadth first\n");
  for (const int streams : {4, 8, 16, 32}) {
    LAB_CHECK(cudaMemset(work.words.data(), 0, work.words.bytes()));
    LAB_CHECK(cudaDeviceSynchronize());
    depth_first(work, streams);
    breadth_first(work, streams);
    LAB_CHECK(cudaDeviceSynchronize());
    demo.expect(work.words.at(static_cast<size_t>(streams - 1) * 32) ==
                    jump(0, Word{2 * kernels} * work.steps),
                "each stream keeps its order");
    demo.say("%7d", streams);
    if (demo.timed()) {
      const double depth = time_ms([&] { depth_first(work, streams); }) / one;
      const double breadth = time_ms([&] { breadth_first(work, streams); }) / one;
      demo.say("%14.1f%16.1f", depth, breadth);
      demo.value("depth_" + std::to_string(streams), depth);
      demo.value("breadth_" + std::to_string(streams), breadth);
    }
    demo.say("\n");
  }
  show_pipelines(demo);
}

} // namespace demo_issue_order
