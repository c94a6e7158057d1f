// The scan of v3 in one launch: a barrier of all blocks stands where launches ended.
#pragma once

#include "problem.hpp"
#include "steps/v3_reduce_then_scan.cuh"
#include "steps/warp_scan.cuh"

#include <cooperative_groups.h>

namespace demo_grid_sync {

namespace cg = cooperative_groups;

constexpr unsigned threads = 256;

// The sum of the block's values up to this thread's; `all` becomes the sum of them all.
__device__ inline Value block_scan(Value value, Value &all) {
  __shared__ Value s_sums[threads / 32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Value sum = warp_scan(value);
  if (lane == 31)
    s_sums[warp] = sum;
  __syncthreads();
  const Value of_warp = lane < threads / 32 ? s_sums[lane] : 0;
  all = warp_sum(of_warp);
  sum += warp_sum(lane < warp ? of_warp : 0);
  __syncthreads(); // before the next call writes
  return sum;
}

// Each block has a share of neighbouring elements: a whole number of tiles.
__global__ void scan(const Value *in, size_t n, size_t share, Value *out, Value *sums) {
  const size_t begin = share * blockIdx.x;
  const size_t end = begin + share < n ? begin + share : n;
  Value mine = 0, all = 0, before = 0;
  for (size_t i = begin + threadIdx.x; i < end; i += threads)
    mine += in[i];
  block_scan(mine, all);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = all;

  cg::this_grid().sync(); // now the sums of all blocks are there

  mine = 0;
  for (unsigned b = threadIdx.x; b < blockIdx.x; b += threads)
    mine += sums[b];
  block_scan(mine, before);
  for (size_t first = begin; first < end; first += threads) {
    const size_t i = first + threadIdx.x;
    const Value sum = block_scan(i < end ? in[i] : 0, all);
    if (i < end)
      out[i] = before + sum;
    before += all;
  }
}

inline void run(lab::Demo &demo) {
  const size_t n = demo.n_or(demo.timed() ? 1u << 26 : 20011);
  Scan p({.n = n, .block = threads, .seed = demo.seed()});
  int per_sm = 0; // blocks of this kernel that fit: a grid may not be larger, or nobody would ever
      // come for whom the others wait
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, scan, threads, 0));
  const unsigned fit = static_cast<unsigned>(per_sm * lab::choose_device().sm_count);
  const unsigned useful = blocks_for(n, 8 * threads);
  const unsigned blocks = useful < fit ? useful : fit;
  size_t share = blocks_for(n, blocks);
  share = (share + threads - 1) / threads * threads;

  const Value *in = p.d_in.data();
  Value *out = p.d_out.data(), *sums = p.d_sums.data();
  void *arguments[] = {&in, &p.n, &share, &out, &sums}; // a pointer to each
  const auto work = [&] {
    LAB_CHECK(cudaLaunchCooperativeKernel(scan, blocks, threads, arguments, 0, nullptr));
  };
  demo.check(p, work);
  demo.say("%zu elements scanned by %u blocks in one cooperative launch\n", n, blocks);
  if (!demo.timed())
    return;
  const double one = lab::measure(work).median_ms;
  const double three = lab::measure([&] { v3::run(p); }).median_ms;
  demo.say("one launch, with a barrier of the grid   %.4f ms\n", one);
  demo.say("the launches of v3                       %.4f ms\n", three);
  demo.value("grid_sync_ms", one);
  demo.value("v3_ms", three);
}

} // namespace demo_grid_sync
