#pragma once

#include "problem.hpp"

namespace demo_more_than_fits {

constexpr size_t PAGE = 4096 / sizeof(double); // doubles in a page
constexpr size_t pages = 64, room = 48; // the vector, and what the device has room for
constexpr int passes = 3;

__global__ void add_one(double *words, size_t n) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    words[i] += 1.0;
}

inline void pass_over(double *words, size_t n) {
  add_one<<<static_cast<unsigned>(n / 256), 256>>>(words, n);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaDeviceSynchronize());
}

// The whole vector, and then the whole vector again.
inline void pass_by_pass(double *words) {
  for (int pass = 0; pass < passes; ++pass)
    pass_over(words, pages * PAGE);
}

// All passes over a part that fits, then the next part.
inline void part_by_part(double *words) {
  constexpr size_t parts = 2, part = pages * PAGE / parts;
  for (size_t k = 0; k < parts; ++k)
    for (int pass = 0; pass < passes; ++pass)
      pass_over(words + k * part, part);
}

// The emulator's device is made too small. A real one is never filled here.
inline void set_room([[maybe_unused]] size_t fitting) {
#ifdef BUILD_FIRST_EMULATOR
  emu::set_device_pages(fitting);
#endif
}

inline void run(lab::Demo &demo) {
  struct Way {
    const char *name;
    size_t fitting; // 0: all
    void (*run)(double *);
  };
  demo.say("%d passes over %zu pages of managed memory, which lie on the host\n\n", passes, pages);
  for (const Way &way : {Way{"there is room for all", 0, pass_by_pass},
                         Way{"room for 48, pass by pass", room, pass_by_pass},
                         Way{"room for 48, part by part", room, part_by_part}}) {
    ManagedBuffer memory(pages * PAGE);
    for (size_t i = 0; i < memory.size(); ++i)
      memory.data()[i] = 0.0;
    set_room(way.fitting);
    {
      const lab::ObservedPart part(way.name);
      way.run(memory.data());
    }
    set_room(0);
    const lab::ObservedPart part("the host checks");
    bool right = true;
    for (size_t i = 0; i < memory.size(); ++i)
      right = right && memory.data()[i] == passes;
    demo.expect(right, way.name);
    demo.say("%s\n", way.name);
  }
  if (!lab::being_observed())
    demo.say("\nHow often pages move is counted by ./tutor observe 08 -- --only more_than_fits\n");
}

} // namespace demo_more_than_fits
