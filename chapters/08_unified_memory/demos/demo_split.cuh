#pragma once

#include "problem.hpp"
#include "steps/copies_in_parts.cuh"

#include <string>

namespace demo_split {

// The device takes the front, in parts; meanwhile the host adds the rest in its own memory.
inline void run_split(VectorSum &p, size_t of_host) {
  const size_t whole = p.n;
  p.n = whole - of_host;
  copies_in_parts::enqueue(p);
  p.n = whole;
  for (size_t i = whole - of_host; i < whole; ++i)
    p.pinned_c[i] = p.pinned_a[i] + p.pinned_b[i];
  LAB_CHECK(cudaStreamSynchronize(two_streams().back));
  p.result = p.pinned_c.data();
}

// Milliseconds of all, the median of seven.
inline double time_ms(VectorSum &p, size_t of_host) {
  return lab::median_of(7, 0, [&] {
    LAB_CHECK(cudaDeviceSynchronize());
    return lab::host_ms([&] { run_split(p, of_host); });
  });
}

inline void run(lab::Demo &demo) {
  VectorSum p(lab::Case{demo.timed() ? size_t{1} << 25 : 10000, 256, demo.seed()});
  demo.say("so many elements for the device to one for a thread of the host\n\n");
  double device_alone = 0;
  for (const size_t ratio : {0, 15, 9, 6, 4, 2}) { // 0: all for the device
    const size_t of_host = ratio == 0 ? 0 : p.n / (ratio + 1);
    demo.check(p, [&] { run_split(p, of_host); });
    demo.say(ratio == 0 ? "all on the device" : "%2zu : 1           ", ratio);
    if (demo.timed()) {
      const double ms = time_ms(p, of_host);
      device_alone = ratio == 0 ? ms : device_alone;
      demo.say("%9.2f ms%8.2f x", ms, device_alone / ms);
      demo.value("ms_" + std::to_string(ratio), ms);
      demo.value("faster_" + std::to_string(ratio), device_alone / ms);
    }
    demo.say("\n");
  }
}

} // namespace demo_split
