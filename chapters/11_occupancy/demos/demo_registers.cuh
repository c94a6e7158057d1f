// The same kernels, compiled for more and more blocks on a multiprocessor: fewer and fewer registers.
#pragma once

#include "calculator.hpp"
#include "demos/weighted.cuh"

#include <string>

namespace demo_registers {

constexpr int threads = 256;

template <int SUMS, int BLOCKS> void row(lab::Demo &demo, const SmallWords &p) {
  const cudaFuncAttributes attributes = attributes_of(weighted_address<SUMS, threads, BLOCKS>());
  const occupancy::Resident r =
      resident(occupancy::device_limits(), {threads, attributes.numRegs, 0, 0});
  const unsigned blocks =
      static_cast<unsigned>(r.blocks) * static_cast<unsigned>(lab::choose_device().sm_count);
  lab::DeviceBuffer<unsigned> d_out(static_cast<size_t>(blocks) * threads);
  const auto work = [&] {
    weighted<SUMS, threads, BLOCKS><<<blocks, threads>>>(p.d_in.data(), p.size(), d_out.data());
  };
  lab::poison(d_out);
  work();
  LAB_CHECK_LAUNCH();
  demo.expect(lab::compare_value("all sums", total(d_out), expected_total<SUMS>(p.sum)));
  demo.say("  %4d  %12s", SUMS, BLOCKS == 1 ? "no" : std::to_string(BLOCKS).c_str());
  if (!lab::on_emulator())
    demo.say("  %9d  %12zu  %6d  %2d %3.0f %%",
             attributes.numRegs,
             attributes.localSizeBytes,
             r.blocks,
             r.warps,
             r.percent);
  const std::string name = "sums_" + std::to_string(SUMS) + "_bound_" + std::to_string(BLOCKS);
  demo.value(name + "_registers", attributes.numRegs);
  demo.value(name + "_local_bytes", static_cast<double>(attributes.localSizeBytes));
  demo.value(name + "_warps", r.warps);
  const auto gbps = [&] {
    const double ms = lab::measure(work, {.reps = 7, .warm_up = 1}).median_ms;
    return 1e-6 * static_cast<double>(p.d_in.bytes()) / ms;
  };
  demo.say_timed(name + "_gbps", "  %8.0f\n", gbps, "\n");
}

template <int SUMS> void rows(lab::Demo &demo, const SmallWords &p) {
  row<SUMS, 1>(demo, p);
  row<SUMS, 5>(demo, p);
  row<SUMS, 6>(demo, p);
  row<SUMS, 8>(demo, p);
}

inline void run(lab::Demo &demo) {
  const SmallWords p(demo.timed() ? demo.n_or(1u << 26) : 5003, demo.seed());
  demo.say("  sums  blocks asked");
  demo.say(lab::on_emulator() ? "\n" : "  registers  local, bytes  blocks     warps      GB/s\n");
  rows<24>(demo, p);
  rows<32>(demo, p);
  rows<40>(demo, p);
  if (lab::on_emulator())
    demo.say(
        "\nAll of them are right here. Their registers and their speed are nvcc's and a GPU's.\n");
}

} // namespace demo_registers
