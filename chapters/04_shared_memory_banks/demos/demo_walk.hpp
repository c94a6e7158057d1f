/// @file
/// What the demos about banks share: a request is made, its cost is checked, printed and recorded.
#pragma once

#include "demos/walk.cuh"

#include <cstdio>
#include <string>

/// The request's cost. Under observation, the counted rounds must be the predicted ones.
inline walk::Cost tried(lab::Demo &demo,
                        const std::string &name,
                        const Request &request,
                        unsigned element_bytes = 4) {
  const walk::Cost cost = walk::cost_of(request, element_bytes, demo.timed());
  demo.expect(cost.walked, (name + ": every lane reads its element").c_str());
  demo.value(name + ".rounds", cost.predicted);
  if (cost.cycles > 0.0)
    demo.value(name + ".cycles", cost.cycles);
  if (cost.counted > 0.0)
    demo.expect(lab::compare_value(
        (name + ": rounds counted").c_str(), cost.counted, static_cast<double>(cost.predicted)));
  return cost;
}

/// "  32" on the emulator, "  32   33.1" on a GPU: rounds, and the cycles they took there.
inline void say_cost(lab::Demo &demo, const walk::Cost &cost) {
  demo.say("%10u", cost.predicted);
  if (!lab::on_emulator())
    demo.say("%9.2f", cost.cycles);
}

/// The head of such a pair of columns.
inline void say_head(lab::Demo &demo, const char *head) {
  demo.say("%10s", head);
  if (!lab::on_emulator())
    demo.say("%9s", "cycles");
}
