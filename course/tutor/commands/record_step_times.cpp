#include "commands/step_times.hpp"

#include "commands/python.hpp"
#include "commands/recording.hpp"
#include "times/time_model.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using nlohmann::ordered_json;

namespace tutor::commands {
namespace {

/// A chapter's steps as they stand, at the size of a GPU, with what their times depend on.
/// \throws Failure (failed) where none has a time: then clang does not compile it, or the model is ill
ordered_json predicted(const Course &course,
                       const Build &build,
                       const Chapter &chapter,
                       const std::string &device,
                       const ordered_json &list) {
  TimeModel times(course, build.folder(), device, build.folder() / "model" / chapter.id);
  times.compile_steps(chapter);
  if (const Captured followed = times.follow(build.program(chapter), {}); followed.exit_code != 0) {
    throw failure("{} failed: {}", chapter.id, followed.output);
  }
  ordered_json steps = ordered_json::array();
  const ordered_json all = times.steps_json(false);
  for (const ordered_json &step : all.at("steps")) {
    const std::string name = step.at("name");
    ordered_json one{{"name", name},
                     {"text", text_of_step(course, chapter, name)},
                     {"block", timed_block(list, name)}};
    one.update(picked(step, {"ms", "low", "high", "binds", "assumes", "refused"}));
    steps.push_back(one);
  }
  if (std::ranges::all_of(steps, [](const ordered_json &one) { return one.contains("refused"); })) {
    throw failure("{}: no step has a time: {}",
                  chapter.id,
                  steps.empty() ? "none was followed" : steps[0].at("refused").get<std::string>());
  }
  return {{"chapter", chapter.id}, {"n", list.at("n")}, {"size", all.at("size")}, {"steps", steps}};
}

/// What of a recorded run is not so any more: a line for each.
std::vector<std::string> stale(const ordered_json &recorded, const ordered_json &now) {
  constexpr double tolerance = 0.02; // addresses are others in each run
  std::vector<std::string> lines;
  for (const ordered_json &step : now.at("steps")) {
    const auto then = find_named(recorded.at("steps"), step.at("name"));
    const double ms = step.value("ms", 0.0),
                 before = then == recorded.at("steps").end() ? -1 : then->value("ms", 0.0);
    if (!(std::abs(ms - before) <= tolerance * before)) {
      lines.push_back(fmt::format("{} {}: {} ms were recorded, today it is {}",
                                  now.at("chapter").get<std::string>(),
                                  step.at("name").get<std::string>(),
                                  before,
                                  ms));
    }
  }
  return lines;
}

} // namespace

void record_step_times(const Course &course, const std::string &device) {
  Build build(course.root(), Backend::cpu);
  ordered_json result{{"device", ""},
                      {"model", time_model_version},
                      {"description", text_of_device(course, device)},
                      {"date", fmt::format("{:%Y-%m-%d}", std::chrono::system_clock::now())},
                      {"runs", ordered_json::array()}};
  for (const Chapter &chapter : course.chapters()) {
    build.build_all({chapter.id, "launch_collector"}, fmt::format("building {}", chapter.id));
    const ordered_json list = list_of(build, chapter);
    if (list.at("predicted_to") == 0) {
      continue;
    }
    result["runs"].push_back(predicted(course, build, chapter, device, list));
    fmt::print("{} {}\n", chapter.id, list.at("n").dump());
    std::fflush(stdout);
  }
  result["device"] =
      TimeModel(course, build.folder(), device, build.folder() / "model").device_name();
  write_records(course, step_times_file(course, device), result);
}

Exit check_step_times(const Course &course, const std::string &device, bool predict) {
  const ordered_json recorded = read_recording(step_times_file(course, device));
  const Build build(course.root(), Backend::cpu); // as it is: a test does not build
  std::vector<std::string> lines;
  if (recorded.at("model") != time_model_version ||
      recorded.at("description") != text_of_device(course, device)) {
    lines.push_back("the time model, or the device's description, is another one");
  }
  for (const ordered_json &run : recorded.at("runs")) {
    const Chapter &chapter = course.find(run.at("chapter").get<std::string>());
    const ordered_json list = list_of(build, chapter);
    if (run.at("n") != list.at("n")) {
      lines.push_back(fmt::format("{}: n is {} today", chapter.id, list.at("n").dump()));
    }
    for (const ordered_json &step : run.at("steps")) {
      const std::string name = step.at("name");
      if (step.at("text") != text_of_step(course, chapter, name) ||
          step.at("block") != timed_block(list, name)) {
        lines.push_back(
            fmt::format("{} {}: its source or its block is another one", chapter.id, name));
      }
    }
    if (predict && chapter.number == 1) {
      append(lines, stale(run, predicted(course, build, chapter, device, list)));
    }
  }
  for (const std::string &line : lines) {
    fmt::print("{}\n", line);
  }
  if (!lines.empty()) {
    fmt::print("record them anew: ./tutor predictions --record --steps; where the model has "
               "changed, raise "
               "time_model_version\n");
  }
  return lines.empty() ? Exit::ok : Exit::failed;
}

} // namespace tutor::commands
