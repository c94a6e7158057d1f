// Observing a whole program, as its environment asks for:
//   EMU_OBSERVE=1          counts and looks for hazards from start to end, then reports on stderr
//   EMU_OBSERVE_TO=stdout  reports there instead; nowhere: not at all
//   EMU_OBSERVE_JSON=FILE  writes the report for programs too
//   EMU_OBSERVE_COUNTS=FILE  writes a few sums for each part of the program (see part_counts)
//   EMU_OBSERVE_PICTURE=FILE:LINE  draws the worst request of that line
//   EMU_OBSERVE_SVG=FILE   as an image; without the above, of the line that wastes most
//   EMU_OBSERVE_TRACE=FILE  writes what the warps of a few blocks did, one thing after the other
//   EMU_OBSERVE_TRACE_OF=global_load,…  and of it only these
//   EMU_TIMELINE=FILE, EMU_TIMELINE_SVG=FILE  when streams did what, by a model (observation/timeline.hpp)
// The exit status is then 1 if a hazard was seen that is more than a warning, 2 if there was
// nothing to draw, 3 if a file could not be written. A program that Ctrl-C or kill interrupts reports on
// what it has done, but for the timeline, and exits with 130 or 143, unless it handles these signals itself.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "advice.hpp"
#include "part_counts.hpp"
#include "recorder.hpp"
#include "timeline_recorder.hpp"
#include "trace_log.hpp"

namespace emu {

namespace {

void write_or_exit(const char *path, const std::string &text) {
  FILE *file = std::fopen(path, "w");
  if (!file || std::fputs(text.c_str(), file) < 0 || std::fclose(file) != 0) {
    std::fprintf(
        stderr, "emulator: cannot write %s: does its folder exist, is there room?\n", path);
    std::_Exit(3);
  }
}

/// \return false if there is nothing to draw
bool draw(const Observation &seen, const char *wanted, const char *svg_path, FILE *out) {
  const LineReport *line = wanted ? find_line(seen, wanted) : most_wasteful_line(seen);
  if (!line) {
    std::fprintf(stderr,
                 "emulator: no warp accessed memory at %s; lines that did:%s\n",
                 wanted ? wanted : "any line",
                 accessing_lines(seen).c_str());
    return false;
  }
  if (wanted)
    std::fprintf(out, "\n%s", picture(*line, terminal_style()).c_str());
  if (svg_path)
    write_or_exit(svg_path, picture_svg(*line));
  return true;
}

/// \return false if there was nothing to draw
bool report(const Observation &seen) {
  const char *to = std::getenv("EMU_OBSERVE_TO");
  const bool to_stdout = to && std::strcmp(to, "stdout") == 0;
  FILE *out = to_stdout ? stdout : stderr;
  std::fflush(stdout);
  if (!to || std::strcmp(to, "nowhere") != 0)
    std::fputs(text_report(seen, to_stdout ? terminal_style() : TextStyle{}).c_str(), out);
  if (const char *path = std::getenv("EMU_OBSERVE_JSON"))
    write_or_exit(path, json_report(seen));
  if (const char *path = std::getenv("EMU_OBSERVE_COUNTS"))
    write_or_exit(path, part_counts(seen));
  if (const char *path = std::getenv("EMU_OBSERVE_TRACE"))
    write_or_exit(path, recorder()->log().json());
  const char *line = std::getenv("EMU_OBSERVE_PICTURE");
  const char *svg = std::getenv("EMU_OBSERVE_SVG");
  const bool drawn = (!line && !svg) || draw(seen, line, svg, out);
  std::fflush(out);
  return drawn;
}

void report_at_exit() {
  if (interrupted_by != 0)
    alarm(0); // it has come to its end by itself
  const Observation seen = recorder()->stop();
  const bool drawn = report(seen);
  if (const char *path = std::getenv("EMU_TIMELINE"))
    write_or_exit(path, timeline_json(timeline()));
  if (const char *path = std::getenv("EMU_TIMELINE_SVG"))
    write_or_exit(path, timeline_svg(timeline()));
  if (seen.has_errors() || !drawn)
    std::_Exit(drawn ? 1 : 2);
}

// A block that does not end is told to; a program that launches no more has no report.
void on_interrupt(int signal) {
  constexpr unsigned patience = 3; // seconds
  interrupted_by = signal;
  std::signal(SIGALRM, [](int) {
    std::signal(SIGALRM, [](int) { _exit(128 + interrupted_by); });
    made_recorder->launch().block_is_late();
    alarm(patience);
  });
  alarm(patience);
}

void handle_interrupts() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_DFL) // nohup's, for one
      continue;
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    if (signal == SIGINT) // a second one ends it at once; SIGTERM may reach a group and each of it
      action.sa_flags |= static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

} // namespace

volatile std::sig_atomic_t interrupted_by = 0;

void report_interrupted() {
  alarm(0);
  report(recorder()->stop(true));
  std::_Exit(128 + interrupted_by);
}

constinit Recorder *made_recorder = nullptr;

Recorder *recorder() {
  static Recorder *instance = [] {
    auto *made = new Recorder; // lives as long as the program: destructors of statics may launch
    made_recorder = made;
    kernel_watcher = &made->launch();
    runtime_watcher = &made->runtime();
    return made;
  }();
  return instance;
}

namespace {

// Before main(), so that nothing is missed.
[[maybe_unused]] const bool started = [] {
  recorder();
  if (std::getenv("EMU_OBSERVE")) {
    const char *of = std::getenv("EMU_OBSERVE_TRACE_OF");
    if (std::getenv("EMU_OBSERVE_TRACE"))
      recorder()->keep_log(of ? of : "");
    start_observing();
    std::atexit(report_at_exit);
    handle_interrupts();
  }
  return true;
}();

} // namespace

bool observing() { return true; }
void start_observing() { recorder()->start(); }
Observation stop_observing() { return recorder()->stop(); }
namespace {

TimelineModel &timeline_model() {
  static TimelineModel model;
  return model;
}

} // namespace

void host_touches(const void *memory, size_t bytes, bool writes) {
  if (recorder()->on() && !in_kernel())
    recorder()->host_accesses(static_cast<const char *>(memory),
                              bytes,
                              writes ? Operation::store : Operation::load,
                              false,
                              0);
}
void set_timeline_model(const TimelineModel &model) { timeline_model() = model; }
std::string timeline_json(const Timeline &timeline) { return write_json(timeline); }
std::string timeline_svg(const Timeline &timeline) { return draw_svg(timeline); }
Timeline timeline() { return recorder()->timeline().lay_out(timeline_model()); }
void begin_part(const std::string &name) { recorder()->begin_part(name); }

} // namespace emu
