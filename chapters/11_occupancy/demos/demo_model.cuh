// All steps of the ladder: what a multiprocessor holds, what Little's law makes of it, what was measured.
#pragma once

#include "calculator.hpp"
#include "demos/latency.cuh"
#include "demos/weighted.cuh"
#include "problem.hpp"

#include <string>

namespace demo_model {

inline void run(lab::Demo &demo) {
  const occupancy::Limits limits = occupancy::device_limits();
  const double latency = demo.timed() ? memory_latency_ns() : 0;
  const double ceiling = demo.timed() ? lab::ceilings().copy_gbps : 0;
  Readings p({.n = demo.timed() ? demo.n_or(1u << 28) : 4099, .seed = demo.seed()});
  if (demo.timed()) {
    demo.say("a word of memory comes after %.0f ns; a copy reads and writes %.0f GB/s\n\n",
             latency,
             ceiling);
    demo.value("latency_ns", latency);
    demo.value("copy_gbps", ceiling);
  }
  demo.say("step  threads  registers  shared KB  blocks  warps      KB on their way%s  limit\n",
           demo.timed() ? "  model  measured GB/s  ns" : "");
  double before = 0;
  for (const PlannedStep &step : planned_steps()) {
    // First: the emulator knows static shared memory only of kernels that have run.
    demo.check(p, [&] { step.run(p); });
    const cudaFuncAttributes kernel = attributes_of(step.plan.kernel);
    const int registers = kernel.numRegs;
    const occupancy::Resident r =
        resident(limits, {step.plan.threads, registers, kernel.sharedSizeBytes + step.plan.shared});
    demo.expect(lab::compare_value("blocks, against CUDA's", r.blocks, blocks_per_sm(step.plan)));
    const double in_flight = 32.0 * r.warps * step.plan.in_flight;
    demo.say("%-4s  %7d  %9d  %9zu  %6d  %2d %3.0f %%  %15.2f",
             step.key,
             step.plan.threads,
             registers,
             step.plan.shared / 1024,
             r.blocks,
             r.warps,
             r.percent,
             in_flight / 1024);
    const std::string name = step.key;
    demo.value(name + "_registers", registers);
    demo.value(name + "_blocks", r.blocks);
    demo.value(name + "_warps", r.warps);
    demo.value(name + "_percent", r.percent);
    demo.value(name + "_in_flight", in_flight);
    if (demo.timed()) {
      const double reads = arriving_gbps(in_flight, latency); // and as much is written
      const double model = 2 * reads < ceiling ? 2 * reads : ceiling;
      const double ms = lab::measure([&] { step.run(p); }, {.reps = 11}).median_ms;
      const double gbps = 8e-6 * static_cast<double>(p.n) / ms;
      const double took = in_flight * lab::choose_device().sm_count / (gbps / 2);
      demo.say("  %5.0f  %8.0f  %8.0f", model, gbps, took);
      demo.value(name + "_took_ns", took);
      demo.value(name + "_model", model);
      demo.value(name + "_measured", gbps);
      demo.value(name + "_of_model", gbps / model);
      if (before > 0)
        demo.value(name + "_times", gbps / before);
      before = gbps;
    }
    demo.say("  %s\n", r.limit.c_str());
  }
  if (demo.timed())
    demo.say("\nns: what a word took on its way, by Little's law: bytes on their way divided by "
             "bytes per "
             "second\n");
  if (lab::on_emulator())
    demo.say(
        "\nThe emulator assumes 32 registers for every kernel: g++ compiles for another machine\n"
        "and cannot know nvcc's count. Latency and bandwidth it has none: see the record.\n");
}

} // namespace demo_model
