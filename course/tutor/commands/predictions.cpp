#include "base/environment.hpp"
#include "commands/commands.hpp"
#include "predict.hpp"
#include "python.hpp"
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

/// What is kept of a prediction: its time, and what binds.
ordered_json kept(const ordered_json &steps) {
  ordered_json result = ordered_json::array();
  for (const ordered_json &step : steps) {
    result.push_back(picked(step, {"name", "ms", "binds", "term", "assumes", "refused"}));
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
  times.compile_steps(chapter);
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
  const ordered_json published = read_recording(file.parent_path() / "published.json");
  for (const ordered_json &one : published.at("bandwidths")) {
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

/// Kernels that are not in the course, each as events around it alone see it. The program is built.
ordered_json predict_blind(const Course &course, const Build &build, const std::string &device) {
  const fs::path source = course.root() / "course/time_model/blind/blind.cu";
  TimeModel times(course, build.folder(), device, build.folder() / "model/blind");
  times.compile({source}, {source.parent_path()});
  const Captured followed = times.follow(build.folder() / "course/time_model/blind", {"--once"});
  if (followed.exit_code != 0) {
    throw failure("blind --once failed: {}", followed.output);
  }
  return kept(times.kernels_json());
}

/// Writes beside what was predicted of those kernels before they were timed what the model says since.
void record_since(const Course &course, const Build &build, const fs::path &results) {
  constexpr std::string_view before = "nvidia-", behind = "_blind.json";
  for (const fs::directory_entry &entry : fs::directory_iterator(results)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(before) || !name.ends_with(behind)) {
      continue;
    }
    const ordered_json now = predict_blind(
        course, build, name.substr(before.size(), name.size() - before.size() - behind.size()));
    ordered_json recorded = read_recording(entry.path());
    for (ordered_json &set : recorded.at("sets")) {
      ordered_json &kernels = set.at("kernels");
      if (std::ranges::all_of(kernels, [&](const ordered_json &kernel) {
            return find_named(now, kernel.at("name")) != now.end();
          })) {
        for (ordered_json &kernel : kernels) {
          kernel["after_ms"] = find_named(now, kernel.at("name"))->at("ms");
        }
      }
    }
    write_records(course, entry.path(), recorded);
  }
}

/// The recording of a chapter on so many of a device.
fs::path
measured_on(const fs::path &file, const std::string &device, int devices, const Chapter &chapter) {
  const std::string several = devices > 1 ? fmt::format("-x{}", devices) : "";
  return file.parent_path() / fmt::format("nvidia-{}{}_{}.json", device, several, chapter.id);
}

/// Predicts the runs of a chapter on so many devices, those that its ladder leaves in.
void add_runs(ordered_json &result,
              TimeModel &times,
              const fs::path &program,
              const ordered_json &measured,
              int devices,
              double largest) {
  const std::string name = program.filename().string();
  std::string followed;
  for (const ordered_json &run : measured.at("runs")) {
    // Two devices' memory is what a run of several may take here.
    if (size_in_numbers(run) * devices > largest * std::min(devices, 2)) {
      fmt::print("{} {}: left out\n", name, size_of(run));
      continue;
    }
    if (size_of(run) != followed &&
        times.follow(program, {"--n", size_of(run)}, devices).exit_code != 0) {
      throw failure("{} --n {} failed", name, size_of(run));
    }
    followed = size_of(run);
    ordered_json predicted = predict_run(times, run);
    if (devices > 1) {
      predicted["devices"] = devices;
    }
    result["runs"].push_back(predicted);
    fmt::print("{} {}\n", name, size_of(run));
    std::fflush(stdout);
  }
}

void record(const Course &course, const std::string &device, const fs::path &file) {
  Build build(course.root(), Backend::cpu);
  ordered_json result{{"device", ""},
                      {"band", model::band},
                      {"date", fmt::format("{:%Y-%m-%d}", std::chrono::system_clock::now())},
                      {"runs", ordered_json::array()}};
  for (const Chapter &chapter : course.chapters()) {
    const auto is_measured = [&](int devices) {
      return fs::exists(measured_on(file, device, devices, chapter));
    };
    constexpr int counts[] = {1, 2, 4, 8};
    if (std::ranges::none_of(counts, is_measured)) {
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
    for (const int devices : counts) {
      if (is_measured(devices)) {
        add_runs(result,
                 times,
                 build.program(chapter),
                 read_recording(measured_on(file, device, devices, chapter)),
                 devices,
                 largest);
      }
    }
  }
  result["runs"].push_back(predict_published(course, build, file));
  result["bandwidths"] = predict_bandwidths(course, build, file);
  build.build_all({"blind"}, "building the kernels that are not in the course");
  result["blind"] = predict_blind(course, build, device);
  record_since(course, build, file.parent_path());
  write_records(course, file, result);
}

/// Of recorded steps or kernels, how many have other times today.
int count_others(const ordered_json &recorded, const ordered_json &now) {
  constexpr double tolerance = 0.02; // addresses are others in each run
  int others = 0;
  for (const ordered_json &step : recorded) {
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
  return others;
}

/// Predicts small recorded runs anew, one of kernels and one of several devices, and the kernels that are not in the
/// course: what was recorded is what today's model says.
Exit check(const Course &course, const std::string &device, const fs::path &file) {
  constexpr int skipped = 77;
  constexpr int n = 1048576;
  if (!find_program("clang++")) {
    fmt::print("skipped: there is no clang++\n");
    return static_cast<Exit>(skipped);
  }
  const ordered_json recorded = read_recording(file);
  const Build build(course.root(), Backend::cpu); // as it is: a test does not build
  int others = 0;
  for (const auto &[id, devices] : {std::pair{"02", 1}, std::pair{"12", 2}}) {
    const Chapter &chapter = course.find(id);
    // clang 14 captures no bindings
    const auto run =
        std::ranges::find_if(recorded.at("runs"), [&, count = devices](const ordered_json &one) {
          return one.at("chapter") == chapter.id && one.at("n") == n &&
                 one.value("devices", 1) == count;
        });
    TimeModel times(course, build.folder(), device, build.folder() / "model" / chapter.id);
    times.compile_steps(chapter);
    if (run == recorded.at("runs").end() ||
        times.follow(build.program(chapter), {"--n", size_of(*run)}, devices).exit_code != 0) {
      throw failure("{} --n {} cannot be followed", chapter.id, n);
    }
    others += count_others(run->at("steps"), times.steps_json(run->at("l2") == "cold").at("steps"));
  }
  others += count_others(recorded.at("blind"), predict_blind(course, build, device));
  return others == 0 ? Exit::ok : Exit::failed;
}

} // namespace

Exit predictions(const Course &course, const ChapterRequest &request) {
  const std::string of = request.device_or_usual();
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
