#pragma once

#include "demos/demo_scaling.cuh"
#include "problem.hpp"

namespace demo_halo {

struct Row {
  const char *what, *key;
  Order order;
};
constexpr Row orders[] = {{"all rows, then tell", "all", Order::all_then_tell},
                          {"edges first, tell beside the inside", "edges", Order::edges_first}};

inline void run(lab::Demo &demo) {
  if (demo.timed()) {
    for (const size_t edge : {size_t{1024}, size_t{4096}, size_t{16384}}) {
      demo.say("%zu x %zu, µs per step\n", edge, edge);
      for (const Row &row : orders) {
        Plate plate(0, edge, edge, demo.seed());
        const double us = 1e3 * demo_scaling::step_ms(plate, row.order);
        demo.say("  %-38s %8.1f\n", row.what, us);
        demo.value(std::string(row.key) + "_" + std::to_string(edge) + "_us", us);
      }
    }
    demo.say("\n");
  }
  const unsigned turns = lab::being_observed() ? 3 : 30; // of two steps, on average
  for (const Row &row : orders)
    for (const size_t band : {size_t{2}, size_t{5}}) { // two rows each: nothing is inside
      const size_t rows = band * devices_of_ranks().size();
      Plate plate(0, rows, 70, demo.seed());
      for (unsigned turn = 0; turn < turns; ++turn) {
        draw_order(turn + 1); // on the emulator, another one each time
        plate.go(1 + turn % 3, row.order);
      }
      const lab::Verdict verdict = lab::compare(
          plate.download(), plate_on_host(rows, 70, demo.seed(), 2 * static_cast<int>(turns)));
      draw_order(0);
      if (band == 5)
        demo.say("%-36s %u steps on %d devices: %s\n",
                 row.what,
                 2 * turns,
                 plate.ranks(),
                 verdict.ok ? "as on the host" : "WRONG");
      demo.expect(verdict);
    }
}

} // namespace demo_halo
