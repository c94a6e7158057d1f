#include "results.hpp"

#include "json_file.hpp"
#include "markers.hpp"
#include "predictions.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace tutor::lessons {
namespace {

const std::string absent = "–";

const Json &find_run(const Json &root, const ResultsQuery &query) {
  if (!root.contains("runs")) {
    if (!query.run.empty())
      throw LessonError(fmt::format("{} holds one run only: remove run=", query.file.string()));
    return root;
  }
  if (query.run.empty() && root["runs"].size() == 1)
    return root["runs"][0];
  if (query.run.empty())
    throw LessonError(
        fmt::format("{} holds several runs: choose with run=n=…", query.file.string()));
  return find_value(root["runs"], query.run, query.file);
}

std::string formatted(const Json &object, const std::string &key, std::string_view format) {
  const std::optional<double> value = number(object, key);
  return value ? fmt::format(fmt::runtime(format), *value) : absent;
}

/// At least three significant digits, without an exponent.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(size))
    throw LessonError("the figure is not finite: record it anew");
  const int digits =
      size >= 100 || size == 0 ? 0 : 2 - static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.{}f}", value, digits);
}

bool is_wanted(const Json &step, const std::vector<std::string> &words) {
  const std::string name = as_text(step.at("name"));
  return words.empty() || std::any_of(words.begin(), words.end(), [&](const std::string &word) {
           return names_step(word, name);
         });
}

/// The steps of a run that the query asks for; a word that names no step is an error.
std::vector<Json> wanted_steps(const Json &run, const ResultsQuery &query) {
  const std::vector<std::string> words = split(query.steps, ',');
  const Json &all = find_value(run, "steps", query.file);
  for (const std::string &word : words)
    find_value(all, word, query.file);
  std::vector<Json> steps;
  for (const Json &step : all)
    if (is_wanted(step, words))
      steps.push_back(step);
  return steps;
}

std::string check_mark(const Json &step) {
  if (step.contains("skipped") && step["skipped"].is_string())
    return "skipped: " + as_text(step["skipped"]);
  return step.value("ok", false) ? "ok" : "WRONG";
}

/// Host loops and rivals stand beside the ladder: they are no step, and no ceiling of a GPU is theirs.
bool is_step(const Json &row) { return row.value("kind", "step") == "step"; }

/// How many times faster a step is than the step before it.
std::string times_over(const Json &step, const Json *before) {
  const std::optional<double> now = number(step, "ms");
  if (before == nullptr || !is_step(step))
    return absent;
  const std::optional<double> then = number(*before, "ms");
  return now && then && *now > 0 ? fmt::format("{:.2f}", *then / *now) : absent;
}

std::string cell(const std::string &column, const Json &step, const Json *before) {
  if (column == "step")
    return "`" + as_text(step.at("name")) + "`";
  if (column == "check")
    return check_mark(step);
  if (column == "ms")
    return milliseconds(step);
  if (column == "spread")
    return formatted(step, "spread_percent", "{:.1f}");
  if (column == "gbps")
    return formatted(step, "gbps", "{:.1f}");
  if (column == "tflops")
    return formatted(step, "tflops", "{:.2f}");
  if (column == "percent" && step.value("kind", "step") == "cpu")
    return absent;
  if (column == "percent")
    return formatted(step, "percent_of_ceiling", "{:.1f}");
  if (column == "times")
    return times_over(step, before);
  return formatted(step.value("counters", Json::object()), column.substr(8), "{:.4g}");
}

/// What the time model said of a step.
std::string predicted(const std::filesystem::path &file, const Json &run, const Json &step) {
  const std::optional<double> ms = predicted_ms(file, run, as_text(step.at("name")));
  return ms ? milliseconds({{"ms", *ms}}) : absent;
}

Column heading(const std::string &column) {
  if (column == "step" || column == "check")
    return {column, Align::left};
  if (column.starts_with("counter.") && column.size() > 8)
    return {column.substr(8), Align::right};
  const std::vector<std::pair<std::string, std::string>> titles = {
      {"ms", "ms"},
      {"predicted", "predicted, ms"},
      {"spread", "spread, ± %"},
      {"gbps", "GB/s"},
      {"tflops", "TFLOP/s"},
      {"percent", "% of ceiling"},
      {"times", "x over the step before"}};
  for (const auto &[name, title] : titles)
    if (name == column)
      return {title, Align::right};
  throw LessonError(
      fmt::format("unknown column '{}': use step, check, ms, predicted, spread, gbps, "
                  "tflops, percent, times or counter.NAME",
                  column));
}

/// "NVIDIA H200, driver 580.159.04, CUDA 13.0, toolkit 13.0, n = 268435456, recorded 2026-11-20"
std::string origin(const Json &root, const Json &run) {
  std::string text = as_text(run.at("device"));
  const auto add = [&](const char *key, const std::string &before) {
    const Json &holder = run.contains(key) ? run : root;
    if (holder.contains(key) && !holder[key].is_null())
      text += ", " + before + as_text(holder[key]);
  };
  add("driver", "driver ");
  add("toolkit", "toolkit ");
  if (run.contains("rows")) // a matrix that is not square
    text += ", " + as_text(run["rows"]) + " x " + as_text(run["cols"]);
  else
    add("n", "n = ");
  add("date", "recorded ");
  return text;
}

} // namespace

