// Little's law for arithmetic: chains of multiply-adds, each of which needs the one before.
#pragma once

#include "problem.hpp"

#include <string>

namespace demo_arithmetic {

/// CHAINS independent chains of `steps` multiply-adds in each thread; out[thread] = their ends, added up.
template <int CHAINS> __global__ void chains(unsigned steps, float *out) {
  float x[CHAINS];
#pragma unroll
  for (int k = 0; k < CHAINS; ++k)
    x[k] = 0.5f + 0.125f * k;
#pragma unroll(128 / CHAINS)
  for (unsigned i = 0; i < steps; ++i)
#pragma unroll
    for (int k = 0; k < CHAINS; ++k)
      x[k] = fmaf(x[k], 0.5f, 0.25f);
  float sum = 0;
#pragma unroll
  for (int k = 0; k < CHAINS; ++k)
    sum += x[k];
  out[static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}

/// Cycles of one multiply-add when the next one needs it: one chain of one warp, by the device's clock.
__global__ void cycles_of_chain(unsigned steps, float *out, long long *cycles) {
  float x = 0.5f;
  const long long begin = clock64();
#pragma unroll 128
  for (unsigned i = 0; i < steps; ++i)
    x = fmaf(x, 0.5f, 0.25f);
  *cycles = clock64() - begin;
  out[threadIdx.x] = x;
}

/// What each thread must write.
inline float ends_of(int chains, unsigned steps) {
  float sum = 0;
  for (int k = 0; k < chains; ++k) {
    float x = 0.5f + 0.125f * static_cast<float>(k);
    for (unsigned i = 0; i < steps; ++i)
      x = fmaf(x, 0.5f, 0.25f);
    sum += x;
  }
  return sum;
}

/// TFLOP/s with so many warps on each multiprocessor; 0 where no clock tells.
template <int CHAINS> double row(lab::Demo &demo, int warps) {
  const unsigned steps = demo.timed() ? 16384 : 64;
  const unsigned per_sm = warps > 32 ? 2 : 1; // a block has 32 warps at most
  const unsigned blocks = per_sm * static_cast<unsigned>(lab::choose_device().sm_count);
  const unsigned threads = static_cast<unsigned>(warps) / per_sm * 32;
  lab::DeviceBuffer<float> d_out(static_cast<size_t>(blocks) * threads);
  const auto work = [&] { chains<CHAINS><<<blocks, threads>>>(steps, d_out.data()); };
  lab::poison(d_out);
  work();
  LAB_CHECK_LAUNCH();
  demo.expect(
      lab::compare(d_out.download(), std::vector<float>(d_out.size(), ends_of(CHAINS, steps))));
  if (!demo.timed())
    return 0;
  const double ms = lab::measure(work, {.reps = 7, .warm_up = 1}).median_ms;
  const double tflops = 2e-9 * static_cast<double>(d_out.size()) * CHAINS * steps / ms;
  const std::string name = "warps_" + std::to_string(warps) + "_chains_" + std::to_string(CHAINS);
  demo.value(name, tflops);
  const std::string all = std::to_string(warps * CHAINS); // of them at a time, in all warps
  demo.value("in_flight_" + all + "_chains_" + std::to_string(CHAINS), tflops);
  return tflops;
}

inline void run(lab::Demo &demo) {
  demo.say("TFLOP/s with so many chains of multiply-adds in each thread:\n\n"
           "  warps        1        2        4        8\n");
  double first = 0; // one warp, one chain
  for (int warps : {1, 2, 4, 8, 12, 16, 24, 32, 64}) {
    const double tflops[] = {
        row<1>(demo, warps), row<2>(demo, warps), row<4>(demo, warps), row<8>(demo, warps)};
    demo.say("  %5d", warps);
    for (double figure : tflops)
      if (demo.timed())
        demo.say(" %8.2f", figure);
      else
        demo.say("        -");
    demo.say("\n");
    first = first > 0 ? first : tflops[0];
  }
  if (!demo.timed())
    return;
  const double ceiling = lab::fma_tflops();
  for (int all = 1; all <= 512; all *= 2)
    demo.value("law_" + std::to_string(all), first * all < ceiling ? first * all : ceiling);
  demo.value("ceiling", ceiling);

  constexpr unsigned steps = 4096;
  lab::DeviceBuffer<float> d_out(32);
  lab::DeviceBuffer<long long> d_cycles(1);
  for (int twice = 0; twice < 2; ++twice) // the first run also loads the code
    cycles_of_chain<<<1, 32>>>(steps, d_out.data(), d_cycles.data());
  LAB_CHECK_LAUNCH();
  demo.expect(lab::compare_value("end of the chain", d_out.at(31), ends_of(1, steps)));
  const double cycles = static_cast<double>(d_cycles.at(0)) / steps;
  demo.say("\na multiply-add has its result after %.2f cycles; all of them: %.1f TFLOP/s\n",
           cycles,
           ceiling);
  demo.value("cycles", cycles);
}

} // namespace demo_arithmetic
