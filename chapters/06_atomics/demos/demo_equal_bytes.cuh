// All bytes are equal: all lanes of a warp want one count.
#pragma once

#include "steps/v2_shared_bins.cuh"
#include "steps/v3_sixteen_bytes.cuh"
#include "steps/v4_copy_per_warp.cuh"
#include "steps/v5_column_per_lane.cuh"
#include "steps/v6_loads_in_flight.cuh"
#include "steps/v7_streaming_loads.cuh"

namespace demo_equal_bytes {

struct Way {
  const char *name;
  void (*run)(Histogram &);
};

inline void run(lab::Demo &demo) {
  Histogram p(
      {.n = demo.n_or(demo.timed() ? 1u << 30 : 100003), .block = 512, .seed = demo.seed()});
  std::vector<Way> ways = {{"v2_shared_bins", v2::run},
                           {"v3_sixteen_bytes", v3::run},
                           {"v4_copy_per_warp", v4::run},
                           {"v5_column_per_lane", v5::run},
                           {"v6_loads_in_flight", v6::run},
                           {"v7_streaming_loads", v7::run}};
#ifndef BUILD_FIRST_EMULATOR
  allocate_for_cub(p);
  ways.push_back({"cub_device_histogram", run_cub});
#endif
  const std::vector<double> random = lab::check_and_time(demo, p, ways);
  make_all_equal(p);
  const std::vector<double> equal = lab::check_and_time(demo, p, ways);
  if (!demo.timed()) {
    demo.say("%zu random and %zu equal bytes: %zu ways, all right\n", p.n, p.n, ways.size());
    return;
  }
  demo.say("%zu bytes, %d threads per block\n\n", p.n, p.block);
  demo.say("%-24s %12s %12s\n", "", "random", "equal");
  for (size_t i = 0; i < ways.size(); ++i) {
    demo.say("%-24s %9.4f ms %9.4f ms\n", ways[i].name, random[i], equal[i]);
    demo.value(std::string(ways[i].name) + "_random", random[i]);
    demo.value(ways[i].name, equal[i]);
  }
  demo.value("times_cub", equal.back() / equal[5]);
}

} // namespace demo_equal_bytes
