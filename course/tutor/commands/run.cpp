#include "commands/commands.hpp"

#include "base/environment.hpp"
#include "base/own_program.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "commands/rest.hpp"
#include "commands/step_times.hpp"
#include "commands/times_arguments.hpp"

#include <cstdio>
#include <fmt/format.h>

namespace tutor::commands {

namespace {

/// Plain, on the emulator.
[[noreturn]] void run_own(const Course &course, const ChapterRequest &request) {
  if (request.backend == "gpu" || !request.device.empty() || !request.times.empty()) {
    throw wrong_usage(
        "run FILE.cu is for the emulator, without --backend gpu, --on and --times: for a GPU "
        "compile with nvcc; ./tutor observe FILE.cu --on DEVICE says about how long it takes "
        "there");
  }
  const Build build(course.root(), Backend::cpu);
  const OwnProgram own(request.words, build.folder(), false);
  build.build_all(OwnProgram::targets(), "building the emulator");
  own.make();
  Command command{own.program().string()};
  append(command, request.arguments);
  become(command);
}

} // namespace

Exit run(const Course &course, const ChapterRequest &request) {
  // The path of a chapter's file means the chapter.
  if (is_own(request.words) && course.named(request.words.front()) == nullptr) {
    run_own(course, request);
  }
  const Backend backend = choose_backend(request.backend);
  const Chapter &chapter = course.find(only_word(request.words));
  if (!request.times.empty()) {
    return predict_times(course, chapter, request);
  }
  Build build(course.root(), backend);
  Command command{build.program(chapter).string()};
  std::vector<std::string> targets{chapter.id};
  if (backend == Backend::cpu) {
    // On the emulator a step is known by what is counted, and the observed program counts.
    targets.push_back(Build::observed_target(chapter));
    append(command, {"--counted-by", build.observed_program(chapter).string()});
  }
  build.build_all(targets, fmt::format("building {}", chapter.id));
  explain_once(build.legends_seen(), request.legend);
  append(command, request.arguments);
  const TimesArguments chosen = times_arguments(request.arguments);
  const bool no_devices = !fs::is_directory(course.root() / "emulator/devices");
  if (backend == Backend::gpu || no_devices || !chosen.other.empty()) {
    become(command);
  }
  std::fflush(stdout);
  const int exit_code = tutor::run(command);
  if (exit_code != 0) {
    return static_cast<Exit>(exit_code);
  }
  if (!asks_for_steps(list_of(build, chapter), chosen)) {
    return Exit::ok;
  }
  const bool has_clang = static_cast<bool>(find_program("clang++"));
  if (request.device.empty() || !has_clang) {
    const std::string device = request.device_or_usual();
    const RecordedTimes recorded = recorded_times(course, build, chapter, device, chosen);
    if (recorded.whole || !has_clang || !time_model_is_built(build)) {
      fmt::print("{}", recorded.text);
      return Exit::ok;
    }
  }
  std::fflush(stdout);
  predict_times(course, chapter, request); // what it lacks it has said
  return Exit::ok;
}

} // namespace tutor::commands
