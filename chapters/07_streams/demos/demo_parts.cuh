#pragma once

#include "demos/demos.hpp"
#include "steps/span.hpp"
#include "steps/stages.hpp"
#include "steps/v5_parts_by_model.cuh"
#include "steps/v6_kernels_overlap.cuh"

#include <string>

namespace demo_parts {

inline size_t words_for(lab::Demo &demo) {
  const size_t usual = size_t{1} << (lab::on_emulator() ? 19 : 26);
  return demo.quick() && !lab::being_observed() ? 4096 : demo.n_or(usual);
}

inline void say_stages(lab::Demo &demo, const Stages &s) {
  demo.say("to the device %.3f ms, kernel %.3f ms, to the host %.3f ms; in turn %.3f ms\n",
           s.to_device_ms,
           s.kernel_ms,
           s.to_host_ms,
           s.sum_ms());
  demo.say("both copies at once %.3f ms\n", s.both_ms);
  demo.value("to_device_ms", s.to_device_ms);
  demo.value("kernel_ms", s.kernel_ms);
  demo.value("to_host_ms", s.to_host_ms);
  demo.value("both_ms", s.both_ms);
  demo.value("sum_ms", s.sum_ms());
  demo.value("longest_ms", s.longest_ms());
}

inline void say_invented(lab::Demo &demo, const Stages &s) {
  demo.say(
      "An invented machine, milliseconds: each copy %.3f, the kernel %.3f; a part costs %.3f.\n",
      s.to_device_ms,
      s.kernel_ms,
      s.fixed_ms);
}

inline double pipeline_ms(Batch &p, size_t kernel_streams, size_t parts) {
  return 1e-3 * span_us([&] { kernel_streams == 1 ? v5::run(p, parts) : v6::run(p, parts); });
}

// The curve of one pipeline, and the model's.
inline void show_curve(lab::Demo &demo, Batch &p, size_t kernel_streams) {
  const Stages stages = stages_of(p, kernel_streams);
  const size_t chosen = stages.best_parts(), most = lab::on_emulator() ? 64 : 512;
  const std::string end = kernel_streams == 1 ? "_v5" : "_v6";
  demo.say("\nkernels in %s", kernel_streams == 1 ? "one stream (v5)" : "two streams (v6)");
  if (can_tell_spans())
    demo.say(": a part costs %.4f ms besides", stages.fixed_ms);
  demo.say("\n\n");
  demo.say("  parts   by the model%s\n", can_tell_spans() ? "   it took, ms" : ", ms");
  for (size_t parts = 1; parts <= most; parts *= 2) {
    const double ms = pipeline_ms(p, kernel_streams, parts), model = stages.total_ms(parts);
    demo.say("  %5zu      %9.3f", parts, model);
    demo.value("model_" + std::to_string(parts) + end, model);
    if (can_tell_spans()) {
      demo.say("     %9.3f", ms);
      demo.value("ms_" + std::to_string(parts) + end, ms);
    }
    demo.say("\n");
  }
  demo.say("\nthe model's best: %zu parts\n", chosen);
  demo.value("fixed_us" + end, 1e3 * stages.fixed_ms);
  demo.value("chosen" + end, static_cast<double>(chosen));
  demo.expect((chosen == 512 || stages.total_ms(chosen) <= stages.total_ms(2 * chosen)) &&
                  stages.total_ms(chosen) <= stages.total_ms((chosen + 1) / 2),
              "no number of parts nearby is better in the model");
  if (can_tell_spans()) {
    const double ms = pipeline_ms(p, kernel_streams, chosen);
    demo.say("it takes %.3f ms, the longest stage alone %.3f ms: %.3f times as long\n",
             ms,
             stages.longest_ms(),
             ms / stages.longest_ms());
    demo.value("chosen_ms" + end, ms);
    demo.value("of_longest" + end, ms / stages.longest_ms());
  }
}

inline void run(lab::Demo &demo) {
  Batch p({.n = words_for(demo)});
  if (can_tell_spans())
    say_stages(demo, stages_of(p, 1));
  else
    say_invented(demo, stages_of(p, 1));
  show_curve(demo, p, 1);
  if (can_tell_spans()) // the invented machine knows no difference
    show_curve(demo, p, 2);
  if (!can_tell_spans()) {
    demo.say("\n");
    say_who_tells(demo, "parts");
  }
  demo.check(p, [&] { v6::run(p, stages_of(p, 2).best_parts()); });
}

} // namespace demo_parts
