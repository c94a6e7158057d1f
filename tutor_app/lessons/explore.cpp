#include "explore.hpp"

#include "base/files.hpp"
#include "json_file.hpp"
#include "markers.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <unistd.h>

namespace tutor::lessons {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// The program's text, paths in it relative to the course, wherever that lies.
std::string portable(const std::string &text, const fs::path &root) {
  std::string result = text;
  const std::string prefix = fs::canonical(root).string() + "/";
  for (std::size_t at = 0; (at = result.find(prefix, at)) != std::string::npos;)
    result.erase(at, prefix.size());
  result.erase(result.find_last_not_of('\n') + 1);
  return result;
}

std::string demo_values(const std::string &results) {
  ordered_json values;
  const ordered_json parsed = ordered_json::parse(results);
  for (const ordered_json &demo : parsed.at("demos"))
    values[demo.at("name").get<std::string>()] = demo.at("values");
  return values.dump();
}

/// One launch of a trace, an event per line.
std::string one_launch(const std::string &trace, std::size_t wanted) {
  const ordered_json launches = ordered_json::parse(trace).at("launches");
  if (wanted >= launches.size())
    throw LessonError(
        fmt::format("there are {} launches, and no number {}", launches.size(), wanted));
  ordered_json head = launches[wanted];
  const ordered_json blocks = head["blocks"];
  head.erase("blocks");
  std::string text = head.dump();
  text.back() = ',';
  text += "\n\"blocks\": [";
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    ordered_json block = blocks[b];
    const ordered_json events = block["events"];
    block.erase("events");
    std::string lines = block.dump();
    lines.back() = ',';
    lines += "\n\"events\": [";
    for (std::size_t i = 0; i < events.size(); ++i)
      lines += (i == 0 ? "\n" : ",\n") + events[i].dump();
    text += (b == 0 ? "" : ",\n") + lines + "]}";
  }
  return "{\"launches\": [" + text + "]}]}";
}

std::string recorded_run(const ordered_json &run, const fs::path &program, const fs::path &root) {
  const std::string writes = run.at("writes"), args = run.at("args");
  const WorkFolder scratch;
  const fs::path written = scratch.path() / "exploration.json";
  const std::string observing = "EMU_OBSERVE=1 EMU_OBSERVE_TO=nowhere EMU_OBSERVE_COUNTED=1 ";
  std::string command = writes == "values" ? "" : observing;
  if (writes == "trace")
    command += fmt::format(
        "EMU_OBSERVE_TRACE={} EMU_OBSERVE_TRACE_OF={} ", written.string(), run.value("of", ""));
  else if (writes == "timeline")
    command += fmt::format("EMU_TIMELINE={} ", written.string());
  else if (writes != "values")
    throw LessonError(fmt::format("'{}' is no trace, timeline or values", writes));
  command += fmt::format("'{}.observed' {}", program.string(), args);
  if (writes == "values")
    command += fmt::format(" --json {}", written.string());
  const int status = std::system((command + " >/dev/null 2>&1 </dev/null").c_str());
  if (status != 0 || !fs::exists(written))
    throw LessonError(fmt::format("this run has failed: {}", command));
  const std::string text = read_file(written);
  if (writes == "values")
    return demo_values(text);
  const std::string told = portable(text, root);
  return writes == "trace" ? one_launch(told, run.value("launch", std::size_t{0})) : told;
}

/// One run for each combination of the values of "axes"; {NAME} stands for a value.
std::vector<ordered_json> unfolded(const ordered_json &run) {
  std::vector<ordered_json> runs{run};
  runs[0]["at"] = ordered_json::object();
  const ordered_json axes = run.value("axes", ordered_json::object());
  for (const auto &[axis, values] : axes.items()) {
    std::vector<ordered_json> more;
    for (const ordered_json &one : runs) {
      for (const ordered_json &value : values) {
        const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
        more.push_back(one);
        more.back()["at"][axis] = value;
        for (const char *key : {"name", "args", "on"}) {
          std::string text = one.value(key, "");
          for (std::size_t at; (at = text.find("{" + axis + "}")) != std::string::npos;)
            text.replace(at, axis.size() + 2, word);
          more.back()[key] = text;
        }
      }
    }
    runs = more;
  }
  return runs;
}

/// The description's runs. Throws LessonError when it is none.
std::vector<ordered_json> runs_of(const fs::path &description) {
  const ordered_json about = ordered_json::parse(read_file(description), nullptr, false);
  if (about.is_discarded() || !about.contains("kind") || !about.contains("title") ||
      !about.contains("runs"))
    throw LessonError(description.string() + " lacks kind, title or runs");
  std::vector<ordered_json> runs;
  for (const ordered_json &run : about["runs"])
    for (ordered_json &one : unfolded(run))
      runs.push_back(std::move(one));
  return runs;
}

