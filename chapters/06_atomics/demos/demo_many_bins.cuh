// 65,536 bins of 4 bytes, one for each value of 16 bits: 256 KB, more than a block's shared memory.
#pragma once

#include "problem.hpp"

#ifndef BUILD_FIRST_EMULATOR
#include <cooperative_groups.h>
#endif

namespace demo_many_bins {

constexpr unsigned all_bins = 65536;
constexpr unsigned block = 1024;

// The bins stay in global memory.
__global__ void in_global(const uint4 *in, size_t n8, unsigned *counts) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x; // in the whole grid
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n8;
       i += threads) {
    const uint4 eight = in[i]; // two values in each of its four words
    const unsigned words[4] = {eight.x, eight.y, eight.z, eight.w};
    for (unsigned word : words) {
      atomicAdd(&counts[word & 0xffff], 1u);
      atomicAdd(&counts[word >> 16], 1u);
    }
  }
}

// Each block has half of the bins, and two blocks read the same values: each counts those it has bins
// for.
constexpr unsigned parts = 2;
constexpr unsigned bins_of_part = all_bins / parts;

__global__ void in_parts(const uint4 *in, size_t n8, unsigned *counts) {
  extern __shared__ unsigned s_counts[]; // of bins first to first + bins_of_part
  const unsigned first = blockIdx.x % parts * bins_of_part;
  for (unsigned bin = threadIdx.x; bin < bins_of_part; bin += blockDim.x)
    s_counts[bin] = 0;
  __syncthreads();

  const size_t threads = static_cast<size_t>(gridDim.x / parts) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x / parts) * blockDim.x + threadIdx.x; i < n8;
       i += threads) {
    const uint4 eight = in[i];
    const unsigned words[4] = {eight.x, eight.y, eight.z, eight.w};
    for (unsigned word : words) {
      const unsigned low = (word & 0xffff) - first, high = (word >> 16) - first;
      if (low < bins_of_part)
        atomicAdd(&s_counts[low], 1u);
      if (high < bins_of_part)
        atomicAdd(&s_counts[high], 1u);
    }
  }
  __syncthreads();

  for (unsigned bin = threadIdx.x; bin < bins_of_part; bin += blockDim.x)
    if (s_counts[bin] > 0)
      atomicAdd(&counts[first + bin], s_counts[bin]);
}

// Two counters of 16 bits share a word, so that all bins fit a block: 128 KB. A counter that passes
// 65,535 hands 65,536 over to its bin in global memory.
constexpr unsigned half = 1u << 16;

__device__ inline void count_high(unsigned *word, unsigned *high) {
  if (atomicAdd(word, half) >= half * 0xffffu) // it was full: the word wraps
    atomicAdd(high, half);
}

__device__ inline void count_low(unsigned *word, unsigned *low, unsigned *high) {
  const unsigned old = atomicAdd(word, 1u);
  if ((old & 0xffff) != 0xffff)
    return;
  atomicAdd(low, half); // it was full, and has carried into its neighbour: take that back
  if (old >= half * 0xffffu)
    atomicAdd(high, half); // the carry wrapped the neighbour
  if (atomicSub(word, half) < half)
    atomicSub(high, half); // taking it back wraps it the other way
}

__global__ void in_halves(const uint4 *in, size_t n8, unsigned *counts) {
  extern __shared__ unsigned s_pairs[]; // of the bins 2 k and 2 k + 1
  for (unsigned k = threadIdx.x; k < all_bins / 2; k += blockDim.x)
    s_pairs[k] = 0;
  __syncthreads();

  const auto count = [&](unsigned value) {
    const unsigned even = value & ~1u;
    if (value == even)
      count_low(&s_pairs[even / 2], &counts[even], &counts[even + 1]);
    else
      count_high(&s_pairs[even / 2], &counts[even + 1]);
  };
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x; // in the whole grid
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n8;
       i += threads) {
    const uint4 eight = in[i];
    const unsigned words[4] = {eight.x, eight.y, eight.z, eight.w};
    for (unsigned word : words) {
      count(word & 0xffff);
      count(word >> 16);
    }
  }
  __syncthreads();

  for (unsigned k = threadIdx.x; k < all_bins / 2; k += blockDim.x) {
    if ((s_pairs[k] & 0xffff) > 0)
      atomicAdd(&counts[2 * k], s_pairs[k] & 0xffff);
    if (s_pairs[k] >> 16 > 0)
      atomicAdd(&counts[2 * k + 1], s_pairs[k] >> 16);
  }
}

