// 100 % occupancy as the goal: v3 is chosen, and v6 is not, because v6 leaves places empty.
#pragma once

#include "problem.hpp"

namespace trap_full_is_fast {

inline const char *why =
    "memory does not care who has asked. What counts is how many bytes are on their way, warps "
    "times what each thread has asked for: v6 has more of them in fewer warps.";

inline int in_flight_per_sm(const Plan &plan) {
  return blocks_per_sm(plan) * plan.threads * static_cast<int>(plan.in_flight);
}

inline int threads_per_sm(const Plan &plan) { return blocks_per_sm(plan) * plan.threads; }

inline PlannedStep with_more_threads() {
  const std::vector<PlannedStep> steps = planned_steps();
  const bool third = threads_per_sm(steps[3].plan) > threads_per_sm(steps[6].plan);
  return steps[third ? 3 : 6];
}

inline void run(Readings &p) { with_more_threads().run(p); }

inline lab::Verdict check(Readings &p) {
  const lab::Verdict values = p.check();
  if (!values.ok)
    return values;
  return lab::compare_value("bytes on their way to a multiprocessor",
                            in_flight_per_sm(with_more_threads().plan),
                            in_flight_per_sm(planned_steps()[6].plan));
}

} // namespace trap_full_is_fast
