// Who counts which bytes: threads in turn or in stretches, and equal neighbours joined by their thread.
#pragma once

#include "steps/v2_shared_bins.cuh"
#include "steps/v3_sixteen_bytes.cuh"

namespace demo_contiguous {

// v2, but each thread has a contiguous stretch of the bytes.
__global__ void in_stretches(const Byte *in, size_t n, unsigned *counts) {
  __shared__ unsigned s_counts[bins];
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    s_counts[bin] = 0;
  __syncthreads();

  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x; // in the whole grid
  const size_t stretch = (n + threads - 1) / threads; // the last one may be shorter, or empty
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t i = thread * stretch; i < (thread + 1) * stretch && i < n; ++i)
    atomicAdd(&s_counts[in[i]], 1u);
  __syncthreads();

  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    atomicAdd(&counts[bin], s_counts[bin]);
}

// Equal neighbours among a thread's 16 bytes are one addition.
__device__ inline void count_joined(unsigned *s_counts, uint4 v) {
  const unsigned words[4] = {v.x, v.y, v.z, v.w};
  unsigned byte = v.x & 255, same = 0;
  for (unsigned word : words)
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const unsigned next = word >> shift & 255;
      if (next != byte) {
        atomicAdd(&s_counts[byte], same);
        byte = next;
        same = 0;
      }
      ++same;
    }
  atomicAdd(&s_counts[byte], same);
}

// v3, but a thread joins equal neighbours before it asks.
__global__ void joined(const Byte *in, size_t n, unsigned *counts) {
  __shared__ unsigned s_counts[bins];
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    s_counts[bin] = 0;
  __syncthreads();

  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x; // in the whole grid
  const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const uint4 *in16 = reinterpret_cast<const uint4 *>(in);
  for (size_t i = first; i < n / 16; i += threads)
    count_joined(s_counts, in16[i]);
  if (first < n % 16)
    atomicAdd(&s_counts[in[n - n % 16 + first]], 1u);
  __syncthreads();

  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    atomicAdd(&counts[bin], s_counts[bin]);
}

// How many additions `joined` makes to the bins of its blocks.
inline size_t additions_joined(const std::vector<Byte> &bytes) {
  const size_t in_groups = bytes.size() / 16 * 16;
  size_t additions = bytes.size() - in_groups;
  for (size_t i = 0; i < in_groups; ++i)
    additions += i % 16 == 0 || bytes[i] != bytes[i - 1];
  return additions;
}

template <void kernel(const Byte *, size_t, unsigned *)> void run_kernel(Histogram &p) {
  empty_bins(p);
  kernel<<<blocks_to_fill(p.n, p.block), p.block>>>(p.d_in.data(), p.n, p.d_bins.data());
}

struct Way {
  const char *name;
  void (*run)(Histogram &);
};

inline void run(lab::Demo &demo) {
  const std::vector<Way> ways = {{"v2", v2::run},
                                 {"v2_in_stretches", run_kernel<in_stretches>},
                                 {"v3", v3::run},
                                 {"v3_joined", run_kernel<joined>}};
  Histogram p(
      {.n = demo.n_or(demo.timed() ? 1u << 30 : 100003), .block = 512, .seed = demo.seed()});
  std::vector<Byte> h_runs(p.n);
  for (size_t i = 0; i < p.n; ++i)
    h_runs[i] = p.h_in[i / 64]; // 64 equal bytes at a time
  std::vector<std::vector<double>> times = {lab::check_and_time(demo, p, ways)};
  std::vector<size_t> additions = {additions_joined(p.h_in)};
  p.h_in = h_runs;
  p.expected = count_bytes(p.h_in);
  p.d_in.upload(p.h_in);
  times.push_back(lab::check_and_time(demo, p, ways));
  additions.push_back(additions_joined(p.h_in));
  make_all_equal(p);
  times.push_back(lab::check_and_time(demo, p, ways));
  additions.push_back(additions_joined(p.h_in));
  demo.say("%-22s %12s %12s %12s\n", "", "random", "runs of 64", "all equal");
  demo.say("%-22s %12zu %12zu %12zu\n", "additions, v3", p.n, p.n, p.n);
  demo.say("%-22s %12zu %12zu %12zu\n",
           "additions, v3_joined",
           additions[0],
           additions[1],
           additions[2]);
  if (!demo.timed())
    return;
  const char *inputs[] = {"_random", "_runs", "_equal"};
  for (size_t way = 0; way < ways.size(); ++way) {
    demo.say("%-22s", ways[way].name);
    for (size_t input = 0; input < times.size(); ++input) {
      demo.say(" %9.4f ms", times[input][way]);
      demo.value(std::string(ways[way].name) + inputs[input], times[input][way]);
    }
    demo.say("\n");
  }
}

} // namespace demo_contiguous
