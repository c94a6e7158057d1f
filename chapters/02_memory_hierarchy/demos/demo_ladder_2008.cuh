#pragma once

#include "problem.hpp"

#include <string>

namespace demo_ladder_2008 {

inline constexpr unsigned block = 256; // of all rows but the one with 512

__global__ void in_chunks(const int *in, size_t n, Sum *partials) { // v1; with one thread, v0
  const size_t chunk = (n + blockDim.x - 1) / blockDim.x;
  Sum sum = 0;
#pragma unroll 1
  for (size_t i = threadIdx.x * chunk; i < (threadIdx.x + 1) * chunk && i < n; ++i)
    sum += square(in[i]);
  partials[threadIdx.x] = sum;
}

/// What one thread finds when all take turns.
__device__ inline Sum own_sum(const int *in, size_t n) {
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Sum sum = 0;
#pragma unroll 1
  for (size_t i = thread; i < n; i += static_cast<size_t>(gridDim.x) * blockDim.x)
    sum += square(in[i]);
  return sum;
}

__global__ void in_turn(const int *in, size_t n, Sum *partials) { // v2, v3 and v4
  partials[static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = own_sum(in, n);
}

__global__ void one_adder(const int *in, size_t n, Sum *partials) {
  __shared__ Sum s_sums[block];
  const unsigned tid = threadIdx.x;
  s_sums[tid] = own_sum(in, n);
  __syncthreads();
  if (tid == 0) {
    for (unsigned other = 1; other < block; ++other)
      s_sums[0] += s_sums[other];
    partials[blockIdx.x] = s_sums[0];
  }
}

// The tree of 2008: neighbours first, then ever farther; a mask tells who adds.
__global__ void mask_tree(const int *in, size_t n, Sum *partials) {
  __shared__ Sum s_sums[block];
  const unsigned tid = threadIdx.x;
  s_sums[tid] = own_sum(in, n);
  __syncthreads();
#pragma unroll 1
  for (unsigned offset = 1, mask = 1; offset < block; offset *= 2, mask = 2 * mask + 1) {
    if ((tid & mask) == 0)
      s_sums[tid] += s_sums[tid + offset];
    __syncthreads();
  }
  if (tid == 0)
    partials[blockIdx.x] = s_sums[0];
}

// v6's tree: the halves first. AT_ONCE: rounds that are written out, 1: a loop.
template <int AT_ONCE> __global__ void halving_tree(const int *in, size_t n, Sum *partials) {
  __shared__ Sum s_sums[block];
  const unsigned tid = threadIdx.x;
  s_sums[tid] = own_sum(in, n);
  __syncthreads();
#pragma unroll AT_ONCE
  for (unsigned stride = block / 2; stride > 0; stride /= 2) {
    if (tid < stride)
      s_sums[tid] += s_sums[tid + stride];
    __syncthreads();
  }
  if (tid == 0)
    partials[blockIdx.x] = s_sums[0];
}

/// A kernel and the launch it had then.
struct Row {
  const char *name;
  void (*kernel)(const int *, size_t, Sum *);
  unsigned blocks, threads;
  size_t partials;
};

inline void run(lab::Demo &demo) {
  SumOfSquares p(lab::Case{demo.n_or(demo.quick() ? 10007 : 1u << 20), 0, demo.seed()});
  const Row rows[] = {
      {"one_thread", in_chunks, 1, 1, 1},
      {"chunks", in_chunks, 1, block, block},
      {"in_turn", in_turn, 1, block, block},
      {"in_turn_512", in_turn, 1, 512, 512},
      {"many_blocks", in_turn, 32, block, size_t{32} * block},
      {"one_adder", one_adder, 32, block, 32},
      {"mask_tree", mask_tree, 32, block, 32},
      {"halving_tree", halving_tree<1>, 32, block, 32},
      {"unrolled_tree", halving_tree<8>, 32, block, 32},
  };
  demo.say(
      "%-16s%8s%9s%s\n", "kernel", "blocks", "threads", demo.timed() ? "          ms" : "   sum");
  for (const Row &row : rows) {
    const auto launch = [&] {
      row.kernel<<<row.blocks, row.threads>>>(p.d_in.data(), p.n, p.d_partials.data());
    };
    p.prepare();
    launch();
    LAB_CHECK_LAUNCH();
    p.partials = row.partials;
    demo.expect(p.check());
    demo.say("%-16s%8u%9u", row.name, row.blocks, row.threads);
    if (!demo.timed()) {
      demo.say("   right\n");
      continue;
    }
    const double ms = lab::measure(launch, {.cold_l2 = true}).median_ms;
    demo.say("%12.4f\n", ms);
    demo.value(std::string(row.name) + "_ms", ms);
    demo.value(std::string(row.name) + "_gbps", sizeof(int) * static_cast<double>(p.n) / ms * 1e-6);
  }
}

} // namespace demo_ladder_2008
