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
// nothing to draw, 3 if a file could not be written. A program that Ctrl-C, kill or a limit of its time interrupts
// reports on what it has done, but for the timeline, and exits with 130, 143 or 152, unless it handles these
// signals itself. So does one that crashes, which ends by its signal all the same.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/engine/failures.hpp"
#include "../src/memory/allocations.hpp"
#include "advice.hpp"
#include "host_ranks.hpp"
#include "launch_observer.hpp"
#include "part_counts.hpp"
#include "recorder.hpp"
#include "runtime_observer.hpp"
#include "shares.hpp"
#include "timeline_recorder.hpp"
#include "trace_log.hpp"

namespace emu {

namespace {

/// Ends the program at once, with all that it has printed.
[[noreturn]] void leave(int status) {
  std::cout.flush(); // which has a buffer of its own after sync_with_stdio(false)
  std::fflush(nullptr);
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

void write_or_exit(const char *path, const std::string &text) {
  FILE *file = std::fopen(path, "w");
  if (!file || std::fputs(text.c_str(), file) < 0 || std::fclose(file) != 0) {
    std::fprintf(
        stderr, "emulator: cannot write %s: does its folder exist, is there room?\n", path);
    leave(3);
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
    write_or_exit(svg_path, picture_svg(*line, source_text(line->where)));
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

pid_t reporting = 0; // the process that is to report; 0: none
std::atomic<bool> told{false};

/// Once only, whichever end is the first.
bool may_tell() { return !told.exchange(true); }

void report_at_exit() {
  if (!may_tell())
    return;
  if (interrupted_by != 0)
    alarm(0); // it has come to its end by itself
  recorder()->tell_refused_launches();
  if (hand_over_rest(false))
    return;
  const Observation seen = recorder()->stop();
  const bool drawn = report(seen);
  if (const char *path = std::getenv("EMU_TIMELINE"))
    write_or_exit(path, timeline_json(timeline()));
  if (const char *path = std::getenv("EMU_TIMELINE_SVG")) {
    const Timeline drawn_timeline = timeline();
    write_or_exit(path, timeline_svg(drawn_timeline));
    std::string sums = timeline_sums(drawn_timeline);
    sums.replace(sums.find("; "), 2, ";\n  ");
    std::printf("\n%s\n", sums.c_str());
  }
  if (seen.has_errors() || !drawn)
    leave(drawn ? 1 : 2);
}

/// Of what was seen until now.
void report_as_far() {
  if (!hand_over_rest(true))
    report(recorder()->stop(true));
}

/// The same, from wherever the program is; not while the instruments are at work. Nothing
/// that it needs can be counted on then: after some seconds it is given up.
/// \param exit_status  with which it ends then
void report_early(int exit_status) {
  constexpr unsigned patience = 10; // seconds
  static volatile std::sig_atomic_t status = 1;
  if (looking || !may_tell())
    return;
  status = exit_status;
  std::signal(SIGALRM, [](int) { syscall(SYS_exit_group, status); });
  alarm(patience);
  if (in_kernel())
    kernel_watcher->launch_ends(); // as far as it has come
  report_as_far();
  alarm(0);
}

void end_interrupted(int) {
  static int tries = 0;
  if (looking && ++tries < 1000) { // they have done with one access soon
    ualarm(1000, 0);
    return;
  }
  report_early(128 + interrupted_by);
  syscall(SYS_exit_group, 128 + interrupted_by);
}

// A block that does not end is told to; a program that neither launches nor ends is ended here.
void on_interrupt(int signal) {
  constexpr unsigned patience = 3; // seconds
  if (interrupted_by != 0) // of a time that is over the system tells every second
    return;
  interrupted_by = signal;
  if (pass_on(signal))
    return; // who does the work tells what it has seen
  std::signal(SIGALRM, [](int signal) {
    std::signal(SIGALRM, end_interrupted);
    if (running_failures == nullptr)
      return end_interrupted(signal);
    kernel_watcher->block_is_late();
    alarm(patience);
  });
  alarm(running_failures != nullptr ? patience : 1);
}

// The signal ends the program, as it would have without the report.
void on_crash(int signal) {
  std::signal(signal, SIG_DFL);
  report_early(128 + signal);
  raise(signal);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction before {};
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_DFL) // nohup's, for one
    return;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

void report_before_exit(int status) {
  if (!is_to_report()) // a child ends so, of which nobody asks
    return;
  if (running_failures != nullptr) // while another host thread launches; the watchdog, for one
    report_early(status);
  else
    report_at_exit();
}

void handle_early_ends() {
  report_here();
  before_exit = report_before_exit;
  // A second Ctrl-C ends it at once; SIGTERM may reach a group and each of it.
  handle(SIGINT, on_interrupt, SA_RESTART | static_cast<int>(SA_RESETHAND));
  for (const int signal : {SIGTERM, SIGXCPU})
    handle(signal, on_interrupt, SA_RESTART);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    handle(signal, on_crash, SA_ONSTACK);
}

} // namespace

volatile std::sig_atomic_t interrupted_by = 0;

void report_interrupted() {
  alarm(0);
  if (may_tell())
    report_as_far();
  leave(128 + interrupted_by);
}

bool is_to_report() { return reporting == getpid(); }
void report_here() { reporting = getpid(); }

void end_like(int status) {
  if (is_to_report() && may_tell())
    report_as_far();
  if (WIFSIGNALED(status)) {
    std::signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  leave(WEXITSTATUS(status));
}

constinit Recorder *made_recorder = nullptr;

namespace {

/// Who receives what the emulator tells.
struct Watchers {
  Recorder recorder;
  LaunchObserver launches{recorder};
  RuntimeObserver runtime{recorder};
};

Watchers &watchers() {
  static Watchers &made = []() -> Watchers & {
    auto *all = new Watchers; // live as long as the program: destructors of statics may launch
    made_recorder = &all->recorder;
    kernel_watcher = &all->launches;
    runtime_watcher = &all->runtime;
    tell_of_all_memory(); // managed variables
    return *all;
  }();
  return made;
}

} // namespace

Recorder *recorder() { return &watchers().recorder; }

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
    std::at_quick_exit(report_at_exit);
    handle_early_ends();
  }
  return true;
}();

} // namespace

bool observing() { return true; }
void start_observing() {
  watchers().launches.start();
  recorder()->start();
}
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
void play_rank(int rank) { HostRanks::play(rank); }
void set_timeline_model(const TimelineModel &model) { timeline_model() = model; }
std::string timeline_json(const Timeline &timeline) { return write_json(timeline); }
std::string timeline_svg(const Timeline &timeline) { return draw_svg(timeline); }
Timeline timeline() { return recorder()->timeline().lay_out(timeline_model()); }
void begin_part(const std::string &name) { recorder()->begin_part(name); }

} // namespace emu
