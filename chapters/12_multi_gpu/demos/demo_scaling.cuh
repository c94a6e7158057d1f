#pragma once

#include "demos/heat.hpp"

#include <cmath>

namespace demo_scaling {

// Milliseconds of a step, the median of some runs of several steps each.
inline double step_ms(Plate &plate, Order order) {
  constexpr int steps = 20;
  return lab::median_of(6, 1, [&] {
    for (int hold = 0; hold < 60 * plate.ranks(); ++hold) // until the host has asked for all
      lab::hold_device();
    return lab::event_ms([&] { plate.go(steps, order); }) / steps;
  });
}

// The same plate by ever more devices, or a plate that grows with them.
inline void show(lab::Demo &demo, const char *key, size_t rows, size_t cols, bool grows) {
  double alone = 0;
  for (int ranks = 1; ranks <= static_cast<int>(devices_of_ranks().size()); ranks *= 2) {
    const size_t all_rows = grows ? rows * static_cast<size_t>(ranks) : rows;
    Plate plate(ranks, all_rows, cols, demo.seed());
    const double ms = step_ms(plate, Order::edges_first);
    alone = ranks == 1 ? ms : alone;
    const double gain = grows ? alone / ms * ranks : alone / ms;
    const double points = static_cast<double>(all_rows * cols);
    demo.say("%7d  %6zu x %-6zu %9.4f %10.1f %9.2f %9.0f %%\n",
             ranks,
             all_rows,
             cols,
             ms,
             points / ms * 1e-6,
             gain,
             100 * gain / ranks);
    const std::string name = std::string(key) + "_" + std::to_string(ranks);
    demo.value(name + "_ms", ms);
    demo.value(name + "_faster", gain);
    demo.value(name + "_percent", 100 * gain / ranks);
  }
}

// What more devices leave of the work of each, and what they add: counted.
inline void show_counts(lab::Demo &demo, size_t rows, size_t cols) {
  demo.say("devices   points of each   of them told in a step   bytes over a device's links\n");
  for (int ranks = 1; ranks <= static_cast<int>(devices_of_ranks().size()); ++ranks) {
    const size_t all_rows = rows / static_cast<size_t>(ranks) * static_cast<size_t>(ranks);
    Plate plate(ranks, all_rows, cols, demo.seed());
    const size_t bytes = plate.bytes_told(ranks / 2);
    const double each = static_cast<double>(all_rows * cols) / ranks;
    demo.say("%7d %16.0f %22.1f %% %25zu\n",
             ranks,
             each,
             100.0 * static_cast<double>(bytes) / sizeof(float) / each,
             bytes);
    plate.go(3, Order::edges_first);
    demo.expect(lab::compare(plate.download(), plate_on_host(all_rows, cols, demo.seed(), 3)));
  }
}

inline void run(lab::Demo &demo) {
  if (demo.timed()) {
    demo.say("devices            plate ms per step  points/ns    faster  efficiency\n");
    demo.say("the same plate, shared out (strong scaling)\n");
    show(demo, "large", 16384, 16384, false);
    demo.say("a small one\n");
    show(demo, "small", 1024, 1024, false);
    demo.say("a plate that grows with the devices (weak scaling)\n");
    show(demo, "grows", 8192, 8192, true);
    demo.say("\n");
  }
  show_counts(demo, 60, 64);
}

} // namespace demo_scaling
