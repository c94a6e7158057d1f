#include "chart_data.hpp"

#include "cast.hpp"

#include "base/diff.hpp"
#include "base/files.hpp"
#include "chart.hpp"
#include "markers.hpp"
#include "predictions.hpp"
#include "results.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tutor::lessons {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> words_of(const std::string &line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Draws one description; paths of results start at the root, outputs lie beside the lesson.
class Drawing {
public:
  Drawing(const fs::path &root, const fs::path &folder, const Json &json)
      : root_(root), folder_(folder), json_(json) {}

  std::string svg() const {
    const std::string kind = json_.at("kind");
    if (kind == "plot")
      return draw(plot());
    if (kind == "ladder")
      return draw(ladder());
    if (kind == "map")
      return draw(map());
    if (kind == "timeline")
      return draw(timeline());
    throw LessonError(
        fmt::format("'{}' is no kind of chart: use plot, ladder, map, timeline or cast", kind));
  }

private:
  static Axis axis(const Json &json) {
    return {json.at("label"),
            json.value("log", false),
            json.at("from"),
            json.at("to"),
            json.at("ticks")};
  }

  static Series::Shape shape(const std::string &name) {
    if (name == "line")
      return Series::Shape::line;
    if (name == "dots")
      return Series::Shape::dots;
    if (name == "bars")
      return Series::Shape::bars;
    throw LessonError(fmt::format("'{}' is no shape of a series: use line, dots or bars", name));
  }

  static std::vector<long> places(const Json &json) {
    if (json.is_array())
      return json;
    std::vector<long> x;
    for (long place = json.at("from"); place <= json.at("to"); ++place)
      x.push_back(place);
    return x;
  }

  static std::string filled(std::string path, const std::string &name, const std::string &value) {
    for (std::size_t at; (at = path.find(name)) != std::string::npos;)
      path.replace(at, name.size(), value);
    return path;
  }

  std::vector<double> values(const Json &json, const std::vector<long> &x) const {
    if (json.contains("output"))
      return printed(json.at("output"), json.at("word"), x);
    std::vector<std::string> paths;
    for (const long place : x)
      paths.push_back(filled(json.at("path"), "{x}", std::to_string(place)));
    return figures(root_ / json.at("file").get<std::string>(), paths);
  }

  /// The lines of a recorded output.
  std::vector<std::string> output(const std::string &name) const {
    return split_lines(read_file(folder_ / "output" / (name + ".txt")));
  }

  /// One number of each row that begins with an x.
  std::vector<double>
  printed(const std::string &name, std::size_t word, const std::vector<long> &x) const {
    std::vector<double> found;
    for (const long place : x)
      found.push_back(printed(name, word, std::to_string(place)));
    return found;
  }
  double printed(const std::string &name, std::size_t word, const std::string &row) const {
    std::vector<double> found;
    for (const std::string &line : output(name)) {
      const std::vector<std::string> words = words_of(line);
      double value = 0;
      if (words.size() > word && words[0] == row &&
          std::from_chars(words[word].data(), words[word].data() + words[word].size(), value).ec ==
              std::errc())
        found.push_back(value);
    }
    if (found.size() != 1)
      throw LessonError(
          fmt::format("output/{}.txt must have one row that begins with {} and has a number "
                      "as its word {}",
                      name,
                      row,
                      word));
    return found[0];
  }

