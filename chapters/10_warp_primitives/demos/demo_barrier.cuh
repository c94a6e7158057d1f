// A barrier as an object: for some warps of a block, and with work between arriving and waiting.
#pragma once

#include "problem.hpp"
#include "steps/warp_scan.cuh"

#include <cuda/barrier>

#include <utility>

#ifndef BUILD_FIRST_EMULATOR
#pragma nv_diag_suppress static_var_with_dynamic_init // init() below does it
#endif

namespace demo_barrier {

constexpr unsigned team = 128; // threads: 4 warps, which wait for each other and for nobody else
constexpr unsigned teams = 2; // of a block
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Each team scans its own `rounds` tiles of 128 values. The other team may be rounds ahead.
__global__ void scan_tiles(const Value *in, unsigned rounds, Value *out) {
  __shared__ Barrier s_barriers[teams];
  __shared__ Value s_sums[teams][2][team / 32]; // one per warp; two rounds in turns
  const unsigned mine = threadIdx.x / team; // my team
  const unsigned tid = threadIdx.x % team, lane = tid % 32, warp = tid / 32;
  if (tid == 0)
    init(&s_barriers[mine], team); // so many have to arrive before anybody passes
  __syncthreads();

  for (unsigned round = 0; round < rounds; ++round) {
    const size_t i = (static_cast<size_t>(round) * teams + mine) * team + tid;
    const Value value = in[i];
    const Value of_warp = warp_sum(value);
    if (lane == 0)
      s_sums[mine][round % 2][warp] = of_warp;
    Barrier::arrival_token token = s_barriers[mine].arrive(); // "my sum is there"
    Value sum = warp_scan(value); // needs nobody else: done while the others arrive
    s_barriers[mine].wait(std::move(token)); // "now I need theirs"
    for (unsigned w = 0; w < warp; ++w)
      sum += s_sums[mine][round % 2][w];
    out[i] = sum;
  }
}

inline void run(lab::Demo &demo) {
  const unsigned rounds = 5;
  const size_t n = static_cast<size_t>(rounds) * teams * team;
  std::vector<Value> h_in(n), expected(n);
  lab::fill_random(h_in.data(), n, demo.seed());
  for (size_t i = 0; i < n; ++i)
    expected[i] = h_in[i] + (i % team > 0 ? expected[i - 1] : 0);
  lab::DeviceBuffer<Value> d_in(h_in), d_out(n);
  lab::poison(d_out);
  scan_tiles<<<1, teams * team>>>(d_in.data(), rounds, d_out.data());
  LAB_CHECK_LAUNCH();
  demo.expect(lab::compare(d_out.download(), expected));
  demo.say(
      "%u tiles of %u values, scanned by %u teams of a block, each with a barrier of its own\n",
      rounds * teams,
      team,
      teams);
}

} // namespace demo_barrier
