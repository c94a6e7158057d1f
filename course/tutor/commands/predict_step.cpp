#include "base/files.hpp"
#include "commands/learner.hpp"
#include "loop/hints.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

using nlohmann::ordered_json;

namespace tutor::commands {
namespace {

constexpr double near_enough = 1.25; ///< a guess within this factor is right

/// What the time model says of a chapter's steps on the H200, at the size of the lesson's tables: the first that was
/// recorded.
ordered_json steps_of_model(const Course &course, const Chapter &chapter) {
  const fs::path file = course.root() / "docs/results/nvidia-h200_predictions.json";
  const ordered_json all = read_json(file);
  const ordered_json runs = all.is_object() ? all.at("runs") : ordered_json::array();
  const auto first = std::ranges::find(
      runs, chapter.id, [](const ordered_json &one) -> std::string { return one.at("chapter"); });
  if (first == runs.end()) {
    throw wrong_usage("no times are predicted of chapter {}", chapter.id);
  }
  ordered_json run = *first;
  run["what"] = run.contains("rows")
                    ? fmt::format("{} x {} elements", run["rows"].dump(), run["cols"].dump())
                    : fmt::format("n = {}", run["n"].dump());
  if (run.contains("devices")) {
    run["what"] =
        fmt::format("{} on {} devices", run["what"].get<std::string>(), run["devices"].dump());
  }
  return run;
}

/// How many times as fast as `before` `step` was measured to be, at the size of the model's run; nothing where nobody did.
std::optional<double> measured_factor(const Course &course,
                                      const Chapter &chapter,
                                      const ordered_json &model,
                                      const std::string &before,
                                      const std::string &step) {
  const fs::path file = course.root() / fmt::format("docs/results/nvidia-h200_{}.json", chapter.id);
  if (!fs::exists(file) || model.contains("devices")) {
    return std::nullopt;
  }
  const ordered_json record = read_json(file);
  for (const ordered_json &run : record.value("runs", ordered_json::array())) {
    const bool same = std::ranges::all_of(std::array{"n", "rows", "cols"}, [&](const char *size) {
      return run.value(size, 0.0) == model.value(size, 0.0);
    });
    std::map<std::string, double> times;
    for (const ordered_json &one : run.value("steps", ordered_json::array())) {
      times[one.at("name")] = one.value("ms", 0.0);
    }
    if (same && run.value("l2", "") == model.value("l2", "") && times[before] > 0 &&
        times[step] > 0) {
      return times[before] / times[step];
    }
  }
  return std::nullopt;
}

std::string time_text(const ordered_json &step) {
  return fmt::format(
      "{:.3g} ms ({})", step.at("ms").get<double>(), step.at("binds").get<std::string>());
}

} // namespace

Exit predict_step(const Course &course, const LearnerRequest &request) {
  const Chapter &chapter = course.find(request.exercise);
  const ordered_json run = steps_of_model(course, chapter);
  const ordered_json &steps = run.at("steps");
  const auto step = std::ranges::find_if(steps, [&](const ordered_json &one) {
    const std::string name = one.at("name");
    return name == request.step || name.starts_with(request.step + "_");
  });
  if (step == steps.end() || step == steps.begin()) {
    throw wrong_usage("'{}' is no step of chapter {} that has one before it: say v1, v2 …",
                      request.step,
                      chapter.id);
  }
  const ordered_json &before = *std::prev(step);
  for (const ordered_json &one : {before, *step}) {
    if (!one.contains("ms")) {
      throw failure("the model refuses {}: {}",
                    one.at("name").get<std::string>(),
                    one.value("refused", "it says nothing"));
    }
  }
  fmt::print("On an H200, {}: how many times as fast as {} is {}?\n",
             run.at("what").get<std::string>(),
             before.at("name").get<std::string>(),
             step->at("name").get<std::string>());
  const double guess = ask_for_number(request, fmt::format("{} {}", chapter.id, request.step));
  const double model = before.at("ms").get<double>() / step->at("ms").get<double>();
  const std::optional<double> measured =
      measured_factor(course, chapter, run, before.at("name"), step->at("name"));
  const double truth = measured.value_or(model);
  const bool right = guess < near_enough * truth && guess > truth / near_enough;
  print_lines({Line(fmt::format("You guessed {:.3g}, and {}{:.3g}{}: {}",
                                guess,
                                measured ? "" : "the model says ",
                                truth,
                                measured ? " was measured" : "",
                                right ? "right." : "worth a thought."),
                    right ? Style::green : Style::yellow)});
  if (measured) {
    fmt::print("The time model, which you have at hand for any kernel, says {:.3g}: ", model);
  }
  fmt::print("{} takes about {}, {} about {}.\nThat is the time model (docs/time_model.md), not a "
             "measurement: no GPU was asked.\n",
             before.at("name").get<std::string>(),
             time_text(before),
             step->at("name").get<std::string>(),
             time_text(*step));
  return Exit::ok;
}

} // namespace tutor::commands
