// One tile looks back at many that only know their own sums: by a thread, by a warp, by a block.
#pragma once

#include "problem.hpp"
#include "steps/block_look_back.cuh"
#include "steps/tile_states.cuh"
#include "steps/v4_look_back.cuh"
#include "steps/v5_warp_looks_back.cuh"

namespace demo_look_back {

__global__ void by_thread(unsigned long long *states, unsigned tile, Value own, Value *before) {
  *before = v4::look_back(states, tile, own);
}

__global__ void by_warp(unsigned long long *states, unsigned tile, Value own, Value *before) {
  const Value found = v5::look_back(states, tile, own);
  if (threadIdx.x == 0)
    *before = found;
}

__global__ void by_block(unsigned long long *states, unsigned tile, Value own, Value *before) {
  const Value found = look_back_as_block(states, tile, own);
  if (threadIdx.x == 0)
    *before = found;
}

inline unsigned long long word_of(unsigned status, Value sum) {
  return static_cast<unsigned long long>(status) << 32 | sum;
}

inline void run(lab::Demo &demo) {
  constexpr unsigned tile = 999, knows_all = 100; // a tile in between that knows of all before it
  std::vector<Value> sums(tile + 1);
  lab::fill_random(sums.data(), sums.size(), demo.seed());
  std::vector<unsigned long long> h_states(tile + 1, word_of(unknown, 0));
  Value before = 0;
  for (unsigned t = 0; t < tile; ++t) {
    before += sums[t];
    h_states[t] = t == knows_all ? word_of(sum_so_far, before) : word_of(own_sum, sums[t]);
  }
  lab::DeviceBuffer<unsigned long long> d_states(tile + 1);
  lab::DeviceBuffer<Value> d_before(1);
  demo.say("tile %u looks back; tile %u is the nearest that knows of all before it\n\n",
           tile,
           knows_all);

  // `at_once`: how many tiles are looked at in one trip to memory.
  const auto try_way = [&](const char *who, auto kernel, unsigned threads, unsigned at_once) {
    d_states.upload(h_states);
    lab::poison(d_before);
    kernel<<<1, threads>>>(d_states.data(), tile, sums[tile], d_before.data());
    LAB_CHECK_LAUNCH();
    demo.expect(lab::compare_value(who, d_before.at(0), before));
    const unsigned long long told = word_of(sum_so_far, before + sums[tile]);
    demo.expect(lab::compare_value("what it tells the others", d_states.at(tile), told));
    demo.say("  %-38s %4u trips to memory\n", who, blocks_for(tile - knows_all, at_once));
  };
  try_way("a thread, one tile after the other", by_thread, 1, 1);
  try_way("a warp, 32 at a time", by_warp, 32, 32);
  try_way("eight warps of a block, 256 at a time", by_block, 1024, 256);
}

} // namespace demo_look_back
