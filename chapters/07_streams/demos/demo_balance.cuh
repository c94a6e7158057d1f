#pragma once

#include "demos/demo_parts.cuh"
#include "demos/demos.hpp"

namespace demo_balance {

inline void run(lab::Demo &demo) {
  Batch p({.n = demo_parts::words_for(demo)});
  const unsigned usual = p.steps;
  const Stages at_usual = stages_of(p, 2);
  // As many steps as make the kernel take as long as a copy, if its time grew with them.
  const double even = usual * at_usual.to_device_ms / at_usual.kernel_ms;
  struct Row {
    const char *what, *key;
    unsigned steps;
  };
  demo.say("                         steps   to device    kernel   to host   in turn  pipeline   "
           "of longest\n");
  for (const Row &row : {Row{"next to no work", "light", usual / 16},
                         Row{"all three equal", "even", static_cast<unsigned>(even)},
                         Row{"the kernel a third longer", "usual", usual},
                         Row{"much work", "heavy", 3 * usual}}) {
    p.set_steps(row.steps);
    const Stages stages = stages_of(p, 2);
    const double ms = demo_parts::pipeline_ms(p, 2, stages.best_parts());
    demo.say("%-26s", row.what);
    if (can_tell_spans()) {
      demo.say("%4u   %9.3f %9.3f %9.3f %9.3f %9.3f %9.2f x\n",
               row.steps,
               stages.to_device_ms,
               stages.kernel_ms,
               stages.to_host_ms,
               stages.sum_ms(),
               ms,
               ms / stages.longest_ms());
      const std::string key = row.key;
      demo.value(key + "_in_turn_ms", stages.sum_ms());
      demo.value(key + "_limit_ms", stages.limit_ms());
      demo.value(key + "_of_limit", ms / stages.limit_ms());
      demo.value(key + "_kernel_ms", stages.kernel_ms);
      demo.value(key + "_ms", ms);
      demo.value(key + "_of_longest", ms / stages.longest_ms());
      demo.value(key + "_faster", stages.sum_ms() / ms);
    } else {
      demo.say("%4u\n", row.steps);
    }
    demo.check(p, [&] { v6::run(p, stages.best_parts()); });
  }
  if (!can_tell_spans()) {
    demo.say("\n");
    say_who_tells(demo, "balance");
  }
}

} // namespace demo_balance
