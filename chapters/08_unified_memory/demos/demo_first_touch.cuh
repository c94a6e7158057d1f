#pragma once

#include "problem.hpp"

namespace demo_first_touch {

__global__ void fill(double *out, size_t n, double value) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    out[i] = value;
}

inline void launch_fill(double *out, size_t n) {
  fill<<<lab::choose_device().resident_blocks(256), 256>>>(out, n, 1.0);
  LAB_CHECK_LAUNCH();
}

inline void run(lab::Demo &demo) {
  const size_t n = demo.n_or(demo.timed() ? 1u << 25 : 5000);
  ManagedBuffer memory(n);
  double *const data = memory.data();
  launch_fill(data, n);
  LAB_CHECK(cudaDeviceSynchronize());
  bool all = true;
  for (size_t i = 0; i < n; ++i)
    all = all && data[i] == 1.0;
  demo.expect(all, "what the kernel stored is what the host reads, through one pointer");
  demo.say("a kernel that writes %s of managed memory\n\n",
           lab::size_text(static_cast<double>(memory.bytes())).c_str());
  if (!demo.timed()) {
    demo.say("On a GPU this prints how long that takes when the pages are elsewhere.\n");
    return;
  }
  const auto line = [&](const char *what, const char *key, double ms) {
    const double gbps = static_cast<double>(memory.bytes()) / ms * 1e-6;
    demo.say("%-40s%9.3f ms%9.1f GB/s\n", what, ms, gbps);
    demo.value(std::string(key) + "_ms", ms);
    demo.value(std::string(key) + "_gbps", gbps);
  };
  const auto kernel = [&] { launch_fill(data, n); };
  const auto to_host = [&] { prefetch(data, memory.bytes(), Place::host); };
  const auto to_device = [&] { prefetch(data, memory.bytes(), Place::device); };
  line("pages on the host: faults", "host", median_ms(to_host, kernel));
  double *fresh = nullptr;
  std::vector<double> times, back_times, sent_times;
  for (int turn = 0; turn < 5; ++turn) { // pages that nobody has touched yet
    const auto send = [&](Place place) {
      return lab::event_ms([&] { prefetch(fresh, memory.bytes(), place); });
    };
    LAB_CHECK(cudaMallocManaged(&fresh, memory.bytes()));
    times.push_back(lab::event_ms([&] { launch_fill(fresh, n); }));
    back_times.push_back(send(Place::host)); // the host has never had them
    LAB_CHECK(cudaFree(fresh));
    LAB_CHECK(cudaMallocManaged(&fresh, memory.bytes()));
    sent_times.push_back(send(Place::device));
    LAB_CHECK(cudaFree(fresh));
  }
  line("pages nowhere: the device makes them", "fresh", lab::summarize(times).median_ms);
  line("pages nowhere: a prefetch makes them", "fresh_sent", lab::summarize(sent_times).median_ms);
  line("to the host by a prefetch, for the first time",
       "fresh_back",
       lab::summarize(back_times).median_ms);
  line("pages on the device", "device", median_ms(to_device, kernel));
  line("a prefetch to the device, alone", "prefetch", median_ms(to_host, to_device));
  line("a prefetch to the host, alone", "prefetch_back", median_ms(to_device, to_host));
  const auto touch = [&] { touch_pages(data, n); };
  line("pages on the device, touched by the host", "touch", median_ms(to_device, touch));
}

} // namespace demo_first_touch
