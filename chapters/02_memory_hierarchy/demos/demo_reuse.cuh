#pragma once

#include "ladder/chapter.hpp"

#include <vector>

namespace demo_reuse {

inline constexpr unsigned block = 256;

// How many numbers of its own block are smaller than a thread's. Each thread fetches all of them.
__global__ void ranks_fetching_all(const int *in, unsigned *out) {
  const int *const of_block = in + blockIdx.x * block;
  const int mine = of_block[threadIdx.x];
  unsigned smaller = 0;
  for (unsigned other = 0; other < block; ++other)
    smaller += of_block[other] < mine;
  out[blockIdx.x * block + threadIdx.x] = smaller;
}

// The same, but each thread fetches one number, and all read what the others have brought.
__global__ void ranks_fetching_one(const int *in, unsigned *out) {
  __shared__ int s_in[block];
  const int mine = in[blockIdx.x * block + threadIdx.x];
  s_in[threadIdx.x] = mine;
  __syncthreads();
  unsigned smaller = 0;
  for (unsigned other = 0; other < block; ++other)
    smaller += s_in[other] < mine;
  out[blockIdx.x * block + threadIdx.x] = smaller;
}

inline std::vector<unsigned> ranks_on_host(const std::vector<int> &in) {
  std::vector<unsigned> ranks(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    for (std::size_t other = i - i % block; other < i - i % block + block; ++other)
      ranks[i] += in[other] < in[i];
  return ranks;
}

inline void run(lab::Demo &demo) {
  const unsigned blocks = demo.timed() ? 4096 : 4, n = blocks * block;
  std::vector<int> h_in(n);
  for (unsigned i = 0; i < n; ++i)
    h_in[i] = static_cast<int>(lab::random_u64(demo.seed(), i) % 1000);
  const std::vector<unsigned> expected = ranks_on_host(h_in);
  lab::DeviceBuffer<int> d_in(h_in);
  lab::DeviceBuffer<unsigned> d_out(n);
  const auto show = [&](const char *key, void (*kernel)(const int *, unsigned *)) {
    const auto launch = [&] { kernel<<<blocks, block>>>(d_in.data(), d_out.data()); };
    lab::poison(d_out);
    launch();
    LAB_CHECK_LAUNCH();
    const lab::Verdict verdict = lab::compare(d_out.download(), expected);
    demo.expect(verdict);
    demo.say("  %-20s %s", key, verdict.ok ? "right" : "wrong");
    if (demo.timed()) {
      const double ms = lab::measure(launch, {.cold_l2 = true}).median_ms;
      demo.say("%12.4f ms", ms);
      demo.value(std::string(key) + "_ms", ms);
    }
    demo.say("\n");
  };
  demo.say("For each of %u numbers: how many of its block are smaller?\n\n", n);
  show("ranks_fetching_all", ranks_fetching_all);
  show("ranks_fetching_one", ranks_fetching_one);
}

} // namespace demo_reuse
