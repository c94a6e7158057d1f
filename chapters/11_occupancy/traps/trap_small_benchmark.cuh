// A measurement at a small size: eight blocks of 1024 threads, "scaled up" later.
#pragma once

#include "problem.hpp"

namespace trap_small_benchmark {

inline const char *why =
    "such a time is that of a device of which most is asleep: no more work in it would take no "
    "longer. Measure with several waves, and say how many.";

inline void run(Readings &p) { planned_steps()[3].run(p); }

inline lab::Verdict check(Readings &p) {
  const lab::Verdict values = p.check();
  if (!values.ok)
    return values;
  const int sms = lab::choose_device().sm_count;
  const int blocks = static_cast<int>(grid_for(planned_steps()[3].plan, p.n, 1));
  return lab::compare_value(
      "multiprocessors that had something to do", blocks < sms ? blocks : sms, sms);
}

} // namespace trap_small_benchmark
