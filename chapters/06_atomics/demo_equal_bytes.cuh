// The worst input of a histogram: all bytes are equal, and all threads want the same count.
#pragma once

#include "cub_rival.hpp"
#include "lab/timer.hpp"
#include "v2_shared_bins.cuh"
#include "v3_sixteen_bytes.cuh"
#include "v4_copy_per_warp.cuh"
#include "v5_column_per_lane.cuh"
#include "v6_loads_in_flight.cuh"

namespace demo_equal_bytes {

struct Way {
  const char *name;
  void (*run)(Histogram &);
};

#ifdef BUILD_FIRST_EMULATOR
constexpr bool with_cub = false;
#else
constexpr bool with_cub = true;
#endif

inline void run(lab::Demo &demo) {
  const bool timed = !lab::on_emulator() && !demo.quick();
  Histogram p({.n = demo.n_or(timed ? 1u << 30 : 100003), .block = 512, .seed = demo.seed()});
  make_all_equal(p);
  std::vector<Way> ways = {{"v2_shared_bins", v2::run},
                           {"v3_sixteen_bytes", v3::run},
                           {"v4_copy_per_warp", v4::run},
                           {"v5_column_per_lane", v5::run},
                           {"v6_loads_in_flight", v6::run}};
#ifndef BUILD_FIRST_EMULATOR
  allocate_for_cub(p);
  ways.push_back({"cub_device_histogram", run_cub});
#endif
  std::vector<lab::Contender> contenders;
  std::vector<std::pair<Way, Histogram *>> bound;
  for (const Way &way : ways) {
    p.prepare();
    way.run(p);
    LAB_CHECK_LAUNCH();
    demo.expect(p.check());
    bound.push_back({way, &p});
  }
  if (!timed) {
    demo.say("%zu equal bytes: %zu ways, all right. A GPU shows the times.\n", p.n, ways.size());
    return;
  }
  for (auto &entry : bound)
    contenders.push_back({[](void *context) {
                            auto *e = static_cast<std::pair<Way, Histogram *> *>(context);
                            e->first.run(*e->second);
                          },
                          &entry});
  const std::vector<lab::Timing> times = lab::measure_interleaved(contenders);
  demo.say("%zu equal bytes, %d threads a block\n\n", p.n, p.block);
  for (size_t i = 0; i < ways.size(); ++i) {
    demo.say("%-24s %8.4f ms\n", ways[i].name, times[i].median_ms);
    demo.value(ways[i].name, times[i].median_ms);
  }
  if (with_cub)
    demo.value("times_cub", times.back().median_ms / times[4].median_ms);
}

} // namespace demo_equal_bytes
