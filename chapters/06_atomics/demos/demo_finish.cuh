// Every block has a sum. Three ways to make one of them.
#pragma once

#include "problem.hpp"

namespace demo_finish {

constexpr unsigned block = 256;

// The sum of what the threads of a block bring, in thread 0.
__device__ inline unsigned sum_of_block(unsigned sum) {
  __shared__ unsigned s_sum[block / 32];
  for (unsigned offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    s_sum[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  if (threadIdx.x == 0)
    for (unsigned warp = 0; warp < block / 32; ++warp)
      sum += s_sum[warp];
  return sum;
}

// The sum of this block's part of n numbers, in thread 0.
__device__ inline unsigned block_sum(const unsigned *in, size_t n) {
  unsigned sum = 0;
  const size_t threads = static_cast<size_t>(gridDim.x) * block;
  for (size_t i = static_cast<size_t>(blockIdx.x) * block + threadIdx.x; i < n; i += threads)
    sum += in[i];
  return sum_of_block(sum);
}

// 1. A second launch adds the partial sums: the end of a kernel is a barrier for all blocks.
__global__ void partial_sums(const unsigned *in, size_t n, unsigned *partials) {
  const unsigned sum = block_sum(in, n);
  if (threadIdx.x == 0)
    partials[blockIdx.x] = sum;
}

// 2. Each block adds its sum to the result.
__global__ void add_atomically(const unsigned *in, size_t n, unsigned *result) {
  const unsigned sum = block_sum(in, n);
  if (threadIdx.x == 0)
    atomicAdd(result, sum);
}

// 3. Each block stores its sum and takes a ticket. Who draws the last one adds all of them up.
__global__ void
last_block(const unsigned *in, size_t n, unsigned *partials, unsigned *tickets, unsigned *result) {
  __shared__ bool s_last;
  const unsigned sum = block_sum(in, n);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence(); // the sum is there before the ticket is
    s_last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (s_last) {
    __threadfence(); // and what the other blocks stored is read after
    unsigned part = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += block)
      part += partials[b];
    const unsigned total = sum_of_block(part);
    if (threadIdx.x == 0) {
      *result = total;
      *tickets = 0; // ready for the next launch
    }
  }
}

inline void run(lab::Demo &demo) {
  const size_t n = demo.n_or(demo.timed() ? 1u << 26 : 100003);
  std::vector<unsigned> h_in(n);
  lab::fill_random(h_in.data(), n, demo.seed());
  unsigned expected = 0; // modulo 2^32
  for (unsigned value : h_in)
    expected += value;
  const unsigned grid = lab::on_emulator() ? 16 : blocks_to_fill(n, block);
  lab::DeviceBuffer<unsigned> d_in(h_in), d_partials(grid), d_tickets(1), d_result(1);
  LAB_CHECK(cudaMemset(d_tickets.data(), 0, sizeof(unsigned)));

  const auto try_way = [&](const char *key, const char *how, auto &&work) {
    lab::poison(d_result);
    lab::poison(d_partials);
    work();
    LAB_CHECK_LAUNCH();
    demo.expect(lab::compare_value(how, d_result.at(0), expected));
    demo.say("%-44s", how);
    demo.say_timed(key, " %.4f ms\n", [&] { return lab::measure(work).median_ms; });
  };
  try_way("second_kernel", "a second kernel", [&] {
    partial_sums<<<grid, block>>>(d_in.data(), n, d_partials.data());
    partial_sums<<<1, block>>>(d_partials.data(), grid, d_result.data());
  });
  try_way("atomics", "one atomicAdd for each block", [&] {
    LAB_CHECK(cudaMemsetAsync(d_result.data(), 0, sizeof(unsigned)));
    add_atomically<<<grid, block>>>(d_in.data(), n, d_result.data());
  });
  try_way("last_block", "the last block adds what all have stored", [&] {
    last_block<<<grid, block>>>(
        d_in.data(), n, d_partials.data(), d_tickets.data(), d_result.data());
  });
}

} // namespace demo_finish
