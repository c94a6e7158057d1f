// v6 and v7 change several things at once: what each of them brings, one at a time.
#pragma once

#include "problem.hpp"
#include "steps/block_look_back.cuh"
#include "steps/four_at_once.cuh"
#include "steps/v5_warp_looks_back.cuh"

#include <string>

namespace demo_shares {

// v5 with `turns` elements per thread: loads of 4 bytes, as before.
template <unsigned turns>
__global__ void narrow(const Value *in, size_t n, Value *out, unsigned long long *words) {
  __shared__ Value s_sums[32]; // one per warp
  __shared__ Value s_before;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned tile = draw_tile(words);
  const size_t first = (static_cast<size_t>(tile) * blockDim.x + warp * 32) * turns + lane;
  Value v[turns];
#pragma unroll
  for (unsigned k = 0; k < turns; ++k)
    v[k] = first + k * 32 < n ? in[first + k * 32] : 0;
  Value sum = 0; // of this warp, in the turns so far
#pragma unroll
  for (unsigned k = 0; k < turns; ++k) {
    v[k] = sum + warp_scan(v[k]);
    sum = __shfl_sync(all_lanes, v[k], 31);
  }
  if (lane == 31)
    s_sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    const Value of_warps = warp_scan(lane < blockDim.x / 32 ? s_sums[lane] : 0);
    s_sums[lane] = of_warps;
    const Value before = v5::look_back(words + 1, tile, __shfl_sync(all_lanes, of_warps, 31));
    if (lane == 0)
      s_before = before;
  }
  __syncthreads();
  const Value before_warp = s_before + (warp > 0 ? s_sums[warp - 1] : 0);
#pragma unroll
  for (unsigned k = 0; k < turns; ++k)
    if (first + k * 32 < n)
      out[first + k * 32] = before_warp + v[k];
}

// The same with loads of 16 bytes, as in v6; a warp looks back, or the block as in v7.
template <unsigned turns, bool block_looks, int most>
__global__ void __launch_bounds__(most)
    wide(const Value *in, size_t n, Value *out, unsigned long long *words) {
  __shared__ Value s_sums[32]; // one per warp
  __shared__ Value s_before;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned tile = draw_tile(words);
  const size_t first = (static_cast<size_t>(tile) * blockDim.x + warp * 32) * turns + lane;
  uint4 v[turns];
  load_turns(in, n, first, v);
  Value sum = 0; // of this warp, in the turns so far
#pragma unroll
  for (unsigned k = 0; k < turns; ++k) {
    v[k] = scan_four(v[k]);
    const Value up_to_here = warp_scan(v[k].w);
    v[k] = add_to_four(v[k], sum + up_to_here - v[k].w);
    sum += __shfl_sync(all_lanes, up_to_here, 31);
  }
  if (lane == 31)
    s_sums[warp] = sum;
  __syncthreads();
  Value before_warp;
  if (block_looks) {
    const Value of_warp = lane < blockDim.x / 32 ? s_sums[lane] : 0;
    const Value own = warp_sum(of_warp);
    if (threadIdx.x == 0)
      tell(words[1 + tile], {tile > 0 ? own_sum : sum_so_far, own});
    before_warp = warp_sum(lane < warp ? of_warp : 0) + look_back_as_block(words + 1, tile, own);
  } else {
    if (warp == 0) {
      const Value of_warps = warp_scan(lane < blockDim.x / 32 ? s_sums[lane] : 0);
      s_sums[lane] = of_warps;
      const Value before = v5::look_back(words + 1, tile, __shfl_sync(all_lanes, of_warps, 31));
      if (lane == 0)
        s_before = before;
    }
    __syncthreads();
    before_warp = s_before + (warp > 0 ? s_sums[warp - 1] : 0);
  }
#pragma unroll
  for (unsigned k = 0; k < turns; ++k)
    v[k] = add_to_four(v[k], before_warp);
  store_turns(out, n, first, v);
}

using Kernel = void (*)(const Value *, size_t, Value *, unsigned long long *);

struct Row {
  const char *name, *what;
  Kernel kernel;
  int block, per_thread; // elements
};

inline void run(lab::Demo &demo) {
  Scan p({.n = demo.n_or(demo.timed() ? 1u << 26 : 20011), .block = 256, .seed = demo.seed()});
  const Row rows[] = {
      {"v5", "v5: 1 load of 4 bytes", narrow<1>, 256, 1},
      {"narrow_4", "4 loads of 4 bytes", narrow<4>, 256, 4},
      {"narrow_16", "16 loads of 4 bytes", narrow<16>, 256, 16},
      {"wide_1", "1 load of 16 bytes", wide<1, false, 256>, 256, 4},
      {"v6", "v6: 4 loads of 16 bytes", wide<4, false, 256>, 256, 16},
      {"wide_8", "8 loads of 16 bytes", wide<8, false, 256>, 256, 32},
      {"block_4", "v6, and a block looks", wide<4, true, 256>, 256, 16},
      {"large_4", "v6, blocks of 1024", wide<4, false, 1024>, 1024, 16},
      {"large_8", "blocks of 1024, 8 loads", wide<8, false, 1024>, 1024, 32},
      {"large_4_block", "blocks of 1024, a block looks", wide<4, true, 1024>, 1024, 16},
      {"v7", "v7: all three", wide<8, true, 1024>, 1024, 32},
  };
  demo.say("%-30s  threads  tile, elements   tiles%s\n", "", demo.timed() ? "        ms" : "");
  for (const Row &row : rows) {
    const size_t tile = static_cast<size_t>(row.block) * static_cast<size_t>(row.per_thread);
    const unsigned tiles = blocks_for(p.n, tile);
    const auto work = [&] {
      forget_tiles(p, tiles);
      row.kernel<<<tiles, row.block>>>(p.d_in.data(), p.n, p.d_out.data(), p.d_words.data());
      LAB_CHECK_LAUNCH();
    };
    demo.check(p, work);
    demo.say("%-30s  %7d  %14zu  %6u", row.what, row.block, tile, tiles);
    const auto ms = [&] { return lab::measure(work, {.reps = 11}).median_ms; };
    demo.say_timed(std::string(row.name) + "_ms", "  %8.4f\n", ms, "\n");
  }
}

} // namespace demo_shares