/// A figure with as many digits as a model is worth.
double to_three_digits(double value) { return std::stod(fmt::format("{:.3g}", value)); }

/// What the time model says of the steps, a line each. The tutor follows the program's launches; it lies in
/// the build that the program belongs to.
std::string
predicted_times(const ordered_json &run, const fs::path &program, const fs::path &root) {
  const fs::path build = program.parent_path().parent_path().parent_path();
  const WorkFolder scratch;
  const fs::path written = scratch.path() / "exploration.json";
  const std::string command = fmt::format(
      "env 'BUILD_FIRST_ROOT={}' 'BUILD_FIRST_BUILD={}' '{}' run {} --on {} --times {} -- {}",
      fs::canonical(root).string(),
      fs::canonical(build).string(),
      (fs::canonical(build) / "tutor_app/tutor").string(),
      program.filename().string(),
      run.at("on").get<std::string>(),
      written.string(),
      run.at("args").get<std::string>());
  const int status = std::system((command + " >/dev/null 2>&1 </dev/null").c_str());
  if (status != 0 || !fs::exists(written))
    throw LessonError(fmt::format("this run has failed: {}", command));
  std::string text = "[";
  ordered_json told = ordered_json::parse(read_file(written));
  for (ordered_json &step : told.at("steps")) {
    for (const char *key : {"ms", "low", "high"})
      if (step.contains(key))
        step[key] = to_three_digits(step[key]);
    const ordered_json all = step.value("terms", ordered_json::object());
    ordered_json terms = ordered_json::object();
    for (const auto &[name, term] : all.items())
      if (const double ms = to_three_digits(term); ms > 0)
        terms[name] = ms;
    step["terms"] = terms;
    text += (text.size() == 1 ? "\n" : ",\n") + step.dump();
  }
  return text + "]";
}

/// Requests and barriers with their lines of source, without basic blocks.
ordered_json essence(const ordered_json &recorded) {
  ordered_json kept = recorded;
  for (ordered_json &run : kept["runs"]) {
    if (!run.contains("trace"))
      continue;
    for (ordered_json &launch : run["trace"]["launches"]) {
      for (ordered_json &block : launch["blocks"]) {
        ordered_json events = ordered_json::array();
        for (ordered_json &event : block["events"]) {
          if (event.contains("place"))
            event["place"] = launch["places"].at(event["place"].get<std::size_t>());
          if (event.contains("access") || event.contains("barrier"))
            events.push_back(event);
        }
        block["events"] = events;
      }
      launch.erase("places");
    }
  }
  return kept;
}

} // namespace

fs::path exploration_recording(const fs::path &description) {
  return fs::path(description).replace_extension(".recorded.json");
}

std::string
record_exploration(const fs::path &description, const fs::path &program, const fs::path &root) {
  const std::string folder = description.parent_path().parent_path().filename().string();
  std::string text = "{\"runs\": [\n";
  const std::vector<ordered_json> runs = runs_of(description);
  for (const ordered_json &run : runs) {
    const std::string writes = run.at("writes");
    const bool times = writes == "times";
    ordered_json head = {{"name", run.at("name")},
                         {"command",
                          fmt::format("./tutor {} {}{} -- {}",
                                      writes == "values" || times ? "run" : "observe",
                                      folder.substr(0, folder.find('_')),
                                      times ? " --on " + run.at("on").get<std::string>() : "",
                                      run.at("args").get<std::string>())}};
    if (times)
      head["at"] = run.at("at");
    std::string begin = head.dump();
    begin.back() = ',';
    text +=
        fmt::format("{}{}\n\"{}\": {}}}",
                    &run == &runs[0] ? "" : ",\n",
                    begin,
                    writes,
                    times ? predicted_times(run, program, root) : recorded_run(run, program, root));
  }
  return text + "]}\n";
}

bool is_of_a_model(const fs::path &description) {
  const std::vector<ordered_json> runs = runs_of(description);
  return std::ranges::any_of(runs,
                             [](const ordered_json &run) { return run.at("writes") == "times"; });
}

bool has_all_runs(const fs::path &description) {
  const ordered_json recorded =
      ordered_json::parse(read_file(exploration_recording(description))).at("runs");
  const std::vector<ordered_json> runs = runs_of(description);
  return std::ranges::equal(
      runs,
      recorded,
      {},
      [](const ordered_json &run) { return run.at("name"); },
      [](const ordered_json &run) { return run.at("name"); });
}

bool same_exploration(const std::string &a, const std::string &b) {
  return a == b || essence(ordered_json::parse(a)) == essence(ordered_json::parse(b));
}

} // namespace tutor::lessons
