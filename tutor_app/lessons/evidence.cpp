#include "evidence.hpp"

#include "base/files.hpp"
#include "json_file.hpp"
#include "markers.hpp"
#include "quantities.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace tutor::lessons {
namespace {

namespace fs = std::filesystem;

const std::string no_figure = "–";
const std::string no_kernel = "no kernel";

bool is_numbered(const std::string &step) { // v7_copy_engines
  return step.size() > 1 && step[0] == 'v' && step[1] >= '0' && step[1] <= '9';
}

/// What a reader calls a figure of the results file.
std::string title_of_result(const std::string &key) {
  for (const auto &[name, title] : {std::pair{"gbps", "GB/s"},
                                    {"tflops", "TFLOP/s"},
                                    {"percent_of_ceiling", "of the ceiling, %"}})
    if (key == name)
      return title;
  return key;
}

std::string written(double value, Form form) {
  if (!std::isfinite(value))
    throw LessonError("a recorded figure is not finite: record it anew");
  if (form == Form::percent)
    return fmt::format("{:.0f} %", value);
  const char *unit = form == Form::bytes ? "B" : "";
  for (const auto &[scale, letter] : {std::pair{1e9, "G"}, {1e6, "M"}, {1e4, "k"}})
    if (std::abs(value) >= scale)
      return fmt::format(
          "{:.3g} {}{}", value / std::min(scale, scale == 1e4 ? 1e3 : scale), letter, unit);
  return fmt::format("{:.4g}{}{}", value, *unit == '\0' ? "" : " ", unit);
}

double at(const Json &object, const char *key, const fs::path &file) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number())
    throw LessonError(
        fmt::format("{} holds no '{}' of this step: record it anew", file.string(), key));
  return found->get<double>();
}

/// The chapter's recordings; what is not there yet is empty.
class Recordings {
public:
  explicit Recordings(const EvidenceQuery &query) : query_(query) {
    chapter_ = query.lesson.parent_path().filename().string();
    results_file_ = file_of_chapter();
    const Json &results = read_json(results_file_);
    const Json &runs = results.contains("runs") ? results["runs"] : Json::array({results});
    run_ = query.run.empty() ? runs.at(0) : find_value(runs, query.run, results_file_);
    const std::string name = results_file_.filename().string();
    const std::string device = name.substr(0, name.size() - chapter_.size() - 6); // _ and .json
    reasons_file_ = results_file_.parent_path() / (device + "_reasons.json");
    if (fs::exists(reasons_file_))
      reasons_ = &read_json(reasons_file_);
    for (const auto &entry : sorted_json(query.root / "emulator" / "tests" / "golden"))
      if (counts_ == nullptr) {
        counts_file_ = entry;
        counts_ = &read_json(entry);
      }
  }

  const Json &step(const std::string &word) const {
    return find_value(run_.at("steps"), word, results_file_);
  }

  /// The step before `name` in the results, or null: a yardstick such as `copy` is no step before v0.
  const Json *step_before(const std::string &name) const {
    const Json *before = nullptr;
    for (const Json &step : run_.at("steps")) {
      const std::string its = as_text(step.at("name"));
      if (its == name)
        return before;
      if (step.value("kind", "step") == "step" && (!is_numbered(name) || is_numbered(its)))
        before = &step;
    }
    return nullptr;
  }

  /// Whether ncu looked at a step and found that it launches no kernel.
  bool has_no_kernel(const std::string &name) const {
    const Json *launches = launches_of(reasons_, name);
    return launches != nullptr && launches->empty();
  }

  /// What ncu said of the longest launch of a step, or null.
  const Json *reason_of(const std::string &name) const {
    const Json *launches = launches_of(reasons_, name);
    return launches == nullptr || launches->empty() ? nullptr : &launches->at(0);
  }

  std::string written_quantity(const std::string &word, const Json &step) const {
    const std::string name = as_text(step.at("name"));
    if (word.starts_with("ladder:"))
      return from_ladder(word.substr(7), name);
    if (word.starts_with("results:"))
      return written(at(step, word.substr(8).c_str(), results_file_), Form::number);
    const Quantity &quantity = quantity_of(word);
    if (!quantity.counted) {
      if (has_no_kernel(name))
        return no_kernel;
      const Json *reason = reason_of(name);
      return reason == nullptr ? not_recorded
                               : of_launches(quantity, Json::array({*reason}), reasons_file_);
    }
    const Json *launches = launches_of(counts_, name);
    return launches == nullptr ? not_recorded : of_launches(quantity, *launches, counts_file_);
  }

  static std::string title_of(const std::string &word) {
    if (word.starts_with("ladder:"))
      return word.substr(7) + ", counted";
    if (word.starts_with("results:"))
      return title_of_result(word.substr(8));
    const Quantity &quantity = quantity_of(word);
    return fmt::format("{}{}", quantity.title, quantity.counted ? ", counted" : "");
  }

private:
  static std::vector<fs::path> sorted_json(const fs::path &folder) {
    std::vector<fs::path> files;
    if (fs::is_directory(folder))
      for (const auto &entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".json")
          files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
  }

  fs::path file_of_chapter() const {
    for (const fs::path &file : sorted_json(query_.root / "docs" / "results"))
      if (file.filename().string().ends_with("_" + chapter_ + ".json"))
        return file;
    throw LessonError(fmt::format("docs/results has no results of {}: record them", chapter_));
  }

