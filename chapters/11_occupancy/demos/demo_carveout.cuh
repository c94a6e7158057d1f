// Shared memory and the L1 are one piece of memory: what the one gets, the other loses.
#pragma once

#include "calculator.hpp"
#include "problem.hpp"

#include <string>

namespace demo_carveout {

constexpr int threads = 256;
constexpr unsigned window =
    96 * 1024 / sizeof(unsigned); // words that each block reads again and again

__global__ void reread(const unsigned *in, unsigned passes, unsigned *out) {
  const unsigned *mine = in + static_cast<size_t>(blockIdx.x) * window;
  unsigned sum = 0;
  for (unsigned pass = 0; pass < passes; ++pass)
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < window; i += threads)
      sum += mine[i] ^ pass;
  out[static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}

/// Takes its dynamic shared memory and does nothing with it.
__global__ void hold(unsigned *out) {
  extern __shared__ unsigned s_held[];
  s_held[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s_held[threadIdx.x];
}

inline void prefer(const void *kernel, int percent) {
  LAB_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
}

inline int blocks_with(const void *kernel, size_t shared) {
  int blocks = 0;
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
  return blocks;
}

inline void run(lab::Demo &demo) {
  const unsigned passes = demo.timed() ? 200 : 2;
  const unsigned blocks = demo.timed() ? static_cast<unsigned>(lab::choose_device().sm_count) : 2;
  std::vector<unsigned> words(static_cast<size_t>(blocks) * window);
  lab::fill_random(words.data(), words.size(), demo.seed());
  lab::DeviceBuffer<unsigned> d_in(words), d_out(static_cast<size_t>(blocks) * threads);
  unsigned expected = 0;
  for (unsigned pass = 0; pass < passes; ++pass)
    for (size_t i = 0; i < words.size(); ++i)
      expected += words[i] ^ pass;

  const void *reader = reinterpret_cast<const void *>(reread);
  const void *holder = reinterpret_cast<const void *>(hold);
  demo.say("preferred  blocks of 32 KB that fit%s\n",
           demo.timed() ? "   96 KB read again, GB/s" : "");
  for (int percent : {-1, 0, 25, 50, 75, 100}) { // -1: cudaSharedmemCarveoutDefault
    prefer(reader, percent);
    prefer(holder, percent);
    const int fit = blocks_with(holder, 32 * 1024);
    const occupancy::Launch launch = {threads, 16, 32 * 1024, 1};
    const occupancy::Limits carved = with_carveout(occupancy::device_limits(), percent, launch);
    demo.expect(
        lab::compare_value("blocks, ours against CUDA's", resident(carved, launch).blocks, fit));
    const auto work = [&] { reread<<<blocks, threads>>>(d_in.data(), passes, d_out.data()); };
    lab::poison(d_out);
    work();
    LAB_CHECK_LAUNCH();
    unsigned sum = 0;
    for (unsigned word : d_out.download())
      sum += word;
    demo.expect(lab::compare_value("all words", sum, expected));
    const std::string name = percent < 0 ? "default" : std::to_string(percent);
    demo.say("  %7s  %20d", name.c_str(), fit);
    demo.value("blocks_" + name, fit);
    const auto gbps = [&] {
      const double ms = lab::measure(work, {.reps = 7, .warm_up = 1}).median_ms;
      return 1e-6 * static_cast<double>(d_in.bytes()) * passes / ms;
    };
    demo.say_timed("gbps_" + name, "  %18.0f\n", gbps, "\n");
  }
  prefer(reader, cudaSharedmemCarveoutDefault);
  prefer(holder, cudaSharedmemCarveoutDefault);
}

} // namespace demo_carveout
