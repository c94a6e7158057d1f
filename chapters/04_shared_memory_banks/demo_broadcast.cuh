#pragma once

#include "demo_walk.hpp"

namespace demo_broadcast {

inline Request request_of(unsigned (*index_of)(unsigned lane)) {
  Request request;
  for (unsigned lane = 0; lane < 32; ++lane)
    request.index[lane] = index_of(lane);
  return request;
}

struct Pattern {
  const char *name;
  const char *what;
  unsigned (*index_of)(unsigned lane);
  unsigned rounds; // what the lesson says
};

constexpr Pattern patterns[] = {
    {"neighbours", "lane k reads word k", [](unsigned lane) { return lane; }, 1},
    {"backwards", "lane k reads word 31 - k", [](unsigned lane) { return 31 - lane; }, 1},
    {"shuffled",
     "any order of 32 neighbours",
     [](unsigned lane) { return (7 * lane + 3) % 32; },
     1},
    {"one_word", "all lanes read one word", [](unsigned) { return 5u; }, 1},
    {"two_banks", "half read word 0, half word 1", [](unsigned lane) { return lane % 2; }, 1},
    {"two_words", "half read word 0, half word 32", [](unsigned lane) { return lane % 2 * 32; }, 2},
    {"pairs", "lanes 2k and 2k + 1 read word k", [](unsigned lane) { return lane / 2; }, 1},
    {"one_stray", "word k, but lane 31 reads word 32", [](unsigned k) { return k + k / 31; }, 2},
    {"column", "lane k reads word 32 k", [](unsigned lane) { return 32 * lane; }, 32},
};

inline void run(lab::Demo &demo) {
  demo.say("%-34s", "");
  say_head(demo, "rounds");
  demo.say("\n");
  for (const Pattern &pattern : patterns) {
    const walk::Cost cost = tried(demo, pattern.name, request_of(pattern.index_of));
    demo.expect(cost.predicted == pattern.rounds, pattern.what);
    demo.say("%-34s", pattern.what);
    say_cost(demo, cost);
    demo.say("\n");
  }
  demo.say("\nLanes that want the same word share a round.\n"
           "Lanes that want two words of one bank do not.\n");
}

} // namespace demo_broadcast
