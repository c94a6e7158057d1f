#pragma once

#include "v2_one_adds.cuh"
#include "v7_copy_engines.cuh"

#include "lab/observe.hpp"

#ifdef BUILD_FIRST_EMULATOR
#include <emu/timeline.hpp>
#endif

namespace demo_timeline {

constexpr int parts = 4;

// From the first to the last of some tasks, in microseconds.
struct Span {
  double begin, end;
};

// All copies and kernels so far, in the order in which the host asked for them, when the emulator's
// model says that they run. None where nobody looks on.
inline std::vector<Span> all_tasks() {
  std::vector<Span> spans;
#ifdef BUILD_FIRST_EMULATOR
  if (lab::being_observed())
    for (const emu::TimelineBar &bar : emu::timeline().bars)
      if (bar.kind == "copy" || bar.kind == "kernel")
        spans.push_back({bar.begin_us, bar.end_us});
#endif
  return spans;
}

// Those of a step, from 0 µs on.
template <class Work> std::vector<Span> tasks_of(Work &&work) {
  const size_t before = all_tasks().size();
  work();
  synchronize_all();
  std::vector<Span> spans = all_tasks();
  spans.erase(spans.begin(), spans.begin() + static_cast<long>(before));
  const double start = spans.empty() ? 0 : spans[0].begin;
  for (Span &span : spans)
    span = {span.begin - start, span.end - start};
  return spans;
}

inline void say_span(lab::Demo &demo, const std::vector<Span> &tasks, size_t first, size_t count) {
  Span all = tasks[first];
  for (size_t i = first; i < first + count; ++i) {
    all.begin = tasks[i].begin < all.begin ? tasks[i].begin : all.begin;
    all.end = tasks[i].end > all.end ? tasks[i].end : all.end;
  }
  demo.say(" %9.1f %9.1f", all.begin, all.end);
}

// A model of devices that are as fast as H200s are for vectors a hundred times as long as these.
inline void scale_model() {
#ifdef BUILD_FIRST_EMULATOR
  emu::TimelineModel model;
  model.submit_us = 0.5;
  model.peer_gb_per_s /= 100;
  model.memory_gb_per_s = 4000.0 / 100;
  model.block_rate *= 100;
  emu::set_timeline_model(model);
#endif
}

inline void run(lab::Demo &demo) {
  scale_model();
  Vectors p({.n = lab::being_observed() ? size_t{1} << 18 : size_t{10007}});
  const size_t others = static_cast<size_t>(p.ranks()) - 1, all = others + 1;
  p.prepare();
  const std::vector<Span> one = tasks_of([&] { v2::run(p); });
  demo.expect(p.check());
  p.prepare();
  const std::vector<Span> shares = tasks_of([&] { v7::by_copy_engines(p, parts); });
  demo.expect(p.check());
  if (one.empty()) {
    demo.say("The emulator's model tells: ./tutor observe 12 -- --only timeline\n");
    return;
  }
  demo.say("Device 0: what is sent to it, added there, and sent from it, µs of a model\n\n"
           "              to device 0           added there          from device 0\n"
           "          begins      ends     begins      ends     begins      ends\n  v2   ");
  say_span(demo, one, 0, others);
  say_span(demo, one, others, 1);
  say_span(demo, one, all, others);
  demo.say("\n");
  // Of each part: every rank sends to all others; then each adds, and tells all others.
  const size_t of_part = all * others + all * (1 + others);
  for (size_t k = 0; k < parts; ++k) {
    const size_t first = k * of_part;
    demo.say("\n  part%zu", k + 1);
    std::vector<Span> to_zero; // its owner is the last one that rank 1 sends to, and so on
    for (size_t rank = 1; rank < all; ++rank)
      to_zero.push_back(shares[first + rank * others + (all - rank) - 1]);
    say_span(demo, to_zero, 0, others);
    say_span(demo, shares, first + all * others, 1);
    say_span(demo, shares, first + all * others + 1, others);
  }
  demo.say("\n");
}

} // namespace demo_timeline
