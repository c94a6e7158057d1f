// Keep the numbers below a limit, in their order, in one pass.
#pragma once

#include "problem.hpp"
#include "steps/v5_warp_looks_back.cuh"

namespace demo_compaction {

// Where does a number go? Before it are those kept by the tiles before (the look-back of v5 says how
// many), by the warps before (a scan), and by the lanes before (a ballot).
__global__ void keep_below(const unsigned *in,
                           size_t n,
                           unsigned limit,
                           unsigned *out,
                           unsigned *kept,
                           unsigned long long *words) {
  __shared__ unsigned s_kept[32]; // one per warp
  __shared__ unsigned s_before;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned tile = draw_tile(words);
  const size_t i = static_cast<size_t>(tile) * blockDim.x + threadIdx.x;
  const unsigned mine = i < n ? in[i] : limit;
  const unsigned keepers = __ballot_sync(all_lanes, mine < limit);
  if (lane == 0)
    s_kept[warp] = __popc(keepers);
  __syncthreads();

  if (warp == 0) {
    const unsigned of_warps = warp_scan(lane < blockDim.x / 32 ? s_kept[lane] : 0);
    s_kept[lane] = of_warps;
    const unsigned of_tile = __shfl_sync(all_lanes, of_warps, 31);
    const unsigned before = v5::look_back(words + 1, tile, of_tile);
    if (lane == 0) {
      s_before = before;
      if (tile == gridDim.x - 1)
        *kept = before + of_tile;
    }
  }
  __syncthreads();

  const unsigned before_warp = s_before + (warp > 0 ? s_kept[warp - 1] : 0);
  const unsigned before_lane = __popc(keepers & ((1u << lane) - 1));
  if (mine < limit)
    out[before_warp + before_lane] = mine;
}

inline void run(lab::Demo &demo) {
  const size_t n = demo.n_or(demo.timed() ? 1u << 26 : 100003);
  const unsigned limit = 1u << 31; // about half of them
  constexpr unsigned block = 256;
  std::vector<unsigned> h_in(n), expected;
  lab::fill_random(h_in.data(), n, demo.seed());
  for (unsigned value : h_in)
    if (value < limit)
      expected.push_back(value);
  const unsigned tiles = blocks_for(n, block);
  lab::DeviceBuffer<unsigned> d_in(h_in), d_out(n), d_kept(1);
  lab::DeviceBuffer<unsigned long long> d_words(1 + tiles);
  const auto work = [&] {
    LAB_CHECK(cudaMemsetAsync(d_words.data(), 0, d_words.bytes()));
    keep_below<<<tiles, block>>>(
        d_in.data(), n, limit, d_out.data(), d_kept.data(), d_words.data());
  };
  lab::poison(d_out);
  lab::poison(d_kept);
  work();
  LAB_CHECK_LAUNCH();
  demo.expect(
      lab::compare_value("numbers kept", d_kept.at(0), static_cast<unsigned>(expected.size())));
  std::vector<unsigned> kept = d_out.download();
  kept.resize(expected.size());
  demo.expect(lab::compare(kept, expected)); // in their order
  demo.say("kept %zu of %zu, in the order in which they stood\n", expected.size(), n);
  demo.say_timed(
      "ms", "%.4f ms\n", [&] { return lab::measure(work).median_ms; }, "");
}

} // namespace demo_compaction
