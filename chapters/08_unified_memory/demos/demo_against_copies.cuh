#pragma once

#include "problem.hpp"
#include "steps/copies_in_parts.cuh"
#include "steps/v1_pinned_copies.cuh"
#include "steps/v4_prefetch.cuh"
#include "steps/v5_result_stays_home.cuh"
#include "steps/v6_one_moves_ahead.cuh"
#include "steps/v7_all_stay_home.cuh"

namespace demo_against_copies {

struct Way {
  const char *name, *key;
  void (*before)(VectorSum &);
  void (*run)(VectorSum &);
};
constexpr Way ways[] = {
    {"explicit copies (v1)", "copies", bring_home, v1::run},
    {"copies in parts", "parts", bring_home, copies_in_parts::run},
    {"prefetch (v4)", "prefetch", bring_home, v4::run},
    {"prefetch, advice for c (v5)", "one_advised", v5::advise_result, v5::run},
    {"prefetch, advice for b and c (v6)", "two_advised", v6::advise_b_and_result, v6::run},
    {"advice for a, b and c (v7)", "all_advised", v7::advise_all, v7::run},
};

// Each way in turn, so that whatever changes meanwhile changes for all of them.
inline void run(lab::Demo &demo) {
  VectorSum p(lab::Case{demo.timed() ? size_t{1} << 25 : 1000, 256, demo.seed()});
  constexpr size_t count = std::size(ways);
  std::vector<double> times[count];
  for (int turn = 0; turn < (demo.timed() ? 9 : 1); ++turn)
    for (size_t way = 0; way < count; ++way) {
      p.prepare();
      ways[way].before(p);
      times[way].push_back(lab::event_ms([&] { ways[way].run(p); }));
      demo.expect(p.check());
    }
  demo.say("from host memory to host memory, %s a vector\n\n",
           lab::size_text(static_cast<double>(p.bytes())).c_str());
  const double copies = lab::summarize(times[0]).median_ms;
  const double parts = lab::summarize(times[1]).median_ms; // the best that copies can do
  for (size_t way = 0; way < count; ++way) {
    if (!demo.timed()) {
      demo.say("%s\n", ways[way].name);
      continue;
    }
    const double ms = lab::summarize(times[way]).median_ms;
    demo.say("%-36s%9.2f ms%8.2f of v1's time%8.2f of the parts'\n",
             ways[way].name,
             ms,
             ms / copies,
             ms / parts);
    demo.value(std::string(ways[way].key) + "_ms", ms);
    demo.value(std::string(ways[way].key) + "_against_copies", ms / copies);
    demo.value(std::string(ways[way].key) + "_against_parts", ms / parts);
  }
  if (!demo.timed())
    demo.say("\nOn a GPU this prints how long each takes, and what part of the copies' time.\n");
}

} // namespace demo_against_copies
