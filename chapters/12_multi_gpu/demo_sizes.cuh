#pragma once

#include "nccl_rival.hpp"
#include "ring.cuh"
#include "v3_peer_loads.cuh"
#include "v5_sixteen_bytes.cuh"
#include "v6_few_blocks.cuh"
#include "v7_copy_engines.cuh"

#include <string>

namespace demo_sizes {

struct Way {
  const char *what, *key;
  void (*go)(Vectors &);
};

inline std::vector<Way> ways() {
  std::vector<Way> list = {{"v3", "v3", v3::run},
                           {"v5", "v5", v5::run},
                           {"v6", "v6", v6::run},
                           {"v7", "v7", [](Vectors &p) { v7::by_copy_engines(p, 4); }},
                           {"ring", "ring", ring::run}};
  if (void (*const rival)(Vectors &) = nccl_all_reduce())
    list.push_back({"NCCL", "nccl", rival});
  return list;
}

template <class Go> double run_us(Go &&go, Vectors &p) {
  std::vector<double> times;
  lab::EventTimer timer;
  for (int turn = 0; turn < 12; ++turn) {
    hold_long(p);
    timer.start();
    go(p);
    timer.stop();
    if (const double ms = static_cast<double>(timer.ms()); turn > 1) // two warm up
      times.push_back(1e3 * ms);
  }
  return lab::summarize(times).median_ms;
}

inline void run(lab::Demo &demo) {
  for (size_t n : {size_t{1}, size_t{65}, size_t{10007}}) { // each way is right at any size
    Vectors p({.n = n, .seed = demo.seed()});
    for (const Way &way : ways()) {
      p.prepare();
      way.go(p);
      demo.expect(p.check());
    }
  }
  if (lab::on_emulator() || demo.quick() || !ranks_have_devices()) {
    demo.say("All ways are right. With two GPUs this prints their bus bandwidth, by size.\n");
    return;
  }
  Vectors all({.n = size_t{1} << 26}); // 256 MiB in more or fewer parts
  demo.say("v7, 256 MiB in parts, GB/s of bus bandwidth:");
  for (int parts = 1; parts <= static_cast<int>(most_parts); parts *= 2) {
    const double us = run_us([parts](Vectors &p) { v7::by_copy_engines(p, parts); }, all);
    const double gbps = bus_bytes(static_cast<double>(all.bytes()), all.ranks()) / us * 1e-3;
    demo.say("  %d: %.0f", parts, gbps);
    demo.value(("parts_" + std::to_string(parts)).c_str(), gbps);
  }
  demo.say("\n\nGB/s of bus bandwidth\n      KiB");
  for (const Way &way : ways())
    demo.say("%9s", way.what);
  demo.say("\n");
  for (size_t bytes = 4096; bytes <= size_t{1} << 28; bytes *= 4) {
    Vectors p({.n = bytes / sizeof(float)});
    demo.say("%9zu", bytes / 1024);
    for (const Way &way : ways()) {
      p.prepare();
      const double us = run_us(way.go, p);
      demo.expect(p.check());
      const double gbps = bus_bytes(static_cast<double>(bytes), p.ranks()) / us * 1e-3;
      demo.say("%9.1f", gbps);
      const std::string name = std::string(way.key) + "_" + std::to_string(bytes / 1024);
      demo.value(name.c_str(), gbps);
      demo.value((name + "_us").c_str(), us);
    }
    demo.say("\n");
  }
}

} // namespace demo_sizes
