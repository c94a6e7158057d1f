// The same number of atomic additions, on more and more addresses.
#pragma once

#include "lab/timer.hpp"
#include "problem.hpp"

namespace demo_contention {

constexpr unsigned most = 1024; // addresses
constexpr unsigned rounds = 64; // additions of each thread

// `addresses` is a power of two. Neighbouring lanes take neighbouring addresses.
__global__ void add_to_global(unsigned *counters, unsigned addresses) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned round = 0; round < rounds; ++round)
    atomicAdd(&counters[(i + round) & (addresses - 1)], 1u);
}

__global__ void add_to_shared(unsigned *counters, unsigned addresses) {
  __shared__ unsigned s_counters[most];
  for (unsigned i = threadIdx.x; i < most; i += blockDim.x)
    s_counters[i] = 0;
  __syncthreads();
  for (unsigned round = 0; round < rounds; ++round)
    atomicAdd(&s_counters[(threadIdx.x + round) & (addresses - 1)], 1u);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < addresses; i += blockDim.x)
    atomicAdd(&counters[i], s_counters[i]);
}

// Additions in a nanosecond; 0 on the emulator, where time means nothing.
inline double rate(lab::Demo &demo,
                   void (*kernel)(unsigned *, unsigned),
                   unsigned addresses,
                   lab::DeviceBuffer<unsigned> &d_counters) {
  const unsigned block = 256;
  const unsigned grid = demo.quick() || lab::on_emulator()
                            ? 4
                            : static_cast<unsigned>(lab::choose_device().resident_blocks(256));
  LAB_CHECK(cudaMemset(d_counters.data(), 0, d_counters.bytes()));
  kernel<<<grid, block>>>(d_counters.data(), addresses);
  LAB_CHECK_LAUNCH();
  const double additions = static_cast<double>(grid) * block * rounds;
  double sum = 0.0;
  for (unsigned counter : d_counters.download())
    sum += counter;
  demo.expect(lab::compare_value("additions made", sum, additions));
  if (demo.quick() || lab::on_emulator())
    return 0.0;
  const lab::Timing timing =
      lab::measure([&] { kernel<<<grid, block>>>(d_counters.data(), addresses); });
  return additions / (timing.median_ms * 1e6);
}

inline void run(lab::Demo &demo) {
  lab::DeviceBuffer<unsigned> d_counters(most);
  demo.say("%10s %18s%s\n",
           "addresses",
           "lanes at one",
           lab::on_emulator() ? "" : "   global, 10^9/s   shared, 10^9/s");
  for (unsigned addresses = 1; addresses <= most; addresses *= 2) {
    const double global = rate(demo, add_to_global, addresses, d_counters);
    const double shared = rate(demo, add_to_shared, addresses, d_counters);
    demo.say("%10u %18u", addresses, addresses < 32 ? 32 / addresses : 1);
    if (!lab::on_emulator()) {
      demo.say(" %16.1f %16.1f", global, shared);
      demo.value(("global_" + std::to_string(addresses)).c_str(), global);
      demo.value(("shared_" + std::to_string(addresses)).c_str(), shared);
    }
    demo.say("\n");
  }
  if (lab::on_emulator())
    demo.say("\nOn a GPU this prints how many additions a nanosecond are made.\n");
}

} // namespace demo_contention
