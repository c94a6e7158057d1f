#include "commands/commands.hpp"

#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutor::commands {
namespace {

using Json = nlohmann::ordered_json;

/// Runs one chapter's program on the GPU and returns what it measured.
Json measure(const Build &build, const Chapter &chapter) {
  build.build(chapter.id, "building " + chapter.id);
  fs::path file = build.folder() / (chapter.id + ".bench.json");
  fs::remove(file);
  int exit_code = tutor::run({build.program(chapter).string(), "--json", file.string()});
  if (exit_code != 0) {
    throw failure("{} ended in exit {}; nothing was recorded", chapter.id, exit_code);
  }
  Json result = read_json(file);
  if (result.is_discarded()) {
    throw failure("{} left no readable {}", chapter.id, file);
  }
  return result;
}

/// The runs of a recording: those of a file of `bench` or of docs/results, or what a program wrote with --json.
Json runs_of(const fs::path &file) {
  const Json json = read_json(file);
  const Json runs =
      json.is_object() && json.contains("runs") ? json.at("runs") : Json::array({json});
  for (const Json &run : runs) {
    if (!run.is_object() || !run.contains("steps")) {
      throw wrong_usage("{} is no recording: ./tutor bench --out FILE makes one", file);
    }
  }
  return runs;
}

/// \throws Failure (usage) where times of the one say nothing about those of the other
void expect_alike(const Json &old_run, const Json &new_run) {
  for (const char *key : {"chapter", "device", "n", "rows", "cols", "l2"}) {
    const Json then = old_run.value(key, Json()), now = new_run.value(key, Json());
    if (then != now) {
      throw wrong_usage(
          "these cannot be compared: {} is {} in the one recording and {} in the other",
          key,
          then.dump(),
          now.dump());
    }
  }
}

const Json *find_step(const Json &run, const Json &name) {
  for (const Json &step : run.at("steps")) {
    if (step.at("name") == name) {
      return &step;
    }
  }
  return nullptr;
}

bool was_timed(const Json *step) {
  return step != nullptr && step->value("ms", Json()).is_number();
}

/// A line of the table. A change counts where it is larger than what the runs of either recording spread.
std::string line_of(const std::string &name, const Json *then, const Json *now) {
  const auto cell = [](const Json *step) {
    return was_timed(step) ? fmt::format("{:.4f}", step->at("ms").get<double>()) : "–";
  };
  std::string ratio, verdict;
  if (was_timed(then) && was_timed(now)) {
    const double old_ms = then->at("ms"), new_ms = now->at("ms");
    const double spread = std::max(then->value("spread", 0.0), now->value("spread", 0.0));
    ratio = fmt::format("{:.3f}", new_ms / old_ms);
    verdict = !(std::abs(new_ms - old_ms) > spread) ? "within the spread"
              : new_ms < old_ms                     ? "faster"
                                                    : "slower";
  }
  std::string line =
      fmt::format("{:<32}{:>12}{:>12}{:>9}  {}", name, cell(then), cell(now), ratio, verdict);
  return line.erase(line.find_last_not_of(' ') + 1) + "\n";
}

std::string table_of(const Json &old_run, const Json &new_run) {
  const std::string size =
      new_run.contains("rows")
          ? fmt::format("{} x {}", new_run["rows"].dump(), new_run.at("cols").dump())
          : "n = " + new_run.at("n").dump();
  std::string text = fmt::format("{} on {}, {}, L2 {}\n{:<32}{:>12}{:>12}{:>9}\n",
                                 new_run.value("chapter", ""),
                                 new_run.value("device", ""),
                                 size,
                                 new_run.value("l2", ""),
                                 "step",
                                 "old ms",
                                 "new ms",
                                 "ratio");
  for (const Json &step : new_run.at("steps")) {
    text += line_of(step.at("name"), find_step(old_run, step.at("name")), &step);
  }
  for (const Json &step : old_run.at("steps")) {
    if (find_step(new_run, step.at("name")) == nullptr) {
      text += line_of(step.at("name"), &step, nullptr);
    }
  }
  return text;
}

/// Prints a line for each step of two recordings; refuses what cannot be compared.
Exit compare_recordings(const fs::path &old_file, const fs::path &new_file) {
  const Json old_runs = runs_of(old_file), new_runs = runs_of(new_file);
  if (old_runs.size() != new_runs.size()) {
    throw wrong_usage("these cannot be compared: {} runs in the one recording and {} in the other",
                      old_runs.size(),
                      new_runs.size());
  }
  std::string text;
  try {
    for (std::size_t i = 0; i < new_runs.size(); ++i) {
      expect_alike(old_runs[i], new_runs[i]);
      text += table_of(old_runs[i], new_runs[i]);
    }
  } catch (const Json::exception &error) {
    throw wrong_usage("a recording lacks something: {}", error.what());
  }
  fmt::print("{}", text);
  return Exit::ok;
}

} // namespace

Exit bench(const Course &course, const ChapterRequest &request) {
  if (!request.recordings.empty()) {
    return compare_recordings(request.recordings[0], request.recordings[1]);
  }
  if (request.out.empty()) {
    throw wrong_usage("--out is required: the file to write");
  }
  expect_writable(request.out);
  std::vector<Chapter> chapters = course.chapters();
  if (!request.words.empty()) {
    chapters = each(request.words, [&](const std::string &word) { return course.find(word); });
  }

  // Times on the emulator say nothing about a GPU, so there is no falling back to it here.
  Build build(course.root(), choose_backend("gpu"));
  Json runs = Json::array();
  for (const Chapter &chapter : chapters) {
    runs.push_back(measure(build, chapter));
  }

  write_result(request.out, Json{{"runs", runs}}.dump(2) + "\n");
  fmt::print("Recorded {} chapters in {}\n", runs.size(), request.out);
  return Exit::ok;
}

} // namespace tutor::commands
