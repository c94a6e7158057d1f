// Questions that a warp answers in one instruction.
#pragma once

#include "problem.hpp"
#include "steps/warp_scan.cuh"

namespace demo_votes {

enum Answer : unsigned { any, all, ballot, alike, all_alike, sum, largest, bits, answers };

// Every lane gets every answer; lane 0 writes them down.
__global__ void ask(const unsigned *in, unsigned *out) {
  const unsigned mine = in[threadIdx.x];
  unsigned a[answers];
  a[any] = __any_sync(all_lanes, mine > 6) != 0;
  a[all] = __all_sync(all_lanes, mine > 6) != 0;
  a[ballot] = __ballot_sync(all_lanes, mine > 6); // bit k: what lane k says
  a[alike] = __match_any_sync(all_lanes, mine); // the lanes that have what I have
  int same = 0;
  a[all_alike] = __match_all_sync(all_lanes, mine, &same); // all lanes, or none
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  a[sum] = __reduce_add_sync(all_lanes, mine);
  a[largest] = __reduce_max_sync(all_lanes, mine);
  a[bits] = __reduce_or_sync(all_lanes, mine);
#else
  a[sum] = a[largest] = a[bits] = mine;
  for (int offset = 16; offset > 0; offset /= 2) {
    a[sum] += __shfl_xor_sync(all_lanes, a[sum], offset);
    a[largest] = max(a[largest], __shfl_xor_sync(all_lanes, a[largest], offset));
    a[bits] |= __shfl_xor_sync(all_lanes, a[bits], offset);
  }
#endif
  if (threadIdx.x == 0)
    for (unsigned k = 0; k < answers; ++k)
      out[k] = a[k];
}

inline std::vector<unsigned> ask_on_host(const std::vector<unsigned> &in) {
  std::vector<unsigned> a(answers, 0);
  a[all] = 1;
  a[all_alike] = 0xffffffffu;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned mine = in[lane], bit = 1u << lane;
    a[any] |= mine > 6;
    a[all] &= mine > 6;
    a[ballot] |= mine > 6 ? bit : 0;
    a[alike] |= mine == in[0] ? bit : 0;
    a[all_alike] = mine == in[0] ? a[all_alike] : 0;
    a[sum] += mine;
    a[largest] = mine > a[largest] ? mine : a[largest];
    a[bits] |= mine;
  }
  return a;
}

inline void run(lab::Demo &demo) {
  std::vector<unsigned> h_in(32);
  for (unsigned lane = 0; lane < 32; ++lane)
    h_in[lane] = static_cast<unsigned>(lab::random_u64(demo.seed(), lane) % 10);
  lab::DeviceBuffer<unsigned> d_in(h_in), d_out(answers);
  lab::poison(d_out);
  ask<<<1, 32>>>(d_in.data(), d_out.data());
  LAB_CHECK_LAUNCH();
  const std::vector<unsigned> a = d_out.download();
  demo.expect(lab::compare(a, ask_on_host(h_in)));

  demo.say("lanes 0 to 31:");
  for (unsigned value : h_in)
    demo.say(" %u", value);
  demo.say("\n\n");
  const auto line = [&](const char *call, Answer answer, bool as_bits) {
    demo.say(as_bits ? "%-30s %08x\n" : "%-30s %u\n", call, a[answer]);
  };
  line("any: one above 6?", any, false);
  line("all: all of them?", all, false);
  line("ballot: which?", ballot, true);
  line("match_any: who is like lane 0?", alike, true);
  line("match_all: are all alike?", all_alike, true);
  line("reduce_add: their sum", sum, false);
  line("reduce_max: the largest", largest, false);
  line("reduce_or: all their bits", bits, false);
}

} // namespace demo_votes
