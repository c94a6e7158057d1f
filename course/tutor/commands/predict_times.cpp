#include "commands/commands.hpp"

#include "base/environment.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "commands/rest.hpp"
#include "commands/step_times.hpp"
#include "commands/times_arguments.hpp"
#include "times/time_model.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutor::commands {

bool time_model_is_built(const Build &build) {
  return fs::exists(build.folder() / "course/time_model/liblaunch_collector.so");
}

/// Follows the launches of every step at the size of a GPU.
Exit predict_times(const Course &course, const Chapter &chapter, const ChapterRequest &request) {
  const TimesArguments chosen = times_arguments(request.arguments);
  if (!chosen.other.empty()) {
    throw wrong_usage(
        "{} is not for times: these go with --n, --only, --block, --seed and --l2 alone",
        chosen.other);
  }
  const bool to_file = !request.times.empty() && request.times != "-";
  if (to_file) {
    expect_writable(request.times);
  }
  const std::string device = request.device_or_usual();
  const Build build(course.root(), Backend::cpu);
  if (!to_file && !find_program("clang++")) {
    build.build_all({chapter.id}, fmt::format("building {}", chapter.id));
    fmt::print("{}", recorded_times(course, build, chapter, device, chosen).text);
    return Exit::ok;
  }
  build.build_all({chapter.id, "launch_collector"}, "building the time model");
  TimeModel times(course, build.folder(), device, build.folder() / "model" / chapter.id);
  times.compile_steps(chapter);
  const Captured followed = times.follow(build.program(chapter), chosen.kept);
  if (followed.exit_code == 0) {
    fmt::print("{}", times.steps_text(chosen.cold));
    if (to_file) {
      write_result(request.times, times.steps_json(chosen.cold).dump(1) + "\n");
    }
  } else {
    fmt::print(stderr, "{}", followed.output);
  }
  return static_cast<Exit>(followed.exit_code);
}

} // namespace tutor::commands
