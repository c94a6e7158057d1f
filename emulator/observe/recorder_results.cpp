// What the recorder is asked for, and what it hands out in the end.
#include <cstdlib>
#include <unistd.h>

#include "../src/engine/drawn_order.hpp"
#include "../src/engine/surroundings.hpp"
#include "leaks.hpp"
#include "look.hpp"
#include "recorder.hpp"
#include "task_races.hpp"
#include "timeline_recorder.hpp"
#include "trace_log.hpp"

namespace emu {

void Recorder::found(const FoundHazard &hazard) {
  const Look look;
  if (on_)
    hazards_.add(hazard, running_.report.name, part_);
}

void Recorder::start() {
  kernels_.clear();
  hazards_.clear();
  failed_.reset();
  tell(&Observer::start);
  only_traced_ = std::getenv("EMU_OBSERVE_BLOCKS") != nullptr;
  blocks_to_trace_ = static_cast<uint64_t>(count_from_environment(
      "EMU_OBSERVE_BLOCKS", count_from_environment("EMU_OBSERVE_COUNTED", 8)));
  progress_after_ = seconds_from_environment("EMU_OBSERVE_PROGRESS", isatty(STDERR_FILENO) ? 2 : 0);
  step_limit_ = static_cast<uint64_t>(count_from_environment("EMU_STEP_LIMIT", 400'000'000));
  on_ = true;
}

void Recorder::keep_log(const std::string &of) {
  log_ = std::make_unique<TraceLog>(of);
  log_->part_begins(part_);
  add(log_.get());
}

void Recorder::begin_part(const std::string &name) {
  part_ = name;
  tell(&Observer::part_begins, name);
}

Observation Recorder::stop(bool early) {
  if (!early) // what is not freed yet need not be lost
    leaks_->report(*this);
  on_ = false;
  ReportBuilder builder;
  for (const CountedKernel &kernel : kernels_)
    builder.add_kernel(kernel);
  hazards_.report(builder);
  Observation observation = builder.finish();
  observation.schedule = drawn_order().seed();
  observation.pages = pages_.take();
  observation.links = links_.take();
  observation.partial = early;
  if (failed_) {
    failed_->where = symbols().line(place_of(failed_callers_));
    observation.failed_call = failed_;
  }
  return observation;
}

} // namespace emu
