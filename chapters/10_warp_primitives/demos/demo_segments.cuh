// A sum for each key. Neighbours often have the same key, and then they need not all ask memory.
#pragma once

#include "problem.hpp"
#include "steps/warp_scan.cuh"

namespace demo_segments {

__global__ void
one_atomic_each(const unsigned *keys, const Value *in, unsigned n, Value *sums, unsigned *atomics) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomicAdd(&sums[keys[i]], in[i]);
  if (atomics)
    atomicAdd(atomics, 1u);
}

// Keys in any order: the lanes with one key find each other, add up, and one of them asks memory.
__global__ void
by_match(const unsigned *keys, const Value *in, unsigned n, Value *sums, unsigned *atomics) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned here = __ballot_sync(all_lanes, i < n);
  if (i >= n)
    return;
  const unsigned lane = threadIdx.x % 32;
  const unsigned key = keys[i];
  const unsigned alike = __match_any_sync(here, key);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const Value sum = __reduce_add_sync(alike, in[i]); // many groups at once, each with its own mask
#else
  Value sum = 0;
  for (unsigned lanes = here; lanes; lanes &= lanes - 1) { // all lanes read all, and keep theirs
    const unsigned other = __ffs(static_cast<int>(lanes)) - 1;
    const Value theirs = __shfl_sync(here, in[i], static_cast<int>(other));
    sum += alike >> other & 1 ? theirs : 0;
  }
#endif
  if ((alike & ((1u << lane) - 1)) == 0) { // the first of them
    atomicAdd(&sums[key], sum);
    if (atomics)
      atomicAdd(atomics, 1u);
  }
}

// Equal keys side by side: a scan that begins anew where a segment begins.
__global__ void
by_heads(const unsigned *keys, const Value *in, unsigned n, Value *sums, unsigned *atomics) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  const unsigned key = i < n ? keys[i] : ~0u;
  const unsigned key_before = __shfl_up_sync(all_lanes, key, 1);
  const unsigned heads = __ballot_sync(all_lanes, lane == 0 || key != key_before) | 1u;
  const unsigned to_me = heads & (0xffffffffu >> (31 - lane)); // heads up to this lane
  const unsigned first = 31 - __clz(static_cast<int>(to_me)); // of this lane's segment
  Value sum = i < n ? in[i] : 0;
#pragma unroll
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const Value left = __shfl_up_sync(all_lanes, sum, offset);
    if (lane >= first + offset)
      sum += left;
  }
  const bool last = lane == 31 || (heads >> (lane + 1) & 1);
  if (i < n && last) {
    atomicAdd(&sums[key], sum);
    if (atomics)
      atomicAdd(atomics, 1u);
  }
}

inline void run(lab::Demo &demo) {
  const unsigned n = static_cast<unsigned>(demo.n_or(demo.timed() ? 1u << 26 : 100003));
  const unsigned segments = n / 50 + 1;
  std::vector<unsigned> h_keys(n);
  std::vector<Value> h_in(n), expected(segments);
  lab::fill_random(h_in.data(), n, demo.seed());
  for (unsigned i = 0, key = 0; i < n; ++i) { // one in 50 begins a segment
    if (key + 1 < segments && lab::random_u64(demo.seed() + 1, i) % 50 == 0)
      ++key;
    h_keys[i] = key;
    expected[key] += h_in[i];
  }
  lab::DeviceBuffer<unsigned> d_keys(h_keys), d_atomics(1);
  lab::DeviceBuffer<Value> d_in(h_in), d_sums(segments);
  demo.say("%u elements in up to %u segments\n", n, segments);

  const auto try_way = [&](const char *key, const char *how, auto kernel) {
    const auto work = [&](unsigned *atomics) {
      LAB_CHECK(cudaMemsetAsync(d_sums.data(), 0, d_sums.bytes()));
      kernel<<<blocks_for(n, 256), 256>>>(d_keys.data(), d_in.data(), n, d_sums.data(), atomics);
    };
    lab::poison(d_sums);
    LAB_CHECK(cudaMemset(d_atomics.data(), 0, d_atomics.bytes()));
    work(d_atomics.data());
    LAB_CHECK_LAUNCH();
    demo.expect(lab::compare(d_sums.download(), expected));
    demo.say("  %-38s %9u atomics", how, d_atomics.at(0));
    demo.value(key, d_atomics.at(0));
    const auto ms = [&] { return lab::measure([&] { work(nullptr); }).median_ms; };
    demo.say_timed(std::string(key) + "_ms", "  %.4f ms\n", ms, "\n");
  };
  try_way("each", "an atomic for each element", one_atomic_each);
  try_way("match", "lanes with one key find each other", by_match);
  try_way("heads", "a scan that begins anew at each head", by_heads);
}

} // namespace demo_segments
