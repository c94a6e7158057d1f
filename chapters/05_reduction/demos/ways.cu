#include "demos/ways.hpp"

#include "demos/ways_of_v1.cuh"
#include "demos/ways_of_v6.cuh"

namespace {

size_t size_of(lab::Demo &demo) { return demo.n_or(demo.timed() ? 1u << 28 : 100003); }

__global__ void nothing() {}

} // namespace

void compare_ways(lab::Demo &demo, Reduction &p, const std::vector<Way> &ways) {
  const std::vector<double> ms = lab::check_and_time(demo, p, ways);
  demo.say("%zu elements, %d threads per block\n\n", p.n, p.block);
  for (size_t i = 0; i < ways.size(); ++i) {
    demo.say("  %-52s", ways[i].text);
    demo.say_timed(ways[i].key, " %8.4f ms\n", [&] { return ms[i]; });
  }
}

void show_shares_of_v1(lab::Demo &demo) {
  Reduction p({.n = size_of(demo), .block = 256, .seed = demo.seed()});
  compare_ways(demo, p, ways_of_v1::all());
}

void show_shares_of_v6(lab::Demo &demo) {
  Reduction p({.n = size_of(demo), .block = 256, .seed = demo.seed()});
  compare_ways(demo, p, ways_of_v6::all());
}

void show_blocks_of_128(lab::Demo &demo) {
  Reduction p({.n = size_of(demo), .block = 128, .seed = demo.seed()});
  std::vector<Way> ways = ways_of_trees();
  const std::vector<Way> shares = ways_of_shares();
  ways.insert(ways.end(), shares.begin(), shares.begin() + 2); // v6 and v7
  compare_ways(demo, p, ways);

  // Blocks that do nothing, as many as v2 and as v3 launch.
  if (!demo.timed())
    return;
  for (const unsigned threads : {128u, 256u})
    for (const size_t per_block : {1, 2}) {
      const unsigned grid = blocks_for(p.n, per_block * threads);
      const double ms = lab::measure([&] { nothing<<<grid, threads>>>(); }).median_ms;
      demo.say("  %8u empty blocks of %u %32.4f ms\n", grid, threads, ms);
      demo.value("empty_" + std::to_string(threads) + "_" + std::to_string(per_block), ms);
    }
}