  const Json *launches_of(const Json *record, const std::string &step) const {
    if (record == nullptr)
      return nullptr;
    for (const Json &run : record->at("runs"))
      if (as_text(run.at("program")) == chapter_ && as_text(run.at("step")) == step)
        return &run.at("launches");
    return nullptr;
  }

  static std::string
  of_launches(const Quantity &quantity, const Json &launches, const fs::path &file) {
    const auto sum = [&](const std::vector<const char *> &keys) {
      double total = 0;
      for (const Json &launch : launches)
        for (const char *key : keys)
          total += at(launch, key, file);
      return total;
    };
    if (quantity.per.empty())
      return written(sum(quantity.sum), quantity.form);
    const double per = sum(quantity.per);
    return per > 0 ? written(sum(quantity.sum) / per, quantity.form) : no_figure;
  }

  /// The figure of a row of the emulator's table: it ends where the column's heading ends.
  std::string from_ladder(const std::string &column, const std::string &step) const {
    std::size_t end = std::string::npos;
    for (const std::string &line :
         split_lines(read_file(query_.lesson.parent_path() / "output" / "ladder.txt"))) {
      if (line.starts_with("step ")) {
        const std::size_t begin = line.find("  " + column);
        if (begin == std::string::npos)
          throw LessonError(fmt::format("output/ladder.txt has no column '{}'", column));
        end = std::min(line.find("  ", begin + 2), line.find('\n'));
      } else if (end != std::string::npos && line.starts_with(step + " ")) {
        if (line.size() < end || line[end - 1] == ' ')
          return no_figure;
        const std::size_t begin = line.rfind(' ', end - 1) + 1;
        return line.substr(begin, end - begin);
      }
    }
    throw LessonError(fmt::format("output/ladder.txt has no row of {}", step));
  }

  const EvidenceQuery &query_;
  std::string chapter_;
  fs::path results_file_, reasons_file_, counts_file_;
  Json run_;
  const Json *reasons_ = nullptr, *counts_ = nullptr;
};

/// The largest of the named figures of a launch, largest first.
std::vector<std::pair<double, const char *>> largest(const Json &launch, const Names &names) {
  std::vector<std::pair<double, const char *>> found;
  for (const auto &[key, name] : names)
    if (launch.contains(key))
      found.emplace_back(launch.at(key).get<double>(), name);
  std::sort(
      found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
  return found;
}

/// The two largest stall reasons, as shares of the time between two instructions of a warp.
std::string waits(const Json *launch) {
  if (launch == nullptr)
    return not_recorded;
  double all = launch->value("stall_selected", 0.0);
  const auto reasons = largest(*launch, stall_names);
  for (const auto &reason : reasons)
    all += reason.first;
  if (reasons.size() < 2 || !(all > 0))
    return not_recorded;
  return fmt::format("{} {:.0f} %, {} {:.0f} %",
                     reasons[0].second,
                     100 * reasons[0].first / all,
                     reasons[1].second,
                     100 * reasons[1].first / all);
}

std::string busiest(const Json *launch) {
  if (launch == nullptr)
    return not_recorded;
  const auto units = largest(*launch, unit_names);
  return units.empty() ? not_recorded
                       : fmt::format("{}, {:.0f} %", units[0].second, units[0].first);
}

std::string time_of(const Json &step) {
  const std::string ms = milliseconds(step);
  return number(step, "ms") ? ms + " ms" : ms;
}

/// `v3` of a ladder's step, and the whole name of any other: copy_scalar and copy_float4 differ after it.
std::string head_of(const Json &step) {
  const std::string name = as_text(step.at("name"));
  return "`" + (is_numbered(name) ? name.substr(0, name.find('_')) : name) + "`";
}

} // namespace

std::string evidence_table(const EvidenceQuery &query) {
  try {
    const Recordings recordings(query);
    const Json &now = recordings.step(query.step);
    const Json *before = query.before.empty() ? recordings.step_before(as_text(now.at("name")))
                                              : &recordings.step(query.before);
    std::vector<const Json *> steps;
    if (before != nullptr)
      steps.push_back(before);
    steps.push_back(&now);

    Table table{{{"", Align::left}}, {}};
    for (const Json *step : steps)
      table.columns.push_back({head_of(*step), Align::left});
    const auto row = [&](const std::string &title, const auto &cell) {
      table.rows.push_back({title});
      for (const Json *step : steps)
        table.rows.back().push_back(cell(*step));
    };
    row("time", time_of);
    const std::optional<double> ms = number(now, "ms");
    if (const auto then = before != nullptr ? number(*before, "ms") : std::nullopt;
        then && ms && *ms > 0)
      table.rows.back().back() += fmt::format(", {:.2f} x as fast", *then / *ms);
    for (const std::string &word : query.watch)
      row(Recordings::title_of(word),
          [&](const Json &step) { return recordings.written_quantity(word, step); });
    const auto asked = [&](std::string (*say)(const Json *)) {
      return [&recordings, say](const Json &step) {
        const std::string name = as_text(step.at("name"));
        return recordings.has_no_kernel(name) ? no_kernel : say(recordings.reason_of(name));
      };
    };
    row("waits for", asked(waits));
    row("busiest unit", asked(busiest));
    return to_markdown(table);
  } catch (const Json::exception &error) {
    throw LessonError(fmt::format("a recording lacks something: {}", error.what()));
  }
}

} // namespace tutor::lessons