#ifndef BUILD_FIRST_EMULATOR
// Two blocks of a cluster have half of the bins each, and every thread adds to both halves: to its
// neighbour's through distributed shared memory.
__global__ void in_cluster(const uint4 *in, size_t n8, unsigned *counts) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ unsigned s_counts[]; // of this block's half
  namespace cg = cooperative_groups;
  const cg::cluster_group cluster = cg::this_cluster();
  for (unsigned bin = threadIdx.x; bin < bins_of_part; bin += blockDim.x)
    s_counts[bin] = 0;
  cluster.sync(); // nobody counts before all bins of both blocks are 0

  const auto count = [&](unsigned value) {
    atomicAdd(cluster.map_shared_rank(s_counts, value / bins_of_part) + value % bins_of_part, 1u);
  };
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x; // in the whole grid
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n8;
       i += threads) {
    const uint4 eight = in[i];
    const unsigned words[4] = {eight.x, eight.y, eight.z, eight.w};
    for (unsigned word : words) {
      count(word & 0xffff);
      count(word >> 16);
    }
  }
  cluster.sync(); // nobody hands over, or leaves, while others count

  for (unsigned bin = threadIdx.x; bin < bins_of_part; bin += blockDim.x)
    if (s_counts[bin] > 0)
      atomicAdd(&counts[cluster.block_rank() * bins_of_part + bin], s_counts[bin]);
#endif
}

inline void launch_cluster(unsigned grid, const uint4 *in, size_t n8, unsigned *counts) {
  cudaLaunchAttribute size = {};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim.x = parts;
  size.val.clusterDim.y = size.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = bins_of_part * sizeof(unsigned);
  config.attrs = &size;
  config.numAttrs = 1;
  LAB_CHECK(cudaLaunchKernelEx(&config, in_cluster, in, n8, counts));
}
#endif

template <class Kernel> void allow_shared(Kernel kernel, size_t bytes) {
  LAB_CHECK(cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

// All ways on these values, two per word; `name` stands before the keys of their times.
inline void try_all(lab::Demo &demo, const std::string &name, const std::vector<unsigned> &h_in) {
  std::vector<unsigned> expected(all_bins);
  for (unsigned word : h_in) {
    ++expected[word & 0xffff];
    ++expected[word >> 16];
  }
  lab::DeviceBuffer<unsigned> d_in(h_in), d_counts(all_bins);
  const uint4 *in = reinterpret_cast<const uint4 *>(d_in.data());
  const size_t n8 = h_in.size() / 4;
  const lab::Device &device = lab::choose_device();
  const size_t bytes = bins_of_part * sizeof(unsigned); // as many as all counters of 16 bits
  const unsigned grid = demo.timed() ? static_cast<unsigned>(device.sm_count) / parts * parts : 2;

  demo.say("%zu %s values of 16 bits\n", 2 * h_in.size(), name.c_str());
  const auto try_way = [&](const char *key, const char *how, auto &&launch) {
    const auto work = [&] {
      LAB_CHECK(cudaMemsetAsync(d_counts.data(), 0, d_counts.bytes()));
      launch();
    };
    work();
    LAB_CHECK_LAUNCH();
    demo.expect(lab::compare(d_counts.download(), expected));
    demo.say("  %-48s", how);
    demo.say_timed(name + "_" + key, " %8.3f ms\n", [&] { return lab::measure(work).median_ms; });
  };
  try_way("global", "atomics on global memory", [&] {
    in_global<<<2 * grid, block>>>(in, n8, d_counts.data());
  });
#ifndef BUILD_FIRST_EMULATOR
  if (device.compute_major >= 9) {
    allow_shared(in_cluster, bytes);
    try_way("cluster", "half of the bins in each block of a cluster", [&] {
      launch_cluster(grid, in, n8, d_counts.data());
    });
  }
#endif
  allow_shared(in_parts, bytes);
  try_way("parts", "half of the bins per block, all values read twice", [&] {
    in_parts<<<grid, block, bytes>>>(in, n8, d_counts.data());
  });
  allow_shared(in_halves, bytes);
  try_way("halves", "counters of 16 bits", [&] {
    in_halves<<<grid, block, bytes>>>(in, n8, d_counts.data());
  });
}

inline void run(lab::Demo &demo) {
  const size_t words = demo.n_or(demo.timed() ? 1u << 28 : 1u << 19) / 8 * 4;
  std::vector<unsigned> h_in(words);
  lab::fill_random(h_in.data(), words, demo.seed());
  try_all(demo, "random", h_in);
  for (unsigned &word : h_in) // 10 or 11, which share a word of counters: both pass 65,535
    word = 0x000a000a + (word & 0x00010001);
  try_all(demo, "two", h_in);
}

} // namespace demo_many_bins
