#pragma once

#include "ladder/chapter.hpp"

#include <string>
#include <vector>

namespace demo_constants {

inline constexpr unsigned words = 64;
inline constexpr unsigned steps = 1024;

__constant__ unsigned constant_next[words];

// One warp. Its lanes start at `distinct` different words, and every read leads half round the
// table: so each request of the warp asks for that many words.
__global__ void read_constants(unsigned distinct, unsigned *ends, long long *cycles) {
  unsigned at = threadIdx.x % distinct;
  const long long start = clock64();
#pragma unroll 16
  for (unsigned i = 0; i < steps; ++i)
    at = constant_next[at];
  ends[threadIdx.x] = at;
  cycles[threadIdx.x] = clock64() - start;
}

__global__ void
read_global(const unsigned *next, unsigned distinct, unsigned *ends, long long *cycles) {
  unsigned at = threadIdx.x % distinct;
  const long long start = clock64();
#pragma unroll 16
  for (unsigned i = 0; i < steps; ++i)
    at = next[at];
  ends[threadIdx.x] = at;
  cycles[threadIdx.x] = clock64() - start;
}

inline void run(lab::Demo &demo) {
  std::vector<unsigned> next(words);
  for (unsigned i = 0; i < words; ++i)
    next[i] = (i + words / 2) % words;
  LAB_CHECK(cudaMemcpyToSymbol(constant_next, next.data(), sizeof(constant_next)));
  lab::DeviceBuffer<unsigned> d_next(next), d_ends(32);
  lab::DeviceBuffer<long long> d_cycles(32);
  const auto per_read = [&] { return static_cast<double>(d_cycles.at(0)) / steps; };

  if (lab::on_emulator())
    demo.say("%14s%18s%16s\n", "words a warp", "turns: constant", "global");
  else
    demo.say("%14s%18s%16s\n", "words a warp", "cycles: constant", "global (L1)");
  double first = 0.0, last = 0.0;
  for (unsigned distinct = 1; distinct <= 32; distinct *= 2) {
    std::vector<unsigned> expected(32);
    for (unsigned lane = 0; lane < 32; ++lane)
      expected[lane] = lane % distinct; // an even number of steps leads back
    lab::poison(d_ends);
    read_constants<<<1, 32>>>(distinct, d_ends.data(), d_cycles.data());
    LAB_CHECK_LAUNCH();
    demo.expect(lab::compare(d_ends.download(), expected));
    const double constant = per_read();
    lab::poison(d_ends);
    for (int warm_up = 0; warm_up < 2; ++warm_up) // the first fills the cache
      read_global<<<1, 32>>>(d_next.data(), distinct, d_ends.data(), d_cycles.data());
    LAB_CHECK_LAUNCH();
    demo.expect(lab::compare(d_ends.download(), expected));
    const double global = per_read();
    (distinct == 1 ? first : last) = constant;
    if (lab::on_emulator()) {
      demo.say("%14u%18u%16u\n", distinct, distinct, 1u);
      continue;
    }
    demo.say("%14u%18.1f%16.1f\n", distinct, constant, global);
    demo.value("constant_" + std::to_string(distinct), constant);
    demo.value("global_" + std::to_string(distinct), global);
  }
  if (lab::on_emulator())
    demo.say(
        "\nTurns are the rule, not a measurement: the constant cache serves one word at a time,\n"
        "to all lanes that want it. The cycles of each read stand in the lesson.\n");
  else if (!demo.quick())
    demo.expect(last > 2.0 * first, "32 different constants take longer than one for all");
}

} // namespace demo_constants
