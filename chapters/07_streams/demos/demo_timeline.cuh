#pragma once

#include "demos/demos.hpp"
#include "steps/advance.cuh"
#include "steps/engines.hpp"
#include "steps/span.hpp"
#include "steps/v1_pinned_copies.cuh"

#include <string>

namespace demo_timeline {

constexpr size_t parts = 8;

// When each part was in each stage.
struct Row {
  Bar stages[3];
};

// Two events around each stage of each part. Each engine has a stream of its own, and so the event
// in front of a stage is reached when its engine is free and its input is there: where it begins.
class Marks {
public:
  explicit Marks(size_t rows) : events_(rows * 6 + 1) {
    for (cudaEvent_t &event : events_)
      LAB_CHECK(cudaEventCreate(&event));
  }
  ~Marks() {
    for (cudaEvent_t event : events_)
      cudaEventDestroy(event);
  }
  void start(cudaStream_t stream) { LAB_CHECK(cudaEventRecord(events_.back(), stream)); }
  void mark(size_t row, int which, cudaStream_t stream) { // which: [0, 6)
    LAB_CHECK(cudaEventRecord(events_[row * 6 + static_cast<size_t>(which)], stream));
  }
  double us(size_t row, int which) const {
    float ms = 0;
    LAB_CHECK(
        cudaEventElapsedTime(&ms, events_.back(), events_[row * 6 + static_cast<size_t>(which)]));
    return 1e3 * static_cast<double>(ms);
  }

private:
  std::vector<cudaEvent_t> events_;
};

// v4's loop (v1's work, for one part), with marks.
inline void run_marked(Batch &p, size_t count, Marks &marks) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  const size_t part = part_of(p.n, count);
  Engines &e = engines();
  marks.start(e.there);
  for (size_t first = 0, k = 0; first < p.n; first += part, ++k) {
    const size_t b = k % 2;
    const size_t n = length_of(first, part, p.n), bytes = n * sizeof(Word);
    Word *d_in = p.d_in.data() + b * part, *d_out = p.d_out.data() + b * part;
    LAB_CHECK(cudaStreamWaitEvent(e.there, e.computed[b]));
    marks.mark(k, 0, e.there);
    LAB_CHECK(cudaMemcpyAsync(d_in, p.pinned_in.data() + first, bytes, in, e.there));
    marks.mark(k, 1, e.there);
    LAB_CHECK(cudaEventRecord(e.arrived[b], e.there));
    LAB_CHECK(cudaStreamWaitEvent(e.work, e.arrived[b]));
    LAB_CHECK(cudaStreamWaitEvent(e.work, e.returned[b]));
    marks.mark(k, 2, e.work);
    advance<<<blocks_for(n), block, 0, e.work>>>(d_in, d_out, n, p.steps);
    LAB_CHECK_LAUNCH();
    marks.mark(k, 3, e.work);
    LAB_CHECK(cudaEventRecord(e.computed[b], e.work));
    LAB_CHECK(cudaStreamWaitEvent(e.back, e.computed[b]));
    marks.mark(k, 4, e.back);
    LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data() + first, d_out, bytes, out, e.back));
    marks.mark(k, 5, e.back);
    LAB_CHECK(cudaEventRecord(e.returned[b], e.back));
  }
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.pinned_out.data();
}

inline std::vector<Row> rows_of(Batch &p, size_t count) {
  std::vector<Row> rows(count);
  Marks marks(count);
  const ModelTimeline model;
  run_marked(p, count, marks);
  const std::vector<Bar> bars = model.bars(); // three for each part, on the emulator
  if (!lab::on_emulator())
    run_marked(p, count, marks); // once more, warm
  for (size_t k = 0; k < count; ++k)
    for (int stage = 0; stage < 3; ++stage) {
      Bar &bar = rows[k].stages[stage];
      if (lab::on_emulator())
        bar = bars[3 * k + static_cast<size_t>(stage)];
      else
        bar = {"", marks.us(k, 2 * stage), marks.us(k, 2 * stage + 1)};
    }
  return rows;
}

inline void show(lab::Demo &demo, const char *name, const char *key, const Row &row) {
  static const char *const stages[] = {"in", "kernel", "out"};
  demo.say("  %-5s", name);
  for (int stage = 0; stage < 3; ++stage) {
    const Bar &bar = row.stages[stage];
    demo.say("  %9.1f %9.1f", bar.begin_us, bar.end_us);
    const std::string prefix = std::string(key) + "_" + stages[stage];
    demo.value(prefix + "_begin", bar.begin_us);
    demo.value(prefix + "_end", bar.end_us);
  }
  demo.say("\n");
}

inline void run(lab::Demo &demo) {
  Batch p({.n = lab::being_observed() ? size_t{1} << 19 : demo.timed() ? size_t{1} << 26 : 4096});
  p.prepare();
  if (!can_tell_spans()) {
    Marks marks(parts);
    run_marked(p, parts, marks);
    say_who_tells(demo, "timeline");
    demo.expect(p.check());
    return;
  }
  demo.say("             to the device             kernel              to the host\n");
  demo.say("  part      begins      ends     begins      ends     begins      ends   µs\n");
  show(demo, "all", "all", rows_of(p, 1)[0]);
  demo.say("\n");
  const std::vector<Row> rows = rows_of(p, parts);
  for (size_t k = 0; k < parts; ++k) {
    const std::string name = "p" + std::to_string(k + 1);
    show(demo, name.c_str(), name.c_str(), rows[k]);
  }
  demo.expect(p.check());
}

} // namespace demo_timeline
