#pragma once

#include "steps/v2_one_adds.cuh"
#include "steps/v7_copy_engines.cuh"

#ifdef BUILD_FIRST_EMULATOR
#include <observation/timeline.hpp>
#endif

namespace demo_timeline {

constexpr int parts = v7::usual_parts;

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

inline std::vector<Span> some(const std::vector<Span> &tasks, size_t first, size_t count) {
  const auto begin = tasks.begin() + static_cast<long>(first);
  return {begin, begin + static_cast<long>(count)};
}

// From the beginning of the first of them to the end of the last one.
inline void say_span(lab::Demo &demo, const std::vector<Span> &tasks) {
  Span all = tasks[0];
  for (const Span &task : tasks) {
    all.begin = task.begin < all.begin ? task.begin : all.begin;
    all.end = task.end > all.end ? task.end : all.end;
  }
  demo.say(" %8.1f %9.1f", all.begin, all.end);
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
  demo.say("Device 0: what it gets and sends, and when it adds, µs of a model\n\n        ");
  for (const char *what : {"gets vectors", "adds", "sends sums", "sends vectors", "gets sums"})
    demo.say("%19s", what);
  demo.say("\n        ");
  for (int column = 0; column < 5; ++column)
    demo.say("   begins      ends");
  demo.say("\n  v2    ");
  for (const auto &tasks : {some(one, 0, others), some(one, others, 1), some(one, all, others)})
    say_span(demo, tasks);
  demo.say("\n");
  // Of each part: every rank sends to all others; then each adds, and tells all others.
  const size_t of_part = all * others + all * (1 + others);
  for (size_t k = 0; k < parts; ++k) {
    const size_t sends = k * of_part, adds = sends + all * others;
    std::vector<Span> gets_vectors, gets_sums;
    for (size_t rank = 1; rank < all;
         ++rank) { // device 0 is the last one that rank 1 sends to, and so on
      const size_t to_zero = all - rank - 1;
      gets_vectors.push_back(shares[sends + rank * others + to_zero]);
      gets_sums.push_back(shares[adds + rank * all + 1 + to_zero]);
    }
    demo.say("\n  part%zu ", k + 1);
    say_span(demo, gets_vectors);
    say_span(demo, some(shares, adds, 1));
    say_span(demo, some(shares, adds + 1, others));
    say_span(demo, some(shares, sends, others));
    say_span(demo, gets_sums);
  }
  demo.say("\n");
}

} // namespace demo_timeline
