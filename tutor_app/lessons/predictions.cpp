#include "predictions.hpp"

#include "markers.hpp"
#include "quantities.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace tutor::lessons {
namespace {

namespace fs = std::filesystem;

/// nvidia-h200 of .../nvidia-h200_predictions.json
std::string device_of(const fs::path &file) {
  const std::string name = file.filename().string();
  const std::size_t end = name.rfind("_predictions.json");
  if (end == std::string::npos)
    throw LessonError(fmt::format("'{}' must be DEVICE_predictions.json", name));
  return name.substr(0, end);
}

bool same_run(const Json &a, const Json &b) {
  const auto same = [&](const char *key) { return a.value(key, Json()) == b.value(key, Json()); };
  return same("n") && same("rows") && same("cols") && same("l2");
}

std::string name_of(const Json &run) {
  const std::string size = run.contains("rows")
                               ? as_text(run["rows"]) + " x " + as_text(run.at("cols"))
                               : "n = " + as_text(run.at("n"));
  return size + (run.value("l2", "warm") == "cold" ? ", cold L2" : "");
}

/// What ncu records where a term binds: the longest waits of warps, the busiest units.
struct Meaning {
  const char *term;
  std::vector<const char *> stalls, units;
};
const std::vector<Meaning> meanings = {
    {"memory", {"long_scoreboard"}, {"dram", "l2"}},
    {"l2", {"long_scoreboard", "drain", "lg_throttle"}, {"l2", "dram"}},
    {"l1", {"lg_throttle", "mio_throttle"}, {"l1", "lsu"}},
    {"shared", {"mio_throttle", "short_scoreboard"}, {"shared", "l1", "lsu"}},
    {"issue", {"not_selected"}, {"issue"}},
    {"fma", {"math_pipe_throttle"}, {"fma", "issue"}},
    {"alu", {"math_pipe_throttle"}, {"alu", "issue"}},
    {"fp64", {"math_pipe_throttle"}, {"fp64"}},
    {"special", {"math_pipe_throttle", "mio_throttle"}, {"xu"}},
    {"atomics", {"lg_throttle", "drain"}, {"atomics"}},
    {"latency", {"long_scoreboard"}, {}},
    {"shared_latency", {"short_scoreboard", "mio_throttle"}, {}},
    {"barriers", {"barrier"}, {}},
    {"dependence", {"wait"}, {}},
    {"queues", {"lg_throttle", "mio_throttle", "drain"}, {}},
    {"units", {"math_pipe_throttle", "not_selected", "dispatch"}, {}},
    {"launch", {}, {}}};

std::pair<double, std::string>
largest(const Json &launch, const Names &names, const std::string &prefix) {
  std::pair<double, std::string> most{-1, ""};
  for (const auto &[key, name] : names)
    if (const std::optional<double> value = number(launch, key); value && *value > most.first)
      most = {*value, std::string(key).substr(prefix.size())};
  return most;
}

/// Whether ncu looked at this run: its arguments hold the size, as a number or as 2^25.
bool is_of_run(const Json &reason, const Json &run) {
  const std::string args = " " + as_text(reason.at("args")) + " ";
  const double n = run.value("n", 0.0);
  if (run.contains("rows") || n <= 0)
    return false;
  const int exponent = static_cast<int>(std::log2(n));
  return args.find(fmt::format(" --n {:.0f} ", n)) != std::string::npos ||
         (std::exp2(exponent) == n &&
          args.find(fmt::format(" --n 2^{} ", exponent)) != std::string::npos);
}

void add_recorded(PredictedStep &step,
                  const std::string &term,
                  const Json &reasons,
                  const Json &run) {
  for (const Json &reason : reasons.at("runs")) {
    if (as_text(reason.at("program")) != step.chapter || as_text(reason.at("step")) != step.step ||
        !is_of_run(reason, run) || reason.at("launches").empty())
      continue;
    const Json &launch = reason.at("launches")[0];
    const auto [stalled, stall] = largest(launch, stall_names, "stall_");
    const auto [busy, unit] = largest(launch, unit_names, "unit_");
    step.recorded = fmt::format("{}; {}, {:.0f} %", stall, unit, busy);
    const auto meaning = std::ranges::find(meanings, term, &Meaning::term);
    if (meaning == meanings.end())
      throw LessonError(fmt::format("'{}' is no term of the time model", term));
    step.agrees = std::ranges::find(meaning->stalls, stall) != meaning->stalls.end() ||
                  std::ranges::find(meaning->units, unit) != meaning->units.end();
    return;
  }
}

const Json *find_prediction(const Json &predictions,
                            const std::string &chapter,
                            const Json &run,
                            const std::string &step) {
  for (const Json &its : predictions.at("runs"))
    if (as_text(its.at("chapter")) == chapter && same_run(its, run) && !its.contains("published"))
      for (const Json &one : its.at("steps"))
        if (as_text(one.at("name")) == step)
          return &one;
  return nullptr;
}

const Json &measured_run(const Json &run, const fs::path &results) {
  const Json &all = read_json(results).at("runs");
  const auto found = std::ranges::find_if(all, [&](const Json &one) { return same_run(one, run); });
  if (found == all.end())
    throw LessonError(fmt::format("{} has no run with {}", results.string(), name_of(run)));
  return *found;
}

double quantile(std::vector<double> sorted, double part) {
  if (sorted.empty())
    return 1;
  std::ranges::sort(sorted);
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(sorted.size())))];
}

