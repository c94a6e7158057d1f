#include "base/environment.hpp"
#include "commands/commands.hpp"
#include "predict.hpp"
#include "python.hpp"
#include "record_step_times.hpp"
#include "recording.hpp"
#include "step_times.hpp"
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

/// The entries of an object with these keys, as far as there are any.
ordered_json picked(const ordered_json &object, std::initializer_list<const char *> keys) {
  ordered_json result;
  for (const char *key : keys) {
    if (object.contains(key)) {
      result[key] = object[key];
    }
  }
  return result;
}

/// What is kept of a prediction: four digits of its time, and what binds.
ordered_json kept(const ordered_json &steps) {
  ordered_json result = ordered_json::array();
  for (const ordered_json &step : steps) {
    ordered_json one = picked(step, {"name", "ms", "binds", "term", "assumes", "refused"});
    if (one.contains("ms")) {
      one["ms"] = std::stod(fmt::format("{:.4g}", one["ms"].get<double>()));
    }
    result.push_back(one);
  }
  return result;
}

std::string size_of(const ordered_json &run) {
  return run.contains("rows") ? fmt::format("{}x{}", run["rows"].get<int>(), run["cols"].get<int>())
                              : run.at("n").dump();
}

/// What the model says of one recorded run; the program has been followed at its size.
ordered_json predict_run(const TimeModel &times, const ordered_json &run) {
  const ordered_json predicted =
      kept(times.steps_json(run.value("l2", "warm") == "cold").at("steps"));
  ordered_json result = picked(run, {"chapter", "n", "rows", "cols", "l2"});
  result["steps"] = ordered_json::array();
  for (const ordered_json &step : run.at("steps")) {
    const auto found = find_named(predicted, step.at("name"));
    if (step.value("kind", "step") == "step" && step.contains("ms") && step["ms"].is_number()) {
      result["steps"].push_back(found != predicted.end()
                                    ? *found
                                    : ordered_json{{"name", step["name"]},
                                                   {"refused", "its launches were not followed"}});
    }
  }
  return result;
}

/// The largest --n of a chapter that is predicted, as its ladder declares; 0: none.
double predicted_to(const Build &build, const Chapter &chapter) {
  return list_of(build, chapter).at("predicted_to");
}

/// Of a matrix the edge, of one that is not square that of a square as large.
double size_in_numbers(const ordered_json &run) {
  return run.contains("rows") ? std::sqrt(run["rows"].get<double>() * run["cols"].get<double>())
                              : run.at("n").get<double>();
}

/// A ladder that others have published: the steps of ours with the same numbers, on their device.
ordered_json predict_published(const Course &course, const Build &build, const fs::path &file) {
  constexpr const char *key = "reduction_rtx_4090";
  const ordered_json ladder = read_recording(file.parent_path() / "published.json").at(key);
  const Chapter &chapter = course.find(ladder.at("chapter").get<std::string>());
  TimeModel times(course, build.folder(), "rtx4090", build.folder() / "model" / chapter.id);
  const std::string n = ladder.at("n").dump();
  if (times.follow(build.program(chapter), {"--n", n, "--block", "128"}).exit_code != 0) {
    throw failure("{} --n {} --block 128 failed", chapter.id, n);
  }
  ordered_json run{{"chapter", chapter.id},
                   {"published", key},
                   {"n", ladder.at("n")},
                   {"l2", "warm"},
                   {"steps", ordered_json::array()}};
  for (const ordered_json &step : kept(times.steps_json(false).at("steps"))) {
    const std::string name = step.at("name");
    const std::string number = name.substr(0, name.find('_'));
    if (find_named(ladder.at("steps"), number) != ladder.at("steps").end()) {
      run["steps"].push_back(step);
    }
  }
  return run;
}

/// Rates that others have published of other devices: what steps that do the same take there.
ordered_json predict_bandwidths(const Course &course, const Build &build, const fs::path &file) {
  ordered_json result = ordered_json::array();
  for (const ordered_json &one :
       read_recording(file.parent_path() / "published.json").at("bandwidths")) {
    const Chapter &chapter = course.find(one.at("chapter").get<std::string>());
    TimeModel times(course,
                    build.folder(),
                    one.at("device").get<std::string>(),
                    build.folder() / "model" / chapter.id);
    times.compile_steps(chapter);
    const std::string step = one.at("step");
    if (times.follow(build.program(chapter), {"--n", one.at("n").dump(), "--only", step})
            .exit_code != 0) {
      throw failure("{} --only {} failed", chapter.id, step);
    }
    const ordered_json steps = kept(times.steps_json(true).at("steps"));
    const auto found = find_named(steps, step);
    if (found == steps.end() || !found->contains("ms")) {
      throw failure("no time of {} {}", chapter.id, step);
    }
    result.push_back({{"name", one.at("name")},
                      {"device", times.device_name()},
                      {"ms", found->at("ms")},
                      {"binds", found->at("binds")}});
  }
  return result;
}

