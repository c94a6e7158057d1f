#pragma once

#include "demos/textures.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace demo_latency {

inline constexpr unsigned line_bytes = 128; // of a cache line
inline constexpr unsigned words_per_line = line_bytes / sizeof(unsigned);

/// One closed walk through all lines in random order; next[i] is the index of the word after word i.
/// (Sattolo's shuffle makes a single cycle, so no walk comes back early.)
inline std::vector<unsigned> closed_walk(unsigned lines, unsigned words, std::uint64_t seed) {
  std::vector<unsigned> order(lines);
  for (unsigned i = 0; i < lines; ++i)
    order[i] = i;
  for (unsigned i = lines - 1; i > 0; --i)
    std::swap(order[i], order[lab::random_u32(seed, i) % i]);
  std::vector<unsigned> next(static_cast<std::size_t>(lines) * words);
  for (unsigned i = 0; i < lines; ++i)
    next[static_cast<std::size_t>(i) * words] = order[i] * words;
  return next;
}

/// Where the host ends when it takes the same walk.
inline unsigned end_of_walk(const std::vector<unsigned> &next, unsigned steps) {
  unsigned at = 0;
  for (unsigned i = 0; i < steps; ++i)
    at = next[at];
  return at;
}

inline constexpr unsigned steps = 2048;
inline constexpr unsigned small_words = 512; // what is walked in shared, constant and local memory

struct Walk {
  unsigned end;
  long long cycles;
};

__constant__ unsigned constant_next[small_words];

/// From `at`, so many steps, timed by the multiprocessor's own clock. It does not matter to the
/// code which memory `next` lies in.
__device__ __forceinline__ Walk chase(const unsigned *next, unsigned at) {
  const long long start = clock64();
#pragma unroll 16
  for (unsigned i = 0; i < steps; ++i)
    at = next[at];
  return {at, clock64() - start};
}

// `warm_up` steps first, which bring what they touch into the caches. A multiple of the walk's
// length, so that they end where they began.
__global__ void chase_global(const unsigned *next, unsigned warm_up, Walk *out) {
  unsigned at = 0;
  for (unsigned i = 0; i < warm_up; ++i)
    at = next[at];
  *out = chase(next, at);
}

__global__ void chase_shared(const unsigned *next, Walk *out) {
  __shared__ unsigned s_next[small_words];
  for (unsigned i = 0; i < small_words; ++i)
    s_next[i] = next[i];
  *out = chase(s_next, 0);
}

__global__ void chase_local(const unsigned *next, Walk *out) {
  unsigned
      mine[small_words]; // far more than there are registers, and the index is not known before
  for (unsigned i = 0; i < small_words; ++i)
    mine[i] = next[i];
  *out = chase(mine, 0);
}

__global__ void chase_constant(Walk *out) {
  unsigned at = 0;
  for (unsigned i = 0; i < small_words; ++i)
    at = constant_next[at];
  const long long start = clock64();
#pragma unroll 16
  for (unsigned i = 0; i < steps; ++i)
    at = constant_next[at];
  *out = {at, clock64() - start};
}

// The words that chase_global walks, fetched through a texture. Coordinates are whole numbers here.
__global__ void chase_texture(cudaTextureObject_t next, Walk *out) {
  unsigned at = 0;
  for (unsigned i = 0; i < small_words; ++i)
    at = tex1Dfetch<unsigned>(next, static_cast<int>(at));
  const long long start = clock64();
#pragma unroll 16
  for (unsigned i = 0; i < steps; ++i)
    at = tex1Dfetch<unsigned>(next, static_cast<int>(at));
  *out = {at, clock64() - start};
}

// No memory at all: each multiply-add (one instruction, IMAD) needs the result of the one before.
__global__ void chase_registers(unsigned factor, unsigned addend, Walk *out) {
  unsigned value = 1;
  const long long start = clock64();
#pragma unroll 16
  for (unsigned i = 0; i < steps; ++i)
    value = value * factor + addend;
  *out = {value, clock64() - start};
}

inline unsigned end_in_registers(unsigned factor, unsigned addend) {
  unsigned value = 1;
  for (unsigned i = 0; i < steps; ++i)
    value = value * factor + addend;
  return value;
}