std::vector<PredictedStep> only(const std::vector<PredictedStep> &steps, auto wanted) {
  std::vector<PredictedStep> some;
  std::ranges::copy_if(steps, std::back_inserter(some), wanted);
  return some;
}

} // namespace

std::vector<PredictedStep> predicted_steps(const fs::path &file) {
  const Json &predictions = read_json(file);
  const std::string device = device_of(file);
  const Json &reasons = read_json(file.parent_path() / (device + "_reasons.json"));
  std::vector<PredictedStep> steps;
  try {
    for (const Json &run : predictions.at("runs")) {
      const std::string chapter = as_text(run.at("chapter"));
      const bool published = run.contains("published");
      const fs::path results =
          file.parent_path() / (published ? "published.json" : device + "_" + chapter + ".json");
      const Json &measured =
          published ? find_value(read_json(results), as_text(run["published"]), results)
                    : measured_run(run, results);
      for (const Json &its : run.at("steps")) {
        PredictedStep step;
        step.chapter = chapter;
        step.run = (published ? as_text(measured.at("device")) + ", " : "") + name_of(run);
        step.step = as_text(its.at("name"));
        step.published = published;
        step.measured_ms = find_value(
            measured,
            "steps/name=" + (published ? step.step.substr(0, step.step.find('_')) : step.step) +
                "/ms",
            results);
        step.predicted_ms = number(its, "ms");
        step.refused = its.value("refused", "");
        step.binds = its.value("binds", "");
        if (step.predicted_ms && !published)
          add_recorded(step, as_text(its.at("term")), reasons, run);
        steps.push_back(step);
      }
    }
  } catch (const Json::exception &error) {
    throw LessonError(fmt::format("{} lacks something: {}", file.string(), error.what()));
  }
  return steps;
}

std::vector<PredictedStep> blind_steps(const fs::path &file) {
  std::vector<PredictedStep> steps;
  const fs::path blind = file.parent_path() / (device_of(file) + "_blind.json");
  if (!fs::exists(blind))
    return steps;
  try {
    for (const Json &set : read_json(blind).at("sets"))
      for (const Json &kernel : set.at("kernels")) {
        PredictedStep step;
        step.chapter = as_text(set.at("name"));
        step.step = as_text(kernel.at("name"));
        step.blind = true;
        step.measured_ms = kernel.at("measured_ms").get<double>();
        step.predicted_ms = kernel.at("predicted_ms").get<double>();
        steps.push_back(step);
      }
  } catch (const Json::exception &error) {
    throw LessonError(fmt::format("{} lacks something: {}", blind.string(), error.what()));
  }
  return steps;
}

double printed_band(const fs::path &file) { return read_json(file).value("band", 1.0); }

bool is_fitted(const std::string &chapter) {
  return chapter.starts_with("02_") || chapter.starts_with("03_") || chapter.starts_with("05_");
}

Errors errors_of(const std::vector<PredictedStep> &steps, double band) {
  constexpr double differ = 1.1;
  Errors e;
  std::vector<double> factors;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const PredictedStep &a = steps[i];
    ++e.steps;
    if (!a.predicted_ms) {
      ++e.refused;
      continue;
    }
    factors.push_back(std::max(a.factor(), 1 / a.factor()));
    e.inside += factors.back() <= band;
    e.seen += !a.recorded.empty();
    e.agree += a.agrees;
    for (std::size_t k = i + 1; k < steps.size(); ++k) {
      const PredictedStep &b = steps[k];
      if (!b.predicted_ms || a.chapter != b.chapter || a.run != b.run ||
          std::max(a.measured_ms, b.measured_ms) <= differ * std::min(a.measured_ms, b.measured_ms))
        continue;
      ++e.pairs;
      e.in_order += (a.measured_ms < b.measured_ms) == (*a.predicted_ms < *b.predicted_ms);
    }
  }
  e.median = quantile(factors, 0.5);
  e.tenth = quantile(factors, 0.9);
  return e;
}

