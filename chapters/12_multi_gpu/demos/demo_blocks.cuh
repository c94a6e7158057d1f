#pragma once

#include "problem.hpp"
#include "steps/v4_each_its_share.cuh"
#include "steps/v5_sixteen_bytes.cuh"
#include "steps/v6_few_blocks.cuh"

#include <string>

namespace demo_blocks {

struct Way {
  const char *what, *key;
  void (*kernel)(Everyone, size_t first, size_t n);
};
constexpr Way ways[] = {{"4 B (v4)", "v4", v4::add_up},
                        {"16 B (v5)", "v5", v5::add_up},
                        {"4 x 16 B (v6)", "v6", v6::add_up}};

inline void go(Vectors &p, const Way &way, unsigned blocks) {
  const Everyone e = everyone(p);
  p.team.fork();
  for (int rank = 0; rank < p.ranks(); ++rank) {
    const OnDevice current(p.team.device(rank));
    const Share share = share_of(p.n, p.ranks(), rank);
    way.kernel<<<blocks, v6::threads, 0, p.team.stream(rank)>>>(e, share.first, share.length);
    LAB_CHECK_LAUNCH();
  }
  p.team.join();
}

inline void run(lab::Demo &demo) {
  Vectors small({.n = 10007, .seed = demo.seed()});
  for (const Way &way : ways)
    for (unsigned blocks : {1u, 3u})
      demo.check(small, [&] { go(small, way, blocks); });
  if (!demo.timed()) {
    demo.say("All are right. On GPUs this prints their bus bandwidth, by the number of blocks.\n");
    return;
  }
  Vectors p({.n = size_t{1} << 26, .seed = demo.seed()});
  demo.say("GB/s of bus bandwidth, blocks of %u threads on each device\n\n   blocks", v6::threads);
  for (const Way &way : ways)
    demo.say("%16s", way.what);
  for (unsigned blocks = 4; blocks <= 512; blocks *= 2) {
    demo.say("\n%9u", blocks);
    for (const Way &way : ways) {
      const double ms = lab::measure([&] { go(p, way, blocks); }, {.reps = 7}).median_ms;
      const double gbps = bus_bytes(static_cast<double>(p.bytes()), p.ranks()) / ms * 1e-6;
      demo.say("%16.1f", gbps);
      demo.value(std::string(way.key) + "_" + std::to_string(blocks), gbps);
    }
  }
  demo.say("\n");
}

} // namespace demo_blocks
