#include "commands/observe.hpp"

#include "base/build.hpp"
#include "base/environment.hpp"
#include "base/files.hpp"
#include "base/own_program.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "observe/observed_page.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

using nlohmann::ordered_json;

namespace tutor::commands {
namespace {

/// A program that is built to be observed.
struct Observed {
  fs::path program, legends_seen;
  bool is_chapter;
};

Observed build_observed(const Course &course, const ObserveRequest &request) {
  Build build(course.root(), Backend::cpu);
  if (is_own(request.target)) {
    const OwnProgram own(request.target, build.folder(), true); // refused before anything is built
    build.build_all(OwnProgram::targets(), "building the emulator");
    own.make();
    return {own.program(), build.legends_seen(), false};
  }
  const Chapter &chapter = course.find(only_word(request.target));
  build.build(Build::observed_target(chapter), "building " + chapter.id + " to be observed");
  return {build.observed_program(chapter), build.legends_seen(), true};
}

/// The command that runs the program with these variables added to its environment.
Command with_environment(const Observed &observed,
                         const ObserveRequest &request,
                         const std::vector<std::string> &variables) {
  Command command{"env", "EMU_OBSERVE=1"};
  append(command, variables);
  if (request.blocks > 0) {
    command.push_back(fmt::format("EMU_OBSERVE_BLOCKS={}", request.blocks));
  }
  command.push_back(observed.program.string());
  append(command, request.arguments);
  return command;
}

std::string ended_by(int exit_code) {
  return fmt::format("was ended by a signal, {}", strsignal(exit_code - 128));
}

/// The report a run has left. \throws Failure when it has left none
ordered_json read_report(const fs::path &file, int exit_code) {
  ordered_json report = read_json(file);
  if (report.is_discarded()) {
    std::string how =
        exit_code > 128 ? ended_by(exit_code) + "," : fmt::format("ended in exit {}", exit_code);
    throw failure("the program {} and left no report", how);
  }
  return report;
}

/// What makes two hazards the same one: all but who happened to meet it, and how often.
std::string identity(const ordered_json &hazard) {
  ordered_json where = {
      hazard.at("kind"), hazard.at("kernel"), hazard.at("file"), hazard.at("line")};
  const ordered_json &other = hazard.at("other");
  where.push_back(other.is_null() ? ordered_json() : other.at("file"));
  where.push_back(other.is_null() ? ordered_json() : other.at("line"));
  return where.dump();
}

std::string side_text(const ordered_json &side) {
  auto triple = [](const ordered_json &v) {
    return fmt::format("({},{},{})", v[0].get<int>(), v[1].get<int>(), v[2].get<int>());
  };
  std::string text =
      fmt::format("    thread {} of block {}", triple(side.at("thread")), triple(side.at("block")));
  if (int line = side.at("line"); line > 0) {
    fs::path file = side.at("file").get<std::string>();
    text += fmt::format("   {}:{}", file.filename(), line);
  }
  return text + "\n";
}

void print_hazard(const ordered_json &hazard) {
  bool warning = hazard.at("warning");
  std::string head =
      fmt::format("{}: {}", warning ? "warning" : "HAZARD", hazard.at("kind").get<std::string>());
  const std::string advice = hazard.at("advice");
  fmt::print("{} in {}\n  {}\n{}{}{}",
             warning ? head : red(head),
             hazard.at("kernel").get<std::string>(),
             hazard.at("message").get<std::string>(),
             side_text(hazard),
             hazard.at("other").is_null() ? "" : side_text(hazard.at("other")),
             advice.empty() ? "" : "  try: " + advice + "\n");
}

/// The command that shows the same again.
std::string command_text(const ObserveRequest &request) {
  Command command{"./tutor", "observe"};
  append(command, request.target);
  if (!request.device.empty()) {
    append(command, {"--on", request.device});
  }
  if (request.blocks > 0) {
    append(command, {"--blocks", std::to_string(request.blocks)});
  }
  if (!request.arguments.empty()) {
    command.emplace_back("--");
  }
  append(command, request.arguments);
  return shell_text(command);
}

/// Runs the program under more schedules of its threads; adds to `report` the hazards that the
/// schedules before have not shown.
void try_schedules(const Observed &observed, const ObserveRequest &request, ordered_json &report) {
  std::set<std::string> known;
  for (const ordered_json &hazard : report.at("hazards")) {
    known.insert(identity(hazard));
  }
  std::size_t before = known.size();
  const WorkFolder work;
  const fs::path file = work.path() / "report.json";
  Progress progress(fmt::format("trying {} schedules", request.schedules));
  for (int seed = 1; seed < request.schedules; ++seed) {
    progress.update(seed, request.schedules);
    fs::remove(file);
    std::string schedule = fmt::format("EMU_SCHEDULE={}", seed);
    Captured run = capture(with_environment(
        observed,
        request,
        {schedule, "EMU_OBSERVE_TO=nowhere", "EMU_OBSERVE_JSON=" + file.string()}));
    ordered_json found = read_report(file, run.exit_code);
    if (found.value("schedule", 0) != seed) {
      throw failure("the program did not follow {}", schedule);
    }
    for (ordered_json &hazard : found.at("hazards")) {
      if (known.insert(identity(hazard)).second) {
        hazard["schedule"] = seed;
        fmt::print("\nOnly in another order of the threads ({} {} shows it again):\n",
                   schedule,
                   command_text(request));
        print_hazard(hazard);
        report["hazards"].push_back(hazard);
      }
    }
  }
  progress.finish();
  if (known.size() == before) {
    fmt::print("{} orders of the threads tried: no other hazard\n", request.schedules);
  }
}

bool has_hazard(const ordered_json &report) {
  return std::ranges::any_of(report.at("hazards"), [](const ordered_json &hazard) {
    return !hazard.at("warning").get<bool>();
  });
}

/// The page, of a report and what the emulator has left in `trace`.
void write_page(const Course &course,
                const ObserveRequest &request,
                const ordered_json &report,
                const ordered_json &trace) {
  if (report.at("kernels").empty()) {
    throw failure("the program launched no kernel, so {} was not written", request.html);
  }
  write_result(request.html,
               observed_page({command_text(request), course.root() / "docs/site", report, trace}));
  fmt::print("The page: {}\n", fs::absolute(request.html));
}

/// A chapter's exit codes mean what the tutor's mean; of other programs nobody knows.
bool has_refused(const Observed &observed, int exit_code) {
  return observed.is_chapter && (exit_code == 2 || exit_code == 3);
}

/// The end of a program that ran to its own.
Exit end_of(const Observed &observed,
            const ObserveRequest &request,
            const ordered_json &report,
            int exit_code) {
  if (exit_code == 2 && !(request.picture.empty() && request.svg.empty())) {
    return Exit::usage; // nothing was drawn, and the report has said which lines there are
  }
  if (has_hazard(report)) {
    return Exit::failed;
  }
  if (exit_code == 0 || has_refused(observed, exit_code)) {
    return static_cast<Exit>(exit_code);
  }
  fmt::print(stderr, "tutor: the program ended in exit {}\n", exit_code);
  return Exit::failed;
}

} // namespace

Exit observe(const Course &course, const ObserveRequest &request) {
  const bool is_program =
      is_own(request.target) || course.named(only_word(request.target)) != nullptr;
  return is_program && request.device.empty() ? observe_program(course, request, nullptr)
                                              : observe_in_full(course, request);
}

Exit observe_program(const Course &course,
                     const ObserveRequest &request,
                     const FollowProgram &follow) {
  for (const std::string &argument : request.arguments) {
    if (argument == "--picture" || argument == "--svg" || argument == "--timeline") {
      throw wrong_usage("{} is the tutor's: it stands before the --, and behind that what the "
                        "program is told",
                        argument);
    }
  }
  for (const std::string &result : {request.json, request.html, request.svg, request.timeline}) {
    if (!result.empty()) {
      expect_writable(result);
    }
  }
  const Observed observed = build_observed(course, request);
  explain_once(observed.legends_seen, request.legend);
  const std::unique_ptr<Follower> times = follow ? follow(observed.program) : nullptr;
  const WorkFolder work;
  const fs::path file = work.path() / "report.json", trace = work.path() / "trace.json";
  Command variables{"EMU_OBSERVE_TO=stdout", "EMU_OBSERVE_JSON=" + file.string()};
  const auto set = [&](const char *variable, const std::string &value) {
    if (!value.empty()) {
      variables.push_back(fmt::format("{}={}", variable, value));
    }
  };
  set("EMU_OBSERVE_PICTURE", request.picture);
  set("EMU_OBSERVE_SVG", request.svg.empty() ? "" : fs::absolute(request.svg).string());
  set("EMU_TIMELINE_SVG", request.timeline.empty() ? "" : fs::absolute(request.timeline).string());
  set("EMU_OBSERVE_TRACE", request.html.empty() ? "" : trace.string());
  append(variables, times ? times->variables() : Command());

  const int exit_code = run_to_its_end(with_environment(observed, request, variables));
  if (!fs::exists(file) && has_refused(observed, exit_code)) {
    return static_cast<Exit>(exit_code); // it has said why, and ran nothing to report on
  }
  ordered_json report = read_report(file, exit_code);
  const bool partial = report.value("partial", false);
  if (partial && exit_code > 128) {
    fmt::print(stderr, "tutor: the program {}\n", ended_by(exit_code));
  }
  if (times && !partial) {
    fmt::print("{}", times->text());
    times->add_predictions(report);
  }
  if (request.schedules > 1 && !partial) {
    try_schedules(observed, request, report);
  }
  if (!request.json.empty()) {
    write_result(request.json, report.dump(2) + "\n");
  }
  if (!request.html.empty()) {
    write_page(course, request, report, read_report(trace, exit_code));
  }
  // 128 and the signal, as a shell has it.
  return partial ? static_cast<Exit>(exit_code) : end_of(observed, request, report, exit_code);
}

} // namespace tutor::commands
