#include "recorder.hpp"

#include <algorithm>
#include <utility>

#include "../src/engine/drawn_order.hpp"
#include "bounds.hpp"
#include "host_ranks.hpp"
#include "host_shadows.hpp"
#include "leaks.hpp"
#include "races.hpp"
#include "symbols.hpp"
#include "task_races.hpp"
#include "timeline_recorder.hpp"
#include "trace_log.hpp"

namespace emu {

constinit thread_local const char *running_kernel = nullptr;

std::recursive_mutex &instruments_mutex() {
  static std::recursive_mutex &made =
      *new std::recursive_mutex; // destructors of statics may launch
  return made;
}

// The order in which all of them are told: who finds out what a task has cost before the timeline, who
// keeps what memory holds first.
Recorder::Recorder()
    : bounds_(std::make_unique<Bounds>(*this, shadow_)), races_(std::make_unique<Races>(*this)),
      leaks_(std::make_unique<Leaks>()), shadow_uses_(std::make_unique<ShadowUses>(*this)),
      host_ranks_(std::make_unique<HostRanks>(*this)),
      task_races_(std::make_unique<TaskRaces>(*this)),
      timeline_(std::make_unique<TimelineRecorder>()) {
  for (Observer *observer : std::initializer_list<Observer *>{bounds_.get(),
                                                              &counters_,
                                                              races_.get(),
                                                              leaks_.get(),
                                                              &links_,
                                                              task_races_.get(),
                                                              host_ranks_.get(),
                                                              &pages_,
                                                              timeline_.get()})
    add(observer);
}

Recorder::~Recorder() = default;

void Recorder::add(Observer *observer) {
  observer->place = observers_.size();
  observers_.push_back(observer);
  if (observer->wants() & Observer::host_accesses)
    of_host_accesses_.push_back(observer);
  if (observer->wants() & Observer::requests)
    of_requests_.push_back(observer);
}

void Recorder::host_accesses(
    const char *address, size_t bytes, Operation operation, bool is_volatile, uint32_t pc) {
  const Look look;
  const HostAccess access = {address, bytes, operation, is_volatile, pc, on()};
  if (shadow_uses_->are(access)) // it is no memory that kernels have
    return;
  for (Observer *observer : of_host_accesses_)
    observer->host_access(access);
}

void Recorder::host_frees(const void *memory, size_t bytes) {
  const Look look;
  task_races_->host_frees(memory, bytes);
}

void Recorder::found(const FoundHazard &hazard) {
  const LockedLook look;
  if (on())
    hazards_.add(hazard, running_kernel ? running_kernel : "", part_);
}

void Recorder::came_round(uint32_t pc) {
  const LockedLook look;
  hazards_.came_round(pc);
}

void Recorder::came_late(const Side &read, const Side &write) {
  const LockedLook look;
  hazards_.came_late(read, write);
}

void Recorder::counted(CountedKernel kernel) {
  const LockedLook look;
  // From the end: a loop repeats what was launched last.
  const auto same =
      std::find_if(kernels_.rbegin(), kernels_.rend(), [&](const CountedKernel &earlier) {
        return earlier.like(kernel);
      });
  if (same != kernels_.rend())
    same->add(kernel);
  else
    kernels_.push_back(std::move(kernel));
}

void Recorder::failed(const FailedCall &call,
                      const std::vector<uint32_t> &callers,
                      bool is_launch) {
  if (is_launch)
    refused_.push_back({std::this_thread::get_id(), call, callers});
  if (failed_)
    return;
  failed_ = call;
  failed_callers_ = callers;
}

void Recorder::error_fetched() {
  std::erase_if(refused_, [](const RefusedLaunch &launch) {
    return launch.host_thread == std::this_thread::get_id();
  });
}

void Recorder::tell_refused_launches() {
  const LockedLook look;
  for (const RefusedLaunch &launch : refused_)
    found({"refused_launch",
           true,
           {{}, place_of(launch.callers), {}, {}},
           {},
           "the launch " + launch.call.launch + " was refused (" + launch.call.error +
               "), and the program never asks for its error"});
}

void Recorder::start() {
  const LockedLook look;
  kernels_.clear();
  hazards_.clear();
  failed_.reset();
  refused_.clear();
  tell(&Observer::start);
  on_ = true;
}

void Recorder::keep_log(const std::string &of) {
  log_ = std::make_unique<TraceLog>(of);
  log_->part_begins(part_);
  add(log_.get());
}

void Recorder::begin_part(const std::string &name) {
  const LockedLook look;
  part_ = name;
  tell(&Observer::part_begins, name);
}

std::string Recorder::hand_over(bool at_the_end) {
  const LockedLook look;
  if (at_the_end)
    leaks_->stop(*this);
  std::vector<PageReport> pages = pages_.take();
  auto moved = links_.take_moved();
  Bytes bytes;
  bytes(kernels_, hazards_, pages, moved, failed_, failed_callers_);
  kernels_.clear();
  hazards_.clear();
  failed_.reset();
  return bytes.text();
}

void Recorder::take_over(const std::string &seen) {
  const LockedLook look;
  std::vector<CountedKernel> kernels;
  HazardList hazards;
  std::vector<PageReport> pages;
  std::map<Links::Ends, Links::Moved> moved;
  std::optional<FailedCall> failure;
  std::vector<uint32_t> callers;
  Bytes bytes(seen);
  bytes(kernels, hazards, pages, moved, failure, callers);
  for (CountedKernel &kernel : kernels)
    counted(std::move(kernel));
  hazards_.add(hazards);
  pages_.add(pages);
  links_.add(moved);
  if (failure && !failed_) {
    failed_ = failure;
    failed_callers_ = callers;
  }
}

void Recorder::forget_made() {
  const LockedLook look;
  leaks_->forget();
}

Observation Recorder::stop(bool early) {
  const LockedLook look;
  if (!early) // what is not freed yet need not be lost
    leaks_->stop(*this);
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
    if (const SourceLine &asked = asked_in(failed_callers_); asked.line != failed_->where.line) {
      const std::string line = "line " + std::to_string(asked.line);
      failed_->launch = failed_->launch.empty() ? "what " + line + " asks for"
                                                : failed_->launch + ", asked for in " + line;
    }
    observation.failed_call = failed_;
  }
  return observation;
}

} // namespace emu
