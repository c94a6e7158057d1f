#pragma once

#include "demos/demos.hpp"
#include "steps/span.hpp"
#include "steps/stages.hpp"
#include "steps/v0_pageable_copies.cuh"
#include "steps/v1_pinned_copies.cuh"
#include "steps/v2_two_streams.cuh"
#include "steps/v3_eight_parts.cuh"
#include "steps/v4_double_buffers.cuh"
#include "steps/v5_parts_by_model.cuh"
#include "steps/v6_kernels_overlap.cuh"

namespace demo_by_model {

struct Step {
  const char *name;
  void (*run)(Batch &);
};
constexpr Step steps[] = {{"v0_pageable_copies", v0::run},
                          {"v1_pinned_copies", v1::run},
                          {"v2_two_streams", v2::run},
                          {"v3_eight_parts", v3::run},
                          {"v4_double_buffers", v4::run},
                          {"v5_parts_by_model", v5::run},
                          {"v6_kernels_overlap", v6::run}};

inline void run(lab::Demo &demo) {
  const size_t usual = size_t{1} << (lab::on_emulator() ? 19 : 26);
  Batch p({.n = demo.quick() && !lab::being_observed() ? 4096 : demo.n_or(usual)});
  for (size_t kernel_streams : {1, 2})
    static_cast<void>(stages_of(p, kernel_streams)); // not within what is told
  demo.say("step                         µs   x before\n");
  double before = 0;
  for (const Step &step : steps) {
    p.prepare();
    const double us = span_us([&] { step.run(p); });
    demo.expect(p.check());
    if (us > 0)
      demo.say("%-22s%9.0f", step.name, us);
    else
      demo.say("%s", step.name);
    if (us > 0 && before > 0)
      demo.say("%11.2f", before / us);
    demo.say("\n");
    before = us;
    demo.value(step.name, us);
  }
  if (!can_tell_spans()) {
    demo.say("\n");
    say_who_tells(demo, "by_model");
  }
}

} // namespace demo_by_model
