// Questions that a warp answers in one instruction.
#pragma once

#include "problem.hpp"
#include "warp_scan.cuh"

namespace demo_votes {

struct Answers {
  unsigned any, all, ballot, alike, all_alike, sum, largest, bits;
};

// Every lane gets every answer; those that differ from lane to lane are kept of lane 0.
__global__ void ask(const unsigned *in, Answers *answers) {
  const unsigned mine = in[threadIdx.x];
  Answers a = {};
  a.any = __any_sync(all_lanes, mine > 6) != 0;
  a.all = __all_sync(all_lanes, mine > 6) != 0;
  a.ballot = __ballot_sync(all_lanes, mine > 6); // bit k: what lane k says
  a.alike = __match_any_sync(all_lanes, mine); // the lanes that have what I have
  int same = 0;
  a.all_alike = __match_all_sync(all_lanes, mine, &same); // all lanes, or none
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  a.sum = __reduce_add_sync(all_lanes, mine);
  a.largest = __reduce_max_sync(all_lanes, mine);
  a.bits = __reduce_or_sync(all_lanes, mine);
#else
  a.sum = a.largest = a.bits = mine;
  for (int offset = 16; offset > 0; offset /= 2) {
    a.sum += __shfl_xor_sync(all_lanes, a.sum, offset);
    a.largest = max(a.largest, __shfl_xor_sync(all_lanes, a.largest, offset));
    a.bits |= __shfl_xor_sync(all_lanes, a.bits, offset);
  }
#endif
  if (threadIdx.x == 0)
    *answers = a;
}

inline Answers ask_on_host(const std::vector<unsigned> &in) {
  Answers a = {0, 1, 0, 0, 0xffffffffu, 0, 0, 0};
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned mine = in[lane], bit = 1u << lane;
    a.any |= mine > 6;
    a.all &= mine > 6;
    a.ballot |= mine > 6 ? bit : 0;
    a.alike |= mine == in[0] ? bit : 0;
    a.all_alike = mine == in[0] ? a.all_alike : 0;
    a.sum += mine;
    a.largest = mine > a.largest ? mine : a.largest;
    a.bits |= mine;
  }
  return a;
}

inline void run(lab::Demo &demo) {
  std::vector<unsigned> h_in(32);
  for (unsigned lane = 0; lane < 32; ++lane)
    h_in[lane] = static_cast<unsigned>(lab::random_u64(demo.seed(), lane) % 10);
  lab::DeviceBuffer<unsigned> d_in(32);
  lab::DeviceBuffer<Answers> d_answers(1);
  d_in.upload(h_in);
  LAB_CHECK(cudaMemset(d_answers.data(), 0xCD, d_answers.bytes()));
  ask<<<1, 32>>>(d_in.data(), d_answers.data());
  LAB_CHECK_LAUNCH();
  const Answers a = d_answers.at(0), e = ask_on_host(h_in);

  demo.say("lanes 0 to 31:");
  for (unsigned value : h_in)
    demo.say(" %u", value);
  demo.say("\n\n");
  const auto line = [&](const char *call, unsigned actual, unsigned expected, bool as_bits) {
    demo.expect(lab::compare_value(call, actual, expected));
    demo.say(as_bits ? "%-30s %08x\n" : "%-30s %u\n", call, actual);
  };
  line("any: one above 6?", a.any, e.any, false);
  line("all: all of them?", a.all, e.all, false);
  line("ballot: which?", a.ballot, e.ballot, true);
  line("match_any: who is like lane 0?", a.alike, e.alike, true);
  line("match_all: are all alike?", a.all_alike, e.all_alike, true);
  line("reduce_add: their sum", a.sum, e.sum, false);
  line("reduce_max: the largest", a.largest, e.largest, false);
  line("reduce_or: all their bits", a.bits, e.bits, false);
}

} // namespace demo_votes
