// Our scan of a warp beside CUB's: the same result, and how many cycles a warp waits for it.
#pragma once

#include "problem.hpp"
#include "steps/warp_scan.cuh"

#include <cub/warp/warp_scan.cuh>

#include <string>

namespace demo_warp_scans {

struct Ours {
  __device__ static Value scan(Value value) { return warp_scan(value); }
};

struct Cubs {
  __device__ static Value scan(Value value) {
    __shared__ cub::WarpScan<Value>::TempStorage s_temporary[32]; // one per warp
    Value sum = 0;
    cub::WarpScan<Value>(s_temporary[threadIdx.x / 32]).InclusiveSum(value, sum);
    return sum;
  }
};

/// Scans each warp's values, `rounds` times one after the other; cycles: what lane 0 has waited.
template <class Scanner>
__global__ void scan_again(const Value *in, unsigned rounds, Value *out, long long *cycles) {
  Value value = in[threadIdx.x % 32];
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 4
  for (unsigned round = 0; round < rounds; ++round)
    value = Scanner::scan(value);
  const long long end = clock64();
  out[threadIdx.x] = value;
  if (threadIdx.x == 0)
    *cycles = end - begin;
}

template <class Scanner> void row(lab::Demo &demo, const char *key, const char *what) {
  std::vector<Value> h_in(32), expected;
  lab::fill_random(h_in.data(), 32, demo.seed());
  const unsigned rounds = 1000;
  std::vector<Value> values = h_in;
  for (unsigned round = 0; round < rounds; ++round)
    for (unsigned lane = 1; lane < 32; ++lane)
      values[lane] += values[lane - 1];
  lab::DeviceBuffer<Value> d_in(h_in), d_out(1024);
  lab::DeviceBuffer<long long> d_cycles(1);
  demo.say("%-20s", what);
  for (unsigned warps : {1u, 4u, 16u, 32u}) {
    expected.clear();
    for (unsigned warp = 0; warp < warps; ++warp)
      expected.insert(expected.end(), values.begin(), values.end());
    double cycles = 0;
    for (int twice = 0; twice < 2; ++twice) { // the first run also loads the code
      lab::poison(d_out);
      scan_again<Scanner><<<1, warps * 32>>>(d_in.data(), rounds, d_out.data(), d_cycles.data());
      LAB_CHECK_LAUNCH();
      std::vector<Value> out = d_out.download();
      out.resize(warps * 32);
      demo.expect(lab::compare(out, expected));
      cycles = static_cast<double>(d_cycles.at(0)) / rounds;
    }
    if (lab::on_emulator()) {
      demo.say("  %9s", "-");
      continue;
    }
    demo.say("  %9.1f", cycles);
    demo.value(std::string(key) + "_" + std::to_string(warps), cycles);
  }
  demo.say("\n");
}

inline void run(lab::Demo &demo) {
  demo.say("cycles of a scan, with   1 warp    4 warps   16 warps   32 warps\n");
  row<Ours>(demo, "ours", "warp_scan()");
  row<Cubs>(demo, "cub", "cub::WarpScan");
  if (lab::on_emulator())
    demo.say("\nThe sums were compared; cycles are a GPU's, and the lesson shows an H200's.\n");
}

} // namespace demo_warp_scans
