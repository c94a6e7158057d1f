// Why is v1 slower than v0, and v3 than v2? Each with one change that takes the suspected cause away.
#pragma once

#include "problem.hpp"
#include "steps/v0_hillis_steele.cuh"
#include "steps/v1_work_efficient.cuh"
#include "steps/v2_warp_shuffle.cuh"
#include "steps/v3_reduce_then_scan.cuh"
#include "steps/warp_scan.cuh"

namespace demo_tree {

// Where element k lies: a word stays free after every 32, so strides of 32 and more change banks.
__device__ inline unsigned at(unsigned k) { return k + k / 32; }

// v1, but for at().
__global__ void scan_tiles(const Value *in, size_t n, Value *out, Value *sums) {
  extern __shared__ Value s_data[]; // one per thread, and one after every 32
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
  s_data[at(tid)] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned half = 1; half < blockDim.x; half *= 2) {
    const unsigned last = (tid + 1) * 2 * half - 1;
    if (last < blockDim.x)
      s_data[at(last)] += s_data[at(last - half)];
    __syncthreads();
  }
  for (unsigned half = blockDim.x / 4; half > 0; half /= 2) {
    const unsigned last = (tid + 1) * 2 * half - 1;
    if (last + half < blockDim.x)
      s_data[at(last + half)] += s_data[at(last)];
    __syncthreads();
  }
  if (i < n)
    out[i] = s_data[at(tid)];
  if (tid == blockDim.x - 1)
    sums[blockIdx.x] = s_data[at(tid)];
}

inline void run_padded(Scan &p) {
  const auto scan = [&](unsigned tiles, const Value *in, size_t n, Value *out, Value *sums) {
    const int words = p.block + p.block / 32;
    scan_tiles<<<tiles, p.block, static_cast<size_t>(words) * sizeof(Value)>>>(in, n, out, sums);
  };
  const auto add = [&](unsigned tiles, const Value *sums, size_t n, Value *out) {
    v1::add_sums<<<tiles, p.block>>>(sums, n, out);
  };
  scan_by_levels(p.d_in.data(), p.n, p.d_out.data(), p.d_sums.data(), p.block, scan, add);
}

// v3's, but the sum of the tiles before is asked for at the beginning and not at the end.
__global__ void scan_tiles_early(const Value *in, size_t n, Value *out, const Value *sums) {
  __shared__ Value s_sums[32]; // one per warp
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Value before = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
  Value sum = warp_scan(i < n ? in[i] : 0);
  if (lane == 31)
    s_sums[warp] = sum;
  __syncthreads();
  if (warp == 0)
    s_sums[lane] = warp_scan(lane < blockDim.x / 32 ? s_sums[lane] : 0);
  __syncthreads();
  if (warp > 0)
    sum += s_sums[warp - 1];
  if (i < n)
    out[i] = before + sum;
}

inline void scan_early(const Value *in, size_t n, Value *out, Value *sums, int block) {
  const unsigned tiles = blocks_for(n, block);
  if (tiles > 1) {
    v3::sum_tiles<<<tiles, block>>>(in, n, sums);
    scan_early(sums, tiles, sums, sums + tiles, block);
    scan_tiles_early<<<tiles, block>>>(in, n, out, sums);
  } else {
    v3::scan_tiles<<<tiles, block>>>(in, n, out, sums);
  }
}

inline void run_early(Scan &p) {
  scan_early(p.d_in.data(), p.n, p.d_out.data(), p.d_sums.data(), p.block);
}

/// Only the launch that adds the tiles' sums: what v0, v1 and v2 have in common.
inline void run_add(Scan &p) {
  v1::add_sums<<<blocks_for(p.n, p.block), p.block>>>(p.d_sums.data(), p.n, p.d_out.data());
  LAB_CHECK_LAUNCH();
}

inline void run(lab::Demo &demo) {
  Scan p({.n = demo.n_or(demo.timed() ? 1u << 26 : 20011), .block = 256, .seed = demo.seed()});
  const auto row = [&](const char *key, const char *what, void (*work)(Scan &), bool check) {
    if (check)
      demo.check(p, [&] { work(p); });
    else
      work(p);
    demo.say("%-34s", what);
    const auto ms = [&] { return lab::measure([&] { work(p); }, {.reps = 11}).median_ms; };
    demo.say_timed(key, "  %8.4f ms\n", ms, "\n");
  };
  row("v0_ms", "v0: 8 rounds, two barriers in each", v0::run, true);
  row("v1_ms", "v1: 15 rounds, with conflicts", v1::run, true);
  row("padded_ms", "v1 without conflicts", run_padded, true);
  row("v2_ms", "v2: two barriers", v2::run, true);
  row("add_ms", "of each so far: adding the sums", run_add, false);
  row("v3_ms", "v3: three trips", v3::run, true);
  row("early_ms", "v3, its sum asked for first", run_early, true);
}

} // namespace demo_tree