std::string errors_table(const fs::path &file) {
  const std::vector<PredictedStep> steps = predicted_steps(file), blind = blind_steps(file);
  const double band = printed_band(file);
  Table table{{{"chapters", Align::left},
               {"timed steps", Align::right},
               {"refused", Align::right},
               {"pairs in order, %", Align::right},
               {"half within", Align::right},
               {"nine in ten within", Align::right},
               {fmt::format("within the band of {}, %", band), Align::right},
               {"what binds agrees, %", Align::right}},
              {}};
  const auto percent = [](std::size_t part, std::size_t all) {
    return all == 0 ? std::string("–")
                    : fmt::format("{:.0f}",
                                  100.0 * static_cast<double>(part) / static_cast<double>(all));
  };
  const auto row_of = [&](const std::string &title, const std::vector<PredictedStep> &some) {
    const Errors e = errors_of(some, band);
    table.rows.push_back({title,
                          std::to_string(e.steps),
                          std::to_string(e.refused),
                          percent(e.in_order, e.pairs),
                          fmt::format("x {:.2f}", e.median),
                          fmt::format("x {:.2f}", e.tenth),
                          percent(e.inside, e.steps - e.refused),
                          percent(e.agree, e.seen)});
  };
  const auto row = [&](const std::string &title, auto wanted) {
    row_of(title, only(steps, wanted));
  };
  std::vector<std::string> chapters;
  for (const PredictedStep &step : steps)
    if (!step.published && (chapters.empty() || chapters.back() != step.chapter))
      chapters.push_back(step.chapter);
  for (const std::string &chapter : chapters)
    row(chapter.substr(0, 2),
        [&](const PredictedStep &s) { return s.chapter == chapter && !s.published; });
  row("fitted: 02, 03, 05",
      [](const PredictedStep &s) { return is_fitted(s.chapter) && !s.published; });
  row("all others", [](const PredictedStep &s) { return !is_fitted(s.chapter); });
  row("05, RTX 4090, published by others", [](const PredictedStep &s) { return s.published; });
  for (std::size_t i = 0; i < blind.size(); ++i)
    if (i == 0 || blind[i].chapter != blind[i - 1].chapter)
      row_of(blind[i].chapter,
             only(blind, [&](const PredictedStep &s) { return s.chapter == blind[i].chapter; }));
  return to_markdown(table);
}

std::string predictions_table(const std::vector<PredictedStep> &steps) {
  Table table{{{"step", Align::left},
               {"size", Align::left},
               {"measured, ms", Align::right},
               {"predicted, ms", Align::right},
               {"factor", Align::right},
               {"binds, by the model", Align::left},
               {"ncu: longest wait; busiest unit", Align::left}},
              {}};
  for (const PredictedStep &s : steps)
    table.rows.push_back({s.chapter.substr(0, 2) + " `" + s.step + "`",
                          s.run,
                          fmt::format("{:.4g}", s.measured_ms),
                          s.predicted_ms ? fmt::format("{:.4g}", *s.predicted_ms) : "–",
                          s.predicted_ms ? fmt::format("{:.2f}", s.factor()) : "–",
                          s.predicted_ms ? s.binds : "refused: " + s.refused,
                          s.recorded.empty() ? "" : s.recorded + (s.agrees ? "" : " (differs)")});
  return to_markdown(table);
}

std::optional<double>
predicted_ms(const fs::path &results, const Json &run, const std::string &step) {
  const std::string chapter = as_text(run.at("chapter")), name = results.filename().string();
  const std::size_t end = name.rfind("_" + chapter + ".json");
  const fs::path file = results.parent_path() / (name.substr(0, end) + "_predictions.json");
  if (end == std::string::npos || !fs::exists(file))
    return std::nullopt;
  const Json *found = find_prediction(read_json(file), chapter, run, step);
  return found == nullptr ? std::nullopt : number(*found, "ms");
}

} // namespace tutor::lessons
