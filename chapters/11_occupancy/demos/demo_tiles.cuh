// Who takes which readings? What leads from v6 to v9, one change at a time, with both kinds of blocks.
#pragma once

#include "problem.hpp"

#include <algorithm>
#include <string>

namespace demo_tiles {

enum class Walk { far, near, near_in_step, ticket };

/// far: a thread's loads lie a whole grid apart, as in v6. near: side by side, in tiles; block b takes
/// the tiles b, b + gridDim.x … near_in_step: the same with a barrier after each. ticket: tiles are drawn.
template <Walk walk, unsigned loads>
__global__ void calibrate(const unsigned *in,
                          size_t n,
                          const float *table,
                          float *out,
                          unsigned *tickets,
                          unsigned *taken) {
  extern __shared__ float s_table[]; // [entries]
  __shared__ unsigned s_next[2];
  for (unsigned i = threadIdx.x; i < entries; i += blockDim.x)
    s_table[i] = table[i];
  __syncthreads();

  const uint4 *in4 = reinterpret_cast<const uint4 *>(in);
  float4 *out4 = reinterpret_cast<float4 *>(out);
  const size_t tiles = n / 4 / (static_cast<size_t>(loads) * blockDim.x); // whole tiles only
  const size_t step = walk == Walk::far ? static_cast<size_t>(gridDim.x) * blockDim.x : blockDim.x;
  size_t tile = blockIdx.x;
  unsigned mine = 0; // tiles that this block has taken
#pragma unroll 1
  for (unsigned turn = 0; tile < tiles; turn ^= 1, ++mine) {
    if (walk == Walk::ticket && threadIdx.x == 0)
      s_next[turn] = gridDim.x + atomicAdd(tickets, 1u);
    const size_t i = walk == Walk::far
                         ? (tile - blockIdx.x) * blockDim.x * loads +
                               static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x
                         : tile * loads * blockDim.x + threadIdx.x;
    uint4 readings[loads];
#pragma unroll
    for (unsigned k = 0; k < loads; ++k)
      readings[k] = in4[i + k * step];
#pragma unroll
    for (unsigned k = 0; k < loads; ++k)
      out4[i + k * step] = {s_table[readings[k].x & code_mask],
                            s_table[readings[k].y & code_mask],
                            s_table[readings[k].z & code_mask],
                            s_table[readings[k].w & code_mask]};
    if (walk == Walk::near_in_step || walk == Walk::ticket)
      __syncthreads();
    tile = walk == Walk::ticket ? s_next[turn] : tile + gridDim.x;
  }
  if (threadIdx.x == 0)
    taken[blockIdx.x] = mine;
}

template <Walk walk, unsigned loads>
void row(lab::Demo &demo, Readings &p, const char *key, const char *what, int threads) {
  const Plan plan = {reinterpret_cast<const void *>(calibrate<walk, loads>),
                     threads,
                     entries * sizeof(float),
                     loads * 16};
  const unsigned fit = static_cast<unsigned>(blocks_per_sm(plan) * lab::choose_device().sm_count);
  const unsigned blocks = demo.timed() ? fit : 6;
  lab::DeviceBuffer<unsigned> d_taken(blocks);
  const auto work = [&] {
    LAB_CHECK(cudaMemsetAsync(p.d_tickets.data(), 0, p.d_tickets.bytes()));
    calibrate<walk, loads><<<blocks, threads, plan.shared>>>(
        p.d_in.data(), p.n, p.d_table.data(), p.d_out.data(), p.d_tickets.data(), d_taken.data());
    LAB_CHECK_LAUNCH();
  };
  const std::string name =
      std::string(key) + "_" + std::to_string(threads) + "_" + std::to_string(loads);
  demo.check(p, work);
  demo.say("%-34s  %4d  %u", what, threads, loads);
  if (demo.timed()) {
    const std::vector<unsigned> taken = d_taken.download();
    const auto [least, most] = std::minmax_element(taken.begin(), taken.end());
    const double ms = lab::measure(work, {.reps = 21}).median_ms;
    demo.say("  %8.4f ms  %6.0f GB/s", ms, 8e-6 * static_cast<double>(p.n) / ms);
    demo.say("  %u to %u tiles per block", *least, *most);
    demo.value(name + "_ms", ms);
    demo.value(name + "_least", *least);
    demo.value(name + "_most", *most);
  }
  demo.say("\n");
}

inline void run(lab::Demo &demo) {
  // A multiple of what all blocks take in one turn, of whatever kind.
  const size_t sms = static_cast<size_t>(lab::choose_device().sm_count);
  Readings p({.n = size_t{4} * 2048 * 6 * (demo.timed() ? sms * 22 : 1), .seed = demo.seed()});
  const auto all = [&]<int threads, unsigned loads>() {
    row<Walk::far, loads>(demo, p, "far", "loads a grid apart", threads);
    row<Walk::near, loads>(demo, p, "near", "loads side by side", threads);
    row<Walk::near_in_step, loads>(demo, p, "step", "and a barrier after each tile", threads);
    row<Walk::ticket, loads>(demo, p, "ticket", "and tiles drawn by ticket", threads);
  };
  all.operator()<256, 4>();
  all.operator()<512, 2>();
}

} // namespace demo_tiles
