#pragma once

#include "steps/tree.cuh"
#include "steps/v3_peer_loads.cuh"
#include "steps/v5_sixteen_bytes.cuh"
#include "steps/v6_few_blocks.cuh"
#include "steps/v7_copy_engines.cuh"

#include <string>

namespace demo_sizes {

struct Way {
  const char *what, *key;
  void (*go)(Vectors &);
};

inline std::vector<Way> ways() {
  std::vector<Way> list = {
      {"v3", "v3", v3::run},
      {"v5", "v5", v5::run},
      {"v6", "v6", v6::run},
      {"v7", "v7", [](Vectors &p) { v7::by_copy_engines(p, v7::usual_parts); }},
      {"ring", "ring", ring::run},
      {"tree", "tree", tree::run}};
  if (void (*const rival)(Vectors &) = nccl_all_reduce())
    list.push_back({"NCCL", "nccl", rival});
  return list;
}

// v7's copies without its kernels: the same pieces in the same two streams of each rank. What they bring
// is no sum.
inline void copies_alone(Vectors &p, int parts) {
  const int ranks = p.ranks();
  p.team.fork();
  p.lanes.fork(p.team);
  for (int k = 0; k < parts; ++k)
    for (int rank = 0; rank < ranks; ++rank)
      for (int turn = 1; turn < ranks; ++turn) {
        const int other = (rank + turn) % ranks;
        const Share theirs = part_of(share_of(p.n, ranks, other), parts, k);
        const Share own = part_of(share_of(p.n, ranks, rank), parts, k);
        const int to = p.team.device(other), from = p.team.device(rank);
        LAB_CHECK(cudaMemcpyPeerAsync(p.slot(other, rank, theirs),
                                      to,
                                      p.in[rank].data() + theirs.first,
                                      from,
                                      theirs.length * sizeof(float),
                                      p.lanes.of(rank).send));
        LAB_CHECK(cudaMemcpyPeerAsync(p.out[other].data() + own.first,
                                      to,
                                      p.out[rank].data() + own.first,
                                      from,
                                      own.length * sizeof(float),
                                      p.lanes.of(rank).tell));
      }
  p.lanes.join(p.team);
  p.team.join();
}

// The median of some runs. Device 0 is held until the host has asked for everything: `holds` times 1 ms.
template <class Go> double run_us(Go &&go, Vectors &p, int holds = 1) {
  return lab::median_of(10, 2, [&] {
    for (int hold = 0; hold < holds; ++hold)
      hold_long(p);
    return 1e3 * lab::event_ms([&] { go(p); });
  });
}

// How long the host takes to ask for one run, in microseconds, while the devices are held.
template <class Go> double ask_us(Go &&go, Vectors &p, int holds) {
  for (int hold = 0; hold < holds; ++hold)
    hold_long(p);
  const double us = 1e3 * lab::host_ms([&] { go(p); });
  synchronize_all();
  return us;
}

// v7's vectors of 256 MiB in more or fewer parts; and the copies alone, of which none waits for another.
inline void show_parts(lab::Demo &demo) {
  Vectors all({.n = size_t{1} << 26});
  const double bytes = bus_bytes(static_cast<double>(all.bytes()), all.ranks());
  demo.say("256 MiB in parts          GB/s   copies alone   µs to ask for it\n");
  for (int parts = 1; parts <= static_cast<int>(most_parts); parts *= 2) {
    const auto go = [parts](Vectors &p) { v7::by_copy_engines(p, parts); };
    const auto copies = [parts](Vectors &p) { copies_alone(p, parts); };
    const int holds = 1 + parts; // ms; more than the host needs
    const double gbps = bytes / run_us(go, all, holds) * 1e-3;
    const double alone = bytes / run_us(copies, all, holds) * 1e-3;
    const double asking = ask_us(go, all, holds);
    demo.say("%16d %13.0f %14.0f %18.0f\n", parts, gbps, alone, asking);
    const std::string number = std::to_string(parts);
    demo.value("parts_" + number, gbps);
    demo.value("copies_" + number, alone);
    demo.value("ask_" + number + "_us", asking);
  }
}

inline void run(lab::Demo &demo) {
  for (size_t n : {size_t{1}, size_t{65}, size_t{10007}}) { // each way is right at any size
    Vectors p({.n = n, .seed = demo.seed()});
    for (const Way &way : ways())
      demo.check(p, [&] { way.go(p); });
  }
  if (!demo.timed() || !ranks_have_devices()) {
    demo.say("All ways are right. With two GPUs this prints their bus bandwidth, by size.\n");
    return;
  }
  show_parts(demo);
  demo.say("\nGB/s of bus bandwidth\n      KiB");
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
      demo.value(name, gbps);
      demo.value(name + "_us", us);
    }
    demo.say("\n");
  }
}

} // namespace demo_sizes
