#pragma once

#include "demos/demo_walk.hpp"

namespace demo_strides {

constexpr unsigned sizes[] = {4, 8, 16};

inline void run(lab::Demo &demo) {
  demo.say("Rounds of the banks that one request takes:\n\n%8s", "stride");
  for (const char *head : {"4 bytes", "8 bytes", "16 bytes"})
    say_head(demo, head);
  demo.say("\n");
  for (unsigned stride = 1; stride <= 33; ++stride) {
    const bool shown = stride <= 10 || stride == 12 || stride % 8 == 0 || stride == 33;
    if (shown)
      demo.say("%8u", stride);
    for (unsigned bytes : sizes) {
      char name[40];
      std::snprintf(name, sizeof name, "stride_%u.bytes_%u", stride, bytes);
      const walk::Cost cost = tried(demo, name, strided(stride), bytes);
      demo.expect(cost.predicted == rounds_of_stride(stride, bytes),
                  "the formula agrees with counting bank by bank");
      if (shown)
        say_cost(demo, cost);
    }
    if (shown)
      demo.say("\n");
  }
  demo.say("\n1, 2 and 4 are the least for 4, 8 and 16 bytes: a round moves 128 bytes.\n");
}

} // namespace demo_strides
