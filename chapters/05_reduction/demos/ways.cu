#include "demos/ways.hpp"

#include "common/timer.hpp"
#include "demos/ways_of_v1.cuh"
#include "demos/ways_of_v12.cuh"
#include "demos/ways_of_v6.cuh"

#include <utility>

namespace {

size_t size_of(lab::Demo &demo) {
  return demo.n_or(demo.quick() || lab::on_emulator() ? 100003 : 1u << 28);
}

__global__ void nothing() {}

} // namespace

void compare_ways(lab::Demo &demo, Reduction &p, const std::vector<Way> &ways) {
  const bool timed = !lab::on_emulator() && !demo.quick();
  std::vector<std::pair<const Way *, Reduction *>> bound;
  for (const Way &way : ways) {
    p.prepare();
    way.before(p);
    way.run(p);
    LAB_CHECK_LAUNCH();
    demo.expect(p.check());
    bound.push_back({&way, &p});
  }
  std::vector<lab::Contender> contenders;
  using Bound = std::pair<const Way *, Reduction *>;
  for (Bound &entry : bound)
    contenders.push_back({[](void *context) {
                            const Bound &b = *static_cast<Bound *>(context);
                            b.first->run(*b.second);
                          },
                          &entry,
                          [](void *context) {
                            const Bound &b = *static_cast<Bound *>(context);
                            b.first->before(*b.second);
                          }});
  std::vector<lab::Timing> times;
  if (timed)
    times = lab::measure_interleaved(contenders);
  demo.say("%zu elements, %d threads per block\n\n", p.n, p.block);
  for (size_t i = 0; i < ways.size(); ++i) {
    if (!timed) {
      demo.say("  %-52s right\n", ways[i].text);
      continue;
    }
    demo.say("  %-52s %8.4f ms\n", ways[i].text, times[i].median_ms);
    demo.value(ways[i].key, times[i].median_ms);
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

void show_no_gain(lab::Demo &demo) {
  Reduction p({.n = size_of(demo), .block = 256, .seed = demo.seed()});
  compare_ways(demo, p, ways_of_v12::all());
}

void show_blocks_of_128(lab::Demo &demo) {
  Reduction p({.n = size_of(demo), .block = 128, .seed = demo.seed()});
  std::vector<Way> ways = ways_of_trees();
  const std::vector<Way> shares = ways_of_shares();
  ways.insert(ways.end(), shares.begin(), shares.begin() + 2); // v6 and v7
  compare_ways(demo, p, ways);

  // Blocks that do nothing, as many as v2 and as v3 launch.
  if (lab::on_emulator() || demo.quick())
    return;
  for (const unsigned threads : {128u, 256u})
    for (const size_t per_block : {1, 2}) {
      const unsigned grid = blocks_for(p.n, per_block * threads);
      const double ms = lab::measure([&] { nothing<<<grid, threads>>>(); }).median_ms;
      demo.say("  %8u empty blocks of %u %32.4f ms\n", grid, threads, ms);
      demo.value(("empty_" + std::to_string(threads) + "_" + std::to_string(per_block)).c_str(),
                 ms);
    }
}
