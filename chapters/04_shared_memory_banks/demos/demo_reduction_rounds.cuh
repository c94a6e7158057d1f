#pragma once

#include "demos/demo_walk.hpp"

namespace demo_reduction_rounds {

// s_data[2 * distance * tid], as long as that lies inside the block.
inline Request doubling(unsigned distance, unsigned block) {
  Request request;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned index = 2 * distance * lane;
    request.index[lane] = index < block ? index : Request::idle;
  }
  return request;
}

// s_data[tid], for tid below the distance: as many lanes, side by side.
inline Request halving(unsigned distance) {
  Request request;
  for (unsigned lane = 0; lane < 32; ++lane)
    request.index[lane] = lane < distance ? lane : Request::idle;
  return request;
}

inline unsigned lanes_of(const Request &request) {
  unsigned lanes = 0;
  for (unsigned index : request.index)
    lanes += index != Request::idle;
  return lanes;
}

inline void run(lab::Demo &demo) {
  constexpr unsigned block = 1024;
  demo.say(
      "Lane k wants word s * k of %u, for s = 2, 4, 8, …; then as many lanes, side by side.\n\n",
      block);
  demo.say("%12s%8s", "words apart", "lanes");
  say_head(demo, "rounds");
  say_head(demo, "together");
  demo.say("\n");
  unsigned worst = 0;
  for (unsigned round = 0, distance = 1; distance < block; ++round, distance *= 2) {
    const Request old = doubling(distance, block);
    const std::string name = "round_" + std::to_string(round + 1);
    demo.say("%12u%8u", 2 * distance, lanes_of(old));
    const walk::Cost v1 = tried(demo, name + ".v1", old);
    const walk::Cost v2 = tried(demo, name + ".v2", halving(block / 2 / distance));
    say_cost(demo, v1);
    say_cost(demo, v2);
    demo.say("\n");
    worst = v1.predicted > worst ? v1.predicted : worst;
    demo.expect(v2.predicted == 1, "lanes side by side have no conflict");
  }
  demo.expect(worst == 32, "the worst stride is 32-way");
}

} // namespace demo_reduction_rounds
