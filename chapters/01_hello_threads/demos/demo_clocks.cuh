#pragma once

#include "problem.hpp"
#include "steps/euclidean.cuh"

namespace demo_clocks {

/// Launched by nobody else, so that its first launch here is the first of all.
__global__ void distances(const float2 *a, const float2 *b, float *distance, unsigned n) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    distance[i] = euclidean(a[i], b[i]);
}

/// What three clocks say about one launch, in milliseconds, and what an event says about it at once.
struct Reading {
  double until_launched; // the host's clock, stopped when the launch returns
  double until_done; // the host's clock, stopped when the kernel is done
  float on_device; // events around the kernel
  cudaError_t at_once; // cudaEventQuery right after the launch
};

/// Few threads, so that the kernel takes far longer than its launch.
inline Reading time_once(Points &p) {
  Reading reading{};
  cudaEvent_t start = nullptr, stop = nullptr;
  LAB_CHECK(cudaEventCreate(&start));
  LAB_CHECK(cudaEventCreate(&stop));
  LAB_CHECK(cudaDeviceSynchronize());
  const lab::HostTimer host;
  LAB_CHECK(cudaEventRecord(start));
  distances<<<1, 32>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaEventRecord(stop));
  reading.until_launched = host.ms();
  reading.at_once = cudaEventQuery(stop); // cudaErrorNotReady: the device is not there yet
  LAB_CHECK(cudaEventSynchronize(stop));
  reading.until_done = host.ms();
  LAB_CHECK(cudaEventElapsedTime(&reading.on_device, start, stop));
  LAB_CHECK(cudaEventDestroy(start));
  LAB_CHECK(cudaEventDestroy(stop));
  return reading;
}

inline void say(lab::Demo &demo, const char *launch, const Reading &reading) {
  demo.say("%-14s%14.4f ms%14.4f ms%14.4f ms\n",
           launch,
           reading.until_launched,
           reading.until_done,
           reading.on_device);
}

inline void run(lab::Demo &demo) {
  Points p(lab::Case{demo.n_or(demo.quick() ? 1000 : 1000000), 0, demo.seed()});
  p.prepare();
  demo.say("%-14s%17s%17s%17s\n", "", "host: launched", "host: done", "events");
  const Reading first = time_once(p);
  say(demo, "first launch", first);
  Reading later[5];
  for (int i = 0; i < 5; ++i) {
    later[i] = time_once(p);
    char name[24];
    snprintf(name, sizeof name, "launch %d", i + 2);
    say(demo, name, later[i]);
  }
  demo.expect(p.check());

  const Reading &last = later[4];
  demo.say("\ncudaEventQuery right after the last launch: %s\n", cudaGetErrorName(last.at_once));
  demo.say("the first launch took the host %.1f times as long as the last one\n",
           first.until_done / last.until_done);
  demo.value("first_until_launched_ms", first.until_launched);
  demo.value("first_until_done_ms", first.until_done);
  demo.value("until_launched_ms", last.until_launched);
  demo.value("until_done_ms", last.until_done);
  demo.value("on_device_ms", last.on_device);
  demo.value("not_ready_at_once", last.at_once == cudaErrorNotReady);
  if (lab::on_emulator() && last.at_once == cudaSuccess)
    demo.say("here the kernel ran before its launch returned: the clocks agree, a GPU's do not\n");
  else if (!demo.quick())
    demo.expect(last.until_launched < 0.5 * last.until_done,
                "a launch returns long before its kernel is done");
  demo.expect(last.until_launched <= last.until_done, "a launch returns before its kernel is done");
}

} // namespace demo_clocks
