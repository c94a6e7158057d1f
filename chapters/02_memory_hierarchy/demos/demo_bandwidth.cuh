#pragma once

#include "ladder/chapter.hpp"

namespace demo_bandwidth {

inline constexpr double bytes_per_clock = 64; // that a multiprocessor can ask of its L1, per cycle

/// What a device can ask for, what its memory gives, and what it can compute.
struct Figures {
  const char *name;
  double sms, mhz, memory_gbps, flops_per_clock; // flops: FP32, per multiprocessor

  double asked_gbps() const { return sms * bytes_per_clock * mhz * 1e-3; }
  double gflops() const { return sms * flops_per_clock * mhz * 1e-3; }
};

// Published: NVIDIA A100 40 GB, data sheet and architecture white paper.
inline constexpr Figures a100 = {"A100, published", 108, 1410, 1555, 128};

inline void show(lab::Demo &demo, const Figures &f) {
  demo.say("%s\n", f.name);
  demo.say("  multiprocessors can ask for  %.0f x %.0f bytes x %.0f MHz = %.0f GB/s\n",
           f.sms,
           bytes_per_clock,
           f.mhz,
           f.asked_gbps());
  demo.say("  the memory gives             %.0f GB/s, one of %.1f bytes asked for\n",
           f.memory_gbps,
           f.asked_gbps() / f.memory_gbps);
  demo.say("  they can compute             %.0f GFLOP/s\n", f.gflops());
  demo.say("  in the time of one int from memory: %.0f additions or multiplications\n",
           f.gflops() / f.memory_gbps * 4);
}

// FP32 units of a multiprocessor by compute capability (CUDA C++ Programming Guide, table of
// arithmetic throughput), times two: a fused multiply-add counts as two operations.
inline double flops_per_clock(const lab::Device &device) {
  const int capability = 10 * device.compute_major + device.compute_minor;
  const bool half = capability == 60 || (capability >= 70 && capability <= 80);
  return half ? 128 : 256;
}

inline void run(lab::Demo &demo) {
  show(demo, a100);
  demo.value("a100_asked_gbps", a100.asked_gbps());
  demo.value("a100_ratio", a100.asked_gbps() / a100.memory_gbps);
  // 108 x 64 x 1.41 = 9745.9, and 9745.9 / 1555 = 6.27.
  demo.expect(lab::compare_value(
      "bytes asked for, per byte given", a100.asked_gbps() / a100.memory_gbps, 6.27, {0.005, 0.0}));
  if (lab::on_emulator()) {
    demo.say("\nThe same follows for any GPU: the lesson shows an H200's figures.\n");
    return;
  }
  const lab::Device &device = lab::choose_device();
  if (demo.quick())
    return;
  const Figures here = {device.name.c_str(),
                        static_cast<double>(device.sm_count),
                        lab::device_attribute(cudaDevAttrClockRate) * 1e-3,
                        lab::ceilings().read_gbps,
                        flops_per_clock(device)};
  demo.say("\n");
  show(demo, here);
  demo.value("sms", here.sms);
  demo.value("mhz", here.mhz);
  demo.value("asked_gbps", here.asked_gbps());
  demo.value("memory_gbps", here.memory_gbps);
  demo.value("ratio", here.asked_gbps() / here.memory_gbps);
  demo.value("gflops", here.gflops());
  demo.value("operations_per_int", here.gflops() / here.memory_gbps * 4);
}

} // namespace demo_bandwidth
