// Compaction: keep the numbers below a limit. Where to put each is what an atomic counter says.
#pragma once

#include "problem.hpp"

#include <algorithm>

namespace demo_aggregated {

__global__ void
one_atomic_each(const unsigned *in, unsigned n, unsigned limit, unsigned *out, unsigned *count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] < limit)
    out[atomicAdd(count, 1u)] = in[i];
}

// The lanes that keep something count each other, and one of them asks for all.
__global__ void
one_atomic_a_warp(const unsigned *in, unsigned n, unsigned limit, unsigned *out, unsigned *count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool keep = i < n && in[i] < limit;
  const unsigned keepers = __ballot_sync(0xffffffffu, keep); // bit k: lane k keeps its number
  if (!keep)
    return;
  const unsigned lane = threadIdx.x % 32;
  const int leader = __ffs(static_cast<int>(keepers)) - 1;
  unsigned first = 0;
  if (lane == static_cast<unsigned>(leader))
    first = atomicAdd(count, static_cast<unsigned>(__popc(keepers)));
  first = __shfl_sync(keepers, first, leader);
  const unsigned before = __popc(keepers & ((1u << lane) - 1)); // keepers on my left
  out[first + before] = in[i];
}

// The threads of a block draw their places in shared memory, and one of them asks for all.
__global__ void
one_atomic_a_block(const unsigned *in, unsigned n, unsigned limit, unsigned *out, unsigned *count) {
  __shared__ unsigned s_kept, s_first;
  if (threadIdx.x == 0)
    s_kept = 0;
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool keep = i < n && in[i] < limit;
  const unsigned mine = keep ? atomicAdd(&s_kept, 1u) : 0;
  __syncthreads();
  if (threadIdx.x == 0)
    s_first = atomicAdd(count, s_kept);
  __syncthreads();
  if (keep)
    out[s_first + mine] = in[i];
}

inline void run(lab::Demo &demo) {
  const unsigned n = static_cast<unsigned>(demo.n_or(demo.timed() ? 1u << 24 : 100003));
  const unsigned limit = 1u << 31; // about half of them
  std::vector<unsigned> h_in(n), expected;
  lab::fill_random(h_in.data(), n, demo.seed());
  for (unsigned value : h_in)
    if (value < limit)
      expected.push_back(value);
  std::sort(expected.begin(), expected.end());
  lab::DeviceBuffer<unsigned> d_in(h_in), d_out(n), d_count(1);

  const auto try_way = [&](const char *key, const char *how, auto kernel) {
    const auto work = [&] {
      LAB_CHECK(cudaMemsetAsync(d_count.data(), 0, sizeof(unsigned)));
      kernel<<<blocks_for(n, 256), 256>>>(d_in.data(), n, limit, d_out.data(), d_count.data());
    };
    lab::poison(d_out);
    work();
    LAB_CHECK_LAUNCH();
    demo.expect(
        lab::compare_value("numbers kept", d_count.at(0), static_cast<unsigned>(expected.size())));
    std::vector<unsigned> kept = d_out.download();
    kept.resize(expected.size());
    std::sort(kept.begin(), kept.end()); // the order is whatever the atomics made it
    demo.expect(lab::compare(kept, expected));
    demo.say("%-32s", how);
    const std::string how_many =
        " kept " + std::to_string(kept.size()) + " of " + std::to_string(n) + "\n";
    demo.say_timed(
        key, " %.4f ms\n", [&] { return lab::measure(work).median_ms; }, how_many.c_str());
  };
  try_way("each", "an atomic for each number kept", one_atomic_each);
  try_way("warp", "an atomic for each warp", one_atomic_a_warp);
  try_way("block", "an atomic for each block", one_atomic_a_block);
}

} // namespace demo_aggregated
