#pragma once

#include "ladder/chapter.hpp"

#include <vector>

namespace demo_local {

inline constexpr unsigned kinds = 8;

// How often each of eight values occurs in this thread's numbers, then a figure made of the counts.
// The index is a value from memory. Registers have no index, so `count` has to be in memory.
__global__ void count_by_index(const unsigned *in, unsigned per_thread, unsigned *out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned count[kinds] = {};
  for (unsigned i = 0; i < per_thread; ++i)
    ++count[in[i * gridDim.x * blockDim.x + thread] % kinds];
  unsigned figure = 0;
  for (unsigned kind = 0; kind < kinds; ++kind)
    figure = figure * 31 + count[kind];
  out[thread] = figure;
}

// The same, but once the loop is unrolled every index is a number: eight variables, in registers.
__global__ void count_by_name(const unsigned *in, unsigned per_thread, unsigned *out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned count[kinds] = {};
  for (unsigned i = 0; i < per_thread; ++i) {
    const unsigned value = in[i * gridDim.x * blockDim.x + thread] % kinds;
#pragma unroll
    for (unsigned kind = 0; kind < kinds; ++kind)
      count[kind] += value == kind;
  }
  unsigned figure = 0;
#pragma unroll
  for (unsigned kind = 0; kind < kinds; ++kind)
    figure = figure * 31 + count[kind];
  out[thread] = figure;
}

inline std::vector<unsigned>
figures_on_host(const std::vector<unsigned> &in, unsigned threads, unsigned per_thread) {
  std::vector<unsigned> figures(threads);
  for (unsigned thread = 0; thread < threads; ++thread) {
    std::vector<unsigned> count(kinds);
    for (unsigned i = 0; i < per_thread; ++i)
      ++count[in[i * threads + thread] % kinds];
    for (unsigned occurrences : count)
      figures[thread] = figures[thread] * 31 + occurrences;
  }
  return figures;
}

inline void run(lab::Demo &demo) {
  const unsigned block = 256, grid = demo.timed() ? 1024 : 4, per_thread = demo.timed() ? 256 : 16;
  std::vector<unsigned> h_in(block * grid * per_thread);
  lab::fill_random(h_in.data(), h_in.size(), demo.seed());
  const std::vector<unsigned> expected = figures_on_host(h_in, block * grid, per_thread);
  lab::DeviceBuffer<unsigned> d_in(h_in), d_out(block * grid);

  const auto show = [&](const char *key, void (*kernel)(const unsigned *, unsigned, unsigned *)) {
    const auto launch = [&] { kernel<<<grid, block>>>(d_in.data(), per_thread, d_out.data()); };
    lab::poison(d_out);
    launch();
    LAB_CHECK_LAUNCH();
    demo.expect(lab::compare(d_out.download(), expected));
    if (lab::on_emulator()) {
      demo.say("%-16s right\n", key);
      return std::size_t{0};
    }
    cudaFuncAttributes attributes;
    LAB_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    const double ms = demo.quick() ? 0.0 : lab::measure(launch).median_ms;
    demo.say("%-16s%4zu bytes of local memory,%4d registers a thread,%9.4f ms\n",
             key,
             attributes.localSizeBytes,
             attributes.numRegs,
             ms);
    demo.value(std::string(key) + "_local_bytes", static_cast<double>(attributes.localSizeBytes));
    demo.value(std::string(key) + "_ms", ms);
    return attributes.localSizeBytes;
  };
  const std::size_t by_index = show("count_by_index", count_by_index);
  const std::size_t by_name = show("count_by_name", count_by_name);
  if (lab::on_emulator()) {
    demo.say("\nWhere an array ends up is nvcc's decision. The lesson shows what it was.\n");
    return;
  }
  demo.expect(by_index >= kinds * sizeof(unsigned),
              "an array with a free index is in local memory");
  demo.expect(by_name == 0, "with known indices it is in registers");
}

} // namespace demo_local