std::string results_table(const ResultsQuery &query) {
  const Json &root = read_json(query.file);
  try {
    const Json &run = find_run(root, query);
    const std::vector<std::string> columns = split(query.columns, ',');
    Table table;
    for (const std::string &column : columns)
      table.columns.push_back(heading(column));
    const std::vector<Json> steps = wanted_steps(run, query);
    const Json *before = nullptr;
    for (const Json &step : steps) {
      table.rows.emplace_back();
      for (const std::string &column : columns)
        table.rows.back().push_back(column == "predicted" ? predicted(query.file, run, step)
                                                          : cell(column, step, before));
      if (is_step(step))
        before = &step;
    }
    const bool predicts = std::ranges::find(columns, "predicted") != columns.end();
    return to_markdown(table) + "\n*" + origin(root, run) + "." +
           (predicts ? " Predicted by the time model, which asks no GPU." : "") + "*\n";
  } catch (const Json::exception &error) {
    throw LessonError(fmt::format("{} lacks something: {}", query.file.string(), error.what()));
  }
}

std::string compare_table(const CompareQuery &query) {
  const Json &published_root = read_json(query.published);
  const Json &measured_root = read_json(query.measured.file);
  try {
    const Json &then = find_value(published_root, query.published_key, query.published);
    const Json &now = find_run(measured_root, query.measured);
    const std::string then_device = as_text(then.at("device"));
    const std::string now_device = as_text(now.at("device"));
    const double peak = then.at("peak_gbps").get<double>();
    Table table{{{"step", Align::left},
                 {then_device + ", GB/s", Align::right},
                 {"% of peak", Align::right},
                 {now_device + ", GB/s", Align::right},
                 {"% of ceiling", Align::right}},
                {}};
    for (const Json &step : then.at("steps")) {
      const Json &ours = find_value(now.at("steps"), as_text(step.at("name")), query.measured.file);
      const std::optional<double> gbps = number(step, "gbps");
      table.rows.push_back({"`" + as_text(ours.at("name")) + "`",
                            gbps ? fmt::format("{:.1f}", *gbps) : absent,
                            gbps ? fmt::format("{:.1f}", 100 * *gbps / peak) : absent,
                            formatted(ours, "gbps", "{:.1f}"),
                            formatted(ours, "percent_of_ceiling", "{:.1f}")});
    }
    return to_markdown(table) + fmt::format("\n*Then: {}, published: {}. Now: {}.*\n",
                                            then_device,
                                            as_text(then.at("source")),
                                            origin(measured_root, now));
  } catch (const Json::exception &error) {
    throw LessonError(
        fmt::format("published or recorded results lack something: {}", error.what()));
  }
}

std::vector<double> figures(const std::filesystem::path &file,
                            const std::vector<std::string> &paths) {
  const Json &root = read_json(file);
  std::vector<double> found;
  for (const std::string &path : paths) {
    const Json &value = find_value(root, path, file);
    if (!value.is_number())
      throw LessonError(fmt::format("'{}' in {} is no number", path, file.string()));
    found.push_back(value.get<double>());
  }
  return found;
}

std::string origin_of(const std::filesystem::path &file) {
  const Json &root = read_json(file);
  std::string text;
  try {
    const bool timed = root.contains("runs") && !root.at("runs").empty();
    const char *const runs = timed ? "runs" : "traps_and_demos"; // some programs have no ladder
    const Json &run = root.contains(runs) ? root.at(runs).at(0) : root;
    text = as_text(run.at("device"));
    for (const auto &[key, before] :
         {std::pair{"driver", ", driver "}, std::pair{"date", ", recorded "}})
      if (const Json &holder = run.contains(key) ? run : root; holder.contains(key))
        text += before + as_text(holder.at(key));
  } catch (const Json::exception &error) {
    throw LessonError(fmt::format("{} lacks something: {}", file.string(), error.what()));
  }
  return text;
}

std::string single_value(const std::filesystem::path &file,
                         const std::string &path,
                         const std::string &format) {
  const Json &root = read_json(file);
  const Json &value = find_value(root, path, file);
  if (!value.is_number() && !value.is_string())
    throw LessonError(fmt::format("'{}' in {} is no single figure", path, file.string()));
  try {
    const std::string spec = "{:" + format + "}";
    if (value.is_string())
      return format.empty() ? value.get<std::string>()
                            : fmt::format(fmt::runtime(spec), value.get<std::string>());
    if (value.is_number_integer() && format.empty())
      return value.dump();
    if (format.empty())
      return three_digits(value.get<double>());
    if (value.is_number_integer() && format.find_first_of("fFgGeE%") == std::string::npos)
      return fmt::format(fmt::runtime(spec), value.get<long long>());
    return fmt::format(fmt::runtime(spec), value.get<double>());
  } catch (const fmt::format_error &) {
    throw LessonError(
        fmt::format("'{}' is no format for this figure: use one such as .1f", format));
  }
}

} // namespace tutor::lessons
