// Was:   a device full of threads, most of which wait for a link: no room for any other kernel.
// Now:   32 blocks, and four vectors of 16 bytes on their way in each thread.
// Watch: the time: it must hardly grow, and three quarters of the multiprocessors are free.
#pragma once

#include "problem.hpp"
#include "steps/sixteen_bytes.cuh"

namespace v6 {

constexpr unsigned most_blocks = 32, threads = 512;
constexpr int in_flight = 4;

// Adds up the vectors in rank order, from `first` on, into the sums of all ranks.
static __global__ void __launch_bounds__(threads) add_up(Everyone e, size_t first, size_t n) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t tid = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t fours = n / 4;
  size_t i = tid;
  for (; i + (in_flight - 1) * threads < fours; i += in_flight * threads) {
    float4 sum[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k)
      sum[k] = four_at(e.in[0] + first, i + k * threads);
    for (int r = 1; r < e.ranks; ++r) {
      float4 other[in_flight];
#pragma unroll
      for (int k = 0; k < in_flight; ++k)
        other[k] = four_at(e.in[r] + first, i + k * threads);
#pragma unroll
      for (int k = 0; k < in_flight; ++k)
        sum[k] = sum[k] + other[k];
    }
    for (int r = 0; r < e.ranks; ++r)
#pragma unroll
      for (int k = 0; k < in_flight; ++k)
        four_at(e.out[r] + first, i + k * threads) = sum[k];
  }
  for (; i < fours; i += threads) {
    float4 sum = four_at(e.in[0] + first, i);
    for (int r = 1; r < e.ranks; ++r)
      sum = sum + four_at(e.in[r] + first, i);
    for (int r = 0; r < e.ranks; ++r)
      four_at(e.out[r] + first, i) = sum;
  }
  add_up_tail(e, first + fours * 4, first + n);
}

inline unsigned blocks_of(size_t n) {
  const size_t all = (n / 4 + threads - 1) / threads;
  return static_cast<unsigned>(all == 0 ? 1 : all < most_blocks ? all : most_blocks);
}

inline void run(Vectors &p) {
  const Everyone e = everyone(p);
  p.team.fork();
  for (int rank = 0; rank < p.ranks(); ++rank) {
    const OnDevice current(p.team.device(rank));
    const Share share = share_of(p.n, p.ranks(), rank);
    add_up<<<blocks_of(share.length), threads, 0, p.team.stream(rank)>>>(
        e, share.first, share.length);
    LAB_CHECK_LAUNCH();
  }
  p.team.join();
}

} // namespace v6