void record(const Course &course, const std::string &device, const fs::path &file) {
  Build build(course.root(), Backend::cpu);
  ordered_json result{{"device", ""},
                      {"band", model::band},
                      {"date", fmt::format("{:%Y-%m-%d}", std::chrono::system_clock::now())},
                      {"runs", ordered_json::array()}};
  for (const Chapter &chapter : course.chapters()) {
    const fs::path measured =
        file.parent_path() / fmt::format("nvidia-{}_{}.json", device, chapter.id);
    if (!fs::exists(measured)) {
      continue;
    }
    build.build_all({chapter.id, "launch_collector"}, fmt::format("building {}", chapter.id));
    const double largest = predicted_to(build, chapter);
    if (largest == 0) {
      continue;
    }
    TimeModel times(course, build.folder(), device, build.folder() / "model" / chapter.id);
    times.compile_steps(chapter);
    result["device"] = times.device_name();
    const ordered_json all = read_recording(measured);
    std::string followed;
    for (const ordered_json &run : all.at("runs")) {
      if (size_in_numbers(run) > largest) {
        fmt::print("{} {}: left out, its ladder has it so\n", chapter.id, size_of(run));
        continue;
      }
      if (size_of(run) != followed &&
          times.follow(build.program(chapter), {"--n", size_of(run)}).exit_code != 0) {
        throw failure("{} --n {} failed", chapter.id, size_of(run));
      }
      followed = size_of(run);
      result["runs"].push_back(predict_run(times, run));
      fmt::print("{} {}\n", chapter.id, size_of(run));
      std::fflush(stdout);
    }
  }
  result["runs"].push_back(predict_published(course, build, file));
  result["bandwidths"] = predict_bandwidths(course, build, file);
  write_records(course, file, result);
}

/// Predicts a small recorded run anew: what was recorded is what today's model says.
Exit check(const Course &course, const std::string &device, const fs::path &file) {
  constexpr double tolerance = 0.02; // addresses are others in each run
  constexpr int skipped = 77;
  if (!find_program("clang++")) {
    fmt::print("skipped: there is no clang++\n");
    return static_cast<Exit>(skipped);
  }
  const Chapter &chapter = course.find("02");
  const Build build(course.root(), Backend::cpu); // as it is: a test does not build
  TimeModel times(course, build.folder(), device, build.folder() / "model" / chapter.id);
  times.compile_steps(chapter);
  const ordered_json recorded = read_recording(file);
  const auto run = std::ranges::find_if(recorded.at("runs"), [&](const ordered_json &one) {
    return one.at("chapter") == chapter.id && one.at("n") == 1048576;
  });
  if (run == recorded.at("runs").end() ||
      times.follow(build.program(chapter), {"--n", size_of(*run)}).exit_code != 0) {
    throw failure("{} --n 1048576 cannot be followed", chapter.id);
  }
  int others = 0;
  const ordered_json now = times.steps_json(run->at("l2") == "cold").at("steps");
  for (const ordered_json &step : run->at("steps")) {
    const auto found = find_named(now, step.at("name"));
    const double then = step.value("ms", 0.0),
                 ms = found == now.end() ? 0 : found->value("ms", 0.0);
    if (!(std::abs(ms - then) <= tolerance * then)) {
      fmt::print(
          "{}: {} ms were recorded, today it is {}: record it anew, ./tutor predictions --record\n",
          step.at("name").get<std::string>(),
          then,
          ms);
      ++others;
    }
  }
  return others == 0 ? Exit::ok : Exit::failed;
}

} // namespace

Exit predictions(const Course &course, const ChapterRequest &request) {
  const std::string of = request.device.empty() ? "h200" : request.device;
  const fs::path file =
      course.root() / "docs/results" / fmt::format("nvidia-{}_predictions.json", of);
  if (request.check) {
    return request.steps ? check_step_times(course, of, find_program("clang++").has_value())
                         : check(course, of, file);
  }
  if (request.record) {
    record_step_times(course, of);
    if (request.steps) {
      return Exit::ok;
    }
    record(course, of, file);
  }
  Command show = python(course, "lessons/predictions.py");
  show.push_back(file.string());
  become(show);
}

} // namespace tutor::commands