/// One row of the table; returns the cycles of a step.
inline double row(lab::Demo &demo,
                  const char *key,
                  const char *kind,
                  const char *instruction,
                  double footprint,
                  lab::DeviceBuffer<Walk> &d_walk,
                  unsigned expected) {
  const Walk walk = d_walk.at(0);
  lab::poison(d_walk); // so that the next walk can't pass with this one's end
  demo.expect(lab::compare_value(key, walk.end, expected));
  const double cycles = static_cast<double>(walk.cycles) / steps;
  const std::string size = footprint > 0.0 ? lab::size_text(footprint) : "-";
  if (lab::on_emulator()) {
    demo.say("%-24s%10s%10s%10u\n", kind, size.c_str(), instruction, steps);
    return cycles;
  }
  demo.say("%-24s%10s%10s%14.1f\n", kind, size.c_str(), instruction, cycles);
  demo.value(key, cycles);
  return cycles;
}

inline void run(lab::Demo &demo) {
  if (lab::on_emulator())
    demo.say("%-24s%10s%10s%10s\n", "memory", "walked", "", "reads");
  else
    demo.say("%-24s%10s%10s%14s\n", "memory", "walked", "", "cycles/read");
  lab::DeviceBuffer<Walk> d_walk(1);
  lab::poison(d_walk);

  const unsigned factor = 1664525u, addend = 1013904223u;
  chase_registers<<<1, 1>>>(factor, addend, d_walk.data());
  LAB_CHECK_LAUNCH();
  const unsigned product = end_in_registers(factor, addend);
  row(demo, "registers", "registers (no read)", "IMAD", 0.0, d_walk, product);

  const std::vector<unsigned> small = closed_walk(small_words, 1, demo.seed());
  lab::DeviceBuffer<unsigned> d_small(small);
  LAB_CHECK(cudaMemcpyToSymbol(constant_next, small.data(), sizeof(constant_next)));
  const double small_bytes = static_cast<double>(sizeof(constant_next));
  const unsigned small_end = end_of_walk(small, steps);
  chase_constant<<<1, 1>>>(d_walk.data());
  LAB_CHECK_LAUNCH();
  row(demo, "constant", "constant", "LDC", small_bytes, d_walk, small_end);
  chase_shared<<<1, 1>>>(d_small.data(), d_walk.data());
  LAB_CHECK_LAUNCH();
  const double shared = row(demo, "shared", "shared", "LDS", small_bytes, d_walk, small_end);
  chase_local<<<1, 1>>>(d_small.data(), d_walk.data());
  LAB_CHECK_LAUNCH();
  row(demo, "local", "local", "LDL", small_bytes, d_walk, small_end);
  const Texture texture(line_of(d_small), sampler());
  chase_texture<<<1, 1>>>(texture.get(), d_walk.data());
  LAB_CHECK_LAUNCH();
  row(demo, "texture", "texture, in the L1", "TLD", small_bytes, d_walk, small_end);

  // The same kernel three times. How much it walks over decides where it finds it.
  const unsigned l2_lines = static_cast<unsigned>(lab::choose_device().l2_bytes / line_bytes);
  const bool small_run = lab::on_emulator() || demo.quick(); // no cache to fill, or nobody looks
  struct Place {
    const char *key, *kind;
    unsigned lines;
    bool warm;
  };
  const Place places[] = {
      {"l1", "global, in the L1", 128, true},
      {"l2", "global, in the L2", small_run ? 1024 : l2_lines / 4, true},
      {"memory", "global, in the memory", small_run ? 4096 : l2_lines * 4, false}};
  double cycles[3];
  for (int i = 0; i < 3; ++i) {
    const Place &place = places[i];
    const std::vector<unsigned> next = closed_walk(place.lines, words_per_line, demo.seed());
    lab::DeviceBuffer<unsigned> d_next(next);
    if (!small_run)
      lab::flush_l2();
    chase_global<<<1, 1>>>(d_next.data(), place.warm ? place.lines : 0, d_walk.data());
    LAB_CHECK_LAUNCH();
    cycles[i] = row(demo,
                    place.key,
                    place.kind,
                    "LDG",
                    static_cast<double>(d_next.bytes()),
                    d_walk,
                    end_of_walk(next, steps));
  }

  if (lab::on_emulator()) {
    demo.say("\nThe emulator has no caches and no latencies. It checks where each walk ends, and\n"
             "./tutor observe counts all reads but those of textures. The cycles stand in the\n"
             "lesson, as an H200 measured them.\n");
  } else if (!demo.quick()) {
    demo.expect(shared < cycles[1], "shared memory is nearer than the L2");
    demo.expect(cycles[0] < cycles[1] && cycles[1] < cycles[2],
                "L1, L2, memory: ever farther away");
  }
}

} // namespace demo_latency
