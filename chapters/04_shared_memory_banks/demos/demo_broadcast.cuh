#pragma once

#include "demos/demo_walk.hpp"

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

struct WidePattern {
  const char *name;
  const char *what;
  unsigned (*index_of)(unsigned lane);
  unsigned rounds_8, rounds_16; // what the lesson says
};

constexpr WidePattern wide_patterns[] = {
    {"neighbours", "lane k reads element k", [](unsigned lane) { return lane; }, 2, 4},
    {"one", "all lanes read one element", [](unsigned) { return 5u; }, 1, 2},
    {"pairs", "lanes 2k and 2k + 1 read element k", [](unsigned lane) { return lane / 2; }, 1, 2},
    {"two_apart",
     "lanes two apart read the same",
     [](unsigned lane) { return lane % 2 + lane / 4 * 2; },
     1,
     2},
    {"eight_apart",
     "lanes eight apart read the same",
     [](unsigned lane) { return lane % 8; },
     2,
     4},
    {"half_a_warp_apart",
     "lanes sixteen apart read the same",
     [](unsigned lane) { return lane % 16; },
     2,
     4},
    {"pairs_far_apart",
     "pairs, each eight elements further on",
     [](unsigned lane) { return lane / 2 * 8; },
     8,
     16},
};

inline void run_wide(lab::Demo &demo) {
  demo.say("\n%-36s", "");
  say_head(demo, "8 bytes");
  say_head(demo, "16 bytes");
  demo.say("\n");
  for (const WidePattern &pattern : wide_patterns) {
    const Request request = request_of(pattern.index_of);
    demo.say("%-36s", pattern.what);
    for (const unsigned bytes : {8u, 16u}) {
      const std::string name = pattern.name + std::string(bytes == 8 ? ".bytes_8" : ".bytes_16");
      const walk::Cost cost = tried(demo, name, request, bytes);
      const unsigned expected = bytes == 8 ? pattern.rounds_8 : pattern.rounds_16;
      demo.expect(cost.predicted == expected, pattern.what);
      say_cost(demo, cost);
    }
    demo.say("\n");
  }
}

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
  run_wide(demo);
}

} // namespace demo_broadcast
