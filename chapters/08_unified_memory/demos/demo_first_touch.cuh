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

inline void line(lab::Demo &demo, const char *what, const char *key, double bytes, double ms) {
  demo.say("%-40s%9.3f ms%9.1f GB/s\n", what, ms, bytes / ms * 1e-6);
  demo.value((std::string(key) + "_ms").c_str(), ms);
  demo.value((std::string(key) + "_gbps").c_str(), bytes / ms * 1e-6);
}

inline void run(lab::Demo &demo) {
  const bool timed = !lab::on_emulator() && !demo.quick();
  const size_t n = demo.n_or(timed ? 1u << 25 : 5000);
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
  if (!timed) {
    demo.say("On a GPU this prints how long that takes when the pages are elsewhere.\n");
    return;
  }
  const double bytes = static_cast<double>(memory.bytes());
  const auto kernel = [&] { launch_fill(data, n); };
  const auto to_host = [&] { prefetch(data, memory.bytes(), Place::host); };
  const auto to_device = [&] { prefetch(data, memory.bytes(), Place::device); };
  line(demo, "pages on the host: faults", "host", bytes, median_ms(to_host, kernel));
  double *fresh = nullptr;
  std::vector<double> times, back_times, sent_times;
  for (int turn = 0; turn < 5; ++turn) { // pages that nobody has touched yet
    lab::EventTimer timer;
    LAB_CHECK(cudaMallocManaged(&fresh, memory.bytes()));
    timer.start();
    launch_fill(fresh, n);
    timer.stop();
    times.push_back(timer.ms());
    timer.start();
    prefetch(fresh, memory.bytes(), Place::host); // the host has never had them
    timer.stop();
    back_times.push_back(timer.ms());
    LAB_CHECK(cudaFree(fresh));
    LAB_CHECK(cudaMallocManaged(&fresh, memory.bytes()));
    timer.start();
    prefetch(fresh, memory.bytes(), Place::device);
    timer.stop();
    sent_times.push_back(timer.ms());
    LAB_CHECK(cudaFree(fresh));
  }
  line(demo,
       "pages nowhere: the device makes them",
       "fresh",
       bytes,
       lab::summarize(times).median_ms);
  line(demo,
       "pages nowhere: a prefetch makes them",
       "fresh_sent",
       bytes,
       lab::summarize(sent_times).median_ms);
  line(demo,
       "to the host by a prefetch, for the first time",
       "fresh_back",
       bytes,
       lab::summarize(back_times).median_ms);
  line(demo, "pages on the device", "device", bytes, median_ms(to_device, kernel));
  line(demo, "a prefetch to the device, alone", "prefetch", bytes, median_ms(to_host, to_device));
  line(
      demo, "a prefetch to the host, alone", "prefetch_back", bytes, median_ms(to_device, to_host));
  const auto touch = [&] { touch_pages(data, n); };
  line(demo,
       "pages on the device, touched by the host",
       "touch",
       bytes,
       median_ms(to_device, touch));
}

} // namespace demo_first_touch
