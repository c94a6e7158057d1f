// Blocks that all take the same time: how long do 1, 2, 3 … of them take?
#pragma once

#include "calculator.hpp"
#include "demos/weighted.cuh"

#include <string>

namespace demo_waves {

constexpr int threads = 64;
constexpr size_t shared = 36 * 1024; // not used: it says how many blocks fit

/// Each product needs the one before: a block takes as long as its chain, whoever is beside it.
__global__ void chain(unsigned steps, float *out) {
  float x = 0.5f;
#pragma unroll 8
  for (unsigned i = 0; i < steps; ++i)
    x = fmaf(x, 0.999f, 0.001f);
  out[static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = x;
}

inline float end_of_chain(unsigned steps) {
  float x = 0.5f;
  for (unsigned i = 0; i < steps; ++i)
    x = fmaf(x, 0.999f, 0.001f);
  return x;
}

inline void run(lab::Demo &demo) {
  const unsigned steps = demo.timed() ? 20000 : 32;
  const int sms = lab::choose_device().sm_count;
  const int registers = attributes_of(reinterpret_cast<const void *>(chain)).numRegs;
  const occupancy::Resident r =
      resident(occupancy::device_limits(), {threads, registers, shared, 0});
  const unsigned wave = static_cast<unsigned>(r.blocks * sms);
  demo.say("%d multiprocessors hold %d blocks each: a wave is %u blocks\n\n", sms, r.blocks, wave);
  demo.value("wave", wave);

  demo.say("  blocks   waves   places taken%s\n", demo.timed() ? "       µs" : "");
  lab::DeviceBuffer<float> d_out(static_cast<size_t>(4 * wave) * threads);
  std::vector<unsigned> sizes = {1};
  for (unsigned eighth = 1; eighth <= 24; ++eighth) {
    sizes.push_back(wave * eighth / 8);
    if (eighth % 8 == 0)
      sizes.push_back(wave * eighth / 8 + 1);
  }
  double one_wave = 0, one_more = 0;
  for (unsigned blocks : sizes) {
    const unsigned waves = (blocks + wave - 1) / wave;
    const auto work = [&] { chain<<<blocks, threads, shared>>>(steps, d_out.data()); };
    lab::poison(d_out);
    work();
    LAB_CHECK_LAUNCH();
    const std::vector<float> out = d_out.download();
    demo.expect(lab::compare_value(
        "the last thread", out[static_cast<size_t>(blocks) * threads - 1], end_of_chain(steps)));
    demo.say("  %6u  %6u  %11.0f %%", blocks, waves, 100.0 * blocks / (waves * wave));
    if (demo.timed()) {
      const double us = 1e3 * lab::measure(work, {.reps = 9, .warm_up = 1}).median_ms;
      one_wave = blocks == wave ? us : one_wave;
      one_more = blocks == wave + 1 ? us : one_more;
      demo.say("  %9.1f", us);
      demo.value("us_" + std::to_string(blocks), us);
    }
    demo.say("\n");
  }
  if (demo.timed()) {
    demo.value("one_more_costs", one_more / one_wave);
    demo.expect(one_more > 1.5 * one_wave, "one block more than a wave takes a second wave");
  }
}

} // namespace demo_waves
