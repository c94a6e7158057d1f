#pragma once

#include "problem.hpp"

#include <string>
#include <vector>

namespace demo_clocks {

/// Nanoseconds, by a clock that all multiprocessors share. (clock64() counts the cycles of one.)
__device__ inline long long nanoseconds() {
#ifdef BUILD_FIRST_EMULATOR
  return clock64();
#else
  long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#endif
}

struct Span {
  long long start, end;
};

// v6 in blocks of 256, in which each block also notes when it began and when it ended.
__global__ void sum_of_squares(const int *in, size_t n, Sum *partials, Span *spans) {
  __shared__ Sum s_sums[256];
  const unsigned tid = threadIdx.x;
  const long long start = nanoseconds();
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
  Sum sum = 0;
#pragma unroll 1 // one read at a time
  for (size_t i = thread; i < n; i += static_cast<size_t>(gridDim.x) * blockDim.x)
    sum += square(in[i]);
  s_sums[tid] = sum;
  __syncthreads();

  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride)
      s_sums[tid] += s_sums[tid + stride];
    __syncthreads();
  }
  if (tid == 0) {
    partials[blockIdx.x] = s_sums[0];
    spans[blockIdx.x].start = start;
    spans[blockIdx.x].end = nanoseconds();
  }
}

/// From the earliest start of any block to the latest end, in milliseconds.
inline double milliseconds(const std::vector<Span> &spans) {
  Span all = spans[0];
  for (const Span &span : spans) {
    all.start = span.start < all.start ? span.start : all.start;
    all.end = span.end > all.end ? span.end : all.end;
  }
  return static_cast<double>(all.end - all.start) * 1e-6;
}

inline void run(lab::Demo &demo) {
  SumOfSquares p(lab::Case{demo.n_or(demo.timed() ? 1u << 26 : 100003), 0, demo.seed()});
  const unsigned threads = 256, fill = blocks_to_fill(threads);
  const unsigned sms = static_cast<unsigned>(lab::choose_device().sm_count);
  demo.say("%8s%10s", "blocks", "threads");
  if (lab::on_emulator())
    demo.say("   right\n");
  else
    demo.say("%14s%12s%10s%14s\n", "device clock", "events", "GB/s", "ns per round");
  for (unsigned blocks : {1u, 8u, 32u, sms, 2 * sms, fill}) {
    lab::DeviceBuffer<Span> d_spans(blocks);
    lab::EventTimer events;
    for (int turn = 0; turn < 2; ++turn) { // the first is a warm-up
      p.prepare();
      LAB_CHECK(cudaDeviceSynchronize());
      lab::hold_device(); // so that the host's part of the launch is not timed
      events.start();
      sum_of_squares<<<blocks, threads>>>(p.d_in.data(), p.n, p.d_partials.data(), d_spans.data());
      LAB_CHECK_LAUNCH();
      events.stop();
    }
    p.partials = blocks;
    demo.expect(p.check());
    const double by_events = events.ms(), by_clock = milliseconds(d_spans.download());
    demo.say("%8u%10u", blocks, blocks * threads);
    if (lab::on_emulator()) {
      demo.say("   yes\n");
      continue;
    }
    const double gbps = sizeof(int) * static_cast<double>(p.n) / by_events * 1e-6;
    // A round: every thread of the launch reads one int.
    const double rounds = static_cast<double>(p.n) / (static_cast<double>(blocks) * threads);
    const double round_ns = by_clock * 1e6 / rounds;
    demo.say("%11.4f ms%9.4f ms%10.1f%14.0f\n", by_clock, by_events, gbps, round_ns);
    const std::string key = "blocks_" + std::to_string(blocks);
    demo.value(key + "_clock_ms", by_clock);
    demo.value(key + "_events_ms", by_events);
    demo.value(key + "_gbps", gbps);
    demo.value(key + "_round_ns", round_ns);
    if (demo.timed())
      demo.expect(by_clock <= 1.05 * by_events + 0.002, "blocks run between the two events");
  }
  if (lab::on_emulator())
    demo.say(
        "\nOn a GPU each row has two times: by the device's clock, from the earliest start of any\n"
        "block to the latest end, and by events. The lesson shows an H200's.\n");
}

} // namespace demo_clocks