  std::vector<std::pair<double, double>> points(const Json &json) const {
    if (json.contains("points"))
      return json["points"];
    std::vector<std::pair<double, double>> points;
    if (json.contains("predictions")) {
      for (const PredictedStep &step :
           predicted_steps(root_ / json["predictions"].get<std::string>()))
        if (step.predicted_ms && is_fitted(step.chapter) == json.at("fitted").get<bool>())
          points.emplace_back(step.measured_ms, *step.predicted_ms);
      return points;
    }
    const std::vector<long> x = places(json.at("x"));
    const std::vector<double> y = values(json, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      points.emplace_back(static_cast<double>(x[i]), y[i]);
    return points;
  }

  Plot plot() const {
    Plot plot{json_.at("title"),
              json_.at("description"),
              axis(json_.at("x")),
              axis(json_.at("left")),
              std::nullopt,
              {}};
    if (json_.contains("right"))
      plot.right = axis(json_.at("right"));
    for (const Json &json : json_.at("series")) {
      Series series;
      series.name = json.value("name", "");
      series.shape = shape(json.at("shape"));
      series.colour = json.value("colour", 0u);
      series.right = json.value("axis", "left") == "right";
      if (series.colour > 3)
        throw LessonError(fmt::format("'{}': colours go from 0 to 3", series.name));
      series.points = points(json);
      plot.series.push_back(series);
    }
    return plot;
  }

  Ladder ladder() const {
    Ladder ladder{json_.at("title"), json_.at("description"), axis(json_.at("axis")), {}};
    std::vector<std::string> paths;
    for (const Json &row : json_.at("rows"))
      paths.push_back(row.at("path"));
    const std::vector<double> found = figures(root_ / json_.at("file").get<std::string>(), paths);
    for (std::size_t i = 0; i < found.size(); ++i)
      ladder.rows.emplace_back(json_.at("rows")[i].at("label"), found[i]);
    return ladder;
  }

  Map map() const {
    Map map{json_.at("title"), json_.at("description"), json_.at("highlight"), {}};
    const std::vector<std::string> lines = output(json_.at("output"));
    for (const std::string title : json_.at("panels"))
      map.panels.push_back(panel(lines, title));
    return map;
  }

  /// The lines from a panel's title to the next empty line: "col" and the columns' names, then a row
  /// each, "row 5" or "row31" and its cells; "…" where rows are left out; what else there is.
  static Map::Panel panel(const std::vector<std::string> &lines, const std::string &title) {
    Map::Panel panel{title, "", {}, {}};
    auto line = std::find(lines.begin(), lines.end(), title + "\n");
    if (line == lines.end())
      throw LessonError(fmt::format("the recorded output has no line '{}'", title));
    for (++line; line != lines.end() && *line != "\n"; ++line) {
      std::vector<std::string> words = words_of(*line);
      if (words.empty())
        continue;
      if (words[0].size() > 3 && words[0].starts_with("row")) // "row31"
        words.insert(words.begin() + 1, words[0].substr(3));
      if (words[0] == "…")
        panel.rows.push_back({"…", {}});
      else if (words[0] == "col")
        panel.columns.assign(words.begin() + 1, words.end());
      else if (words[0].starts_with("row"))
        panel.rows.push_back({"row " + words.at(1), {words.begin() + 2, words.end()}});
      else
        panel.note = fmt::format("{}", fmt::join(words, " "));
    }
    if (panel.columns.empty() || panel.rows.empty())
      throw LessonError(fmt::format("below '{}' there are no columns or no rows", title));
    return panel;
  }

  Timeline timeline() const {
    Timeline timeline{json_.at("title"), json_.at("description"), axis(json_.at("axis")), {}};
    for (const Json &panel : json_.at("panels")) {
      timeline.panels.push_back({panel.at("title"), {}});
      for (const Json &row : json_.at("rows")) {
        timeline.panels.back().rows.push_back({row.at("label"), {}});
        for (const std::string bar : panel.at("bars"))
          if (has_bar(row, bar))
            timeline.panels.back().rows.back().second.push_back(
                {time(row, bar, false), time(row, bar, true)});
      }
    }
    return timeline;
  }

  /// Whether a bar has a part in this row: a printed row may end before.
  bool has_bar(const Json &row, const std::string &bar) const {
    if (!json_.contains("output"))
      return true;
    for (const std::string &line : output(json_.at("output"))) {
      const std::vector<std::string> words = words_of(line);
      if (!words.empty() && words[0] == bar && words.size() <= row.at("word").get<std::size_t>())
        return false;
    }
    return true;
  }

  /// When a bar begins or ends.
  double time(const Json &row, const std::string &bar, bool end) const {
    const double scale = json_.value("scale", 1.0);
    if (json_.contains("output"))
      return scale *
             printed(json_.at("output"), row.at("word").get<std::size_t>() + (end ? 1 : 0), bar);
    const std::string path =
        filled(filled(json_.at("path"), "{bar}", bar), "{row}", row.at("name"));
    return scale * figures(root_ / json_.at("file").get<std::string>(),
                           {filled(path, "{end}", end ? "end" : "begin")})[0];
  }

  const fs::path &root_;
  const fs::path &folder_;
  const Json &json_;
};

} // namespace

Chart draw_chart(const fs::path &root, const fs::path &lesson, const std::string &description) {
  const fs::path folder = lesson.parent_path(), file = folder / description;
  if (file.extension() != ".json")
    throw LessonError(
        fmt::format("'{}' must be a description such as figures/NAME.json", description));
  Json json;
  try {
    json = Json::parse(read_file(file));
    Chart chart;
    chart.file = fs::path(file).replace_extension(".svg");
    chart.description = json.at("description");
    if (json.contains("origin"))
      chart.origin = origin_of(root / json.at("origin").get<std::string>());
    chart.svg =
        json.at("kind") == "cast" ? draw_cast(json, root) : Drawing(root, folder, json).svg();
    return chart;
  } catch (const Json::exception &error) {
    throw LessonError(
        fmt::format("{} is no description of a chart: {}", description, error.what()));
  }
}

} // namespace tutor::lessons
