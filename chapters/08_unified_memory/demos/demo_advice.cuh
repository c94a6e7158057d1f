#pragma once

#include "problem.hpp"

namespace demo_advice {

struct Row {
  const char *name, *key;
  cudaMemoryAdvise advice;
  Place place;
};

// One vector of managed memory: a kernel reads it, the host reads it, a kernel reads it again.
inline void run(lab::Demo &demo) {
  const size_t n = demo.timed() ? 1u << 25 : 4099;
  lab::DeviceBuffer<double> d_out(n);
  const std::vector<double> expected(n, 2.0);
  if (demo.timed())
    demo.say("%-34s%14s%14s%14s\n", "", "kernel", "host", "kernel again");
  else
    demo.say("On a GPU this prints how long each takes.\n");
  for (const Row &row :
       {Row{"no advice", "none", cudaMemAdviseUnsetReadMostly, Place::device},
        Row{"read mostly", "read_mostly", cudaMemAdviseSetReadMostly, Place::device},
        Row{"accessed by the device", "accessed_by", cudaMemAdviseSetAccessedBy, Place::device},
        Row{"preferred location: the host",
            "host",
            cudaMemAdviseSetPreferredLocation,
            Place::host}}) {
    const lab::ObservedPart part(row.name);
    ManagedBuffer memory(n);
    for (size_t i = 0; i < n; ++i)
      memory.data()[i] = 1.0;
    advise(memory.data(), memory.bytes(), row.advice, row.place);
    lab::poison(d_out);
    double ms[3];
    for (int turn = 0; turn < 3; ++turn)
      ms[turn] = lab::event_ms([&] {
        if (turn == 1)
          touch_pages(memory.data(), n);
        else
          add(memory.data(), memory.data(), d_out.data(), n, 256);
      });
    demo.expect(lab::compare(d_out.download(), expected));
    if (!demo.timed())
      continue;
    demo.say("%-34s", row.name);
    const char *const when[] = {"first", "host", "again"};
    for (int turn = 0; turn < 3; ++turn) {
      demo.say("%11.3f ms", ms[turn]);
      demo.value(std::string(row.key) + "_" + when[turn] + "_ms", ms[turn]);
    }
    demo.say("\n");
  }
}

} // namespace demo_advice
