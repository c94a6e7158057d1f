#include "cast.hpp"

#include "base/diff.hpp"
#include "base/files.hpp"
#include "markers.hpp"
#include "output.hpp"
#include "svg.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace tutor::lessons {
namespace {

constexpr double column = 7.25, line_height = 17, margin = 16, head = 34;
constexpr double typing = 0.05, per_line = 0.12, reading = 6.0; ///< seconds

struct Scene {
  std::string command;
  std::vector<std::string> lines;
  double begin = 0, end = 0; ///< seconds
};

/// The recorded output of a lesson, as its marker has it recorded; the lines that the scene names.
Scene recorded_scene(const Json &given, const std::filesystem::path &root) {
  const std::filesystem::path lesson = root / given.at("lesson").get<std::string>();
  const std::string name = given.at("output");
  for (const Block &block : find_blocks(read_file(lesson))) {
    if (block.name != "output")
      continue;
    OutputRequest request = parse_output_request(block.arguments);
    if (request.name != name)
      continue;
    request.from = given.at("from");
    request.to = given.at("to");
    Scene scene;
    for (std::string line : split_lines(show_output(lesson, request))) {
      line.erase(line.find_last_not_of('\n') + 1);
      if (line.starts_with("$ "))
        scene.command = line.substr(2);
      else if (!line.starts_with("```") && line != "…")
        scene.lines.push_back(line);
    }
    return scene;
  }
  throw LessonError(fmt::format("{} shows no output '{}'", lesson.string(), name));
}

/// Shown from `begin` to `end` of each round of `total` seconds.
class Clock {
public:
  explicit Clock(double total) : total_(total) {}
  std::string shown(double begin, double end) {
    styles_ +=
        fmt::format("    @keyframes k{0} {{ 0%, {1:.2f}% {{ opacity: 0; }} {2:.2f}%, {3:.2f}% "
                    "{{ opacity: 1; }} {4:.2f}%, 100% {{ opacity: 0; }} }}\n"
                    "    .k{0} {{ animation: k{0} {5:.1f}s infinite; }}\n",
                    count_,
                    percent(begin) - 0.02,
                    percent(begin),
                    percent(end) - 0.04,
                    percent(end) - 0.02,
                    total_);
    return fmt::format("k{}", count_++);
  }
  const std::string &styles() const { return styles_; }

private:
  double percent(double at) const { return std::max(100 * at / total_, 0.02); }
  double total_;
  int count_ = 0;
  std::string styles_;
};

/// A scene's text; `still`: seen, too, where nothing may move.
std::string scene_svg(const Scene &scene, bool still, Clock &clock) {
  std::string body;
  double y = head + line_height, at = scene.begin;
  const auto line = [&](const std::string &text, const std::string &classes) {
    body += fmt::format(
        "  <text xml:space=\"preserve\" x=\"{}\" y=\"{}\" class=\"{} {}{}\">{}</text>\n",
        margin,
        y,
        clock.shown(at, scene.end),
        classes,
        still ? "" : " moving",
        text);
    y += line_height;
  };
  line("<tspan class=\"prompt\">$</tspan> " + xml_escaped(scene.command), "typed");
  at += 0.6 + typing * static_cast<double>(scene.command.size());
  for (const std::string &text : scene.lines) {
    line(xml_escaped(text),
         text.starts_with("HAZARD") ? "bad"
         : text.find("try:") < 4    ? "good"
                                    : "");
    at += per_line;
  }
  return body;
}

} // namespace

std::string draw_cast(const Json &description, const std::filesystem::path &root) {
  std::vector<Scene> scenes;
  std::size_t columns = 60, rows = 0;
  double now = 0;
  for (const Json &given : description.at("scenes")) {
    Scene scene = recorded_scene(given, root);
    scene.begin = now;
    now += 0.6 + typing * static_cast<double>(scene.command.size()) +
           per_line * static_cast<double>(scene.lines.size()) + reading;
    scene.end = now;
    rows = std::max(rows, scene.lines.size() + 1);
    for (const std::string &line : scene.lines)
      columns = std::max(columns, characters(line));
    scenes.push_back(std::move(scene));
  }
  Clock clock(now);
  std::string body;
  for (const Scene &scene : scenes)
    body += scene_svg(scene, &scene == &scenes.front(), clock);
  const double width = 2 * margin + column * static_cast<double>(columns);
  const double height = head + line_height * (static_cast<double>(rows) + 1.2);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\">\n  <title>{2}</title>\n  <desc>{3}</desc>\n  <style>\n"
      "    text {{ font: 12px ui-monospace, \"DejaVu Sans Mono\", monospace; fill: #e6edf3; }}\n"
      "    .prompt, .good {{ fill: #7ee787; }}\n    .bad {{ fill: #ff7b72; font-weight: 600; }}\n"
      "    .typed {{ font-weight: 600; }}\n{4}"
      "    @media (prefers-reduced-motion: reduce) {{ text {{ animation: none !important; }} "
      ".moving {{ display: none; }} }}\n  </style>\n"
      "  <rect width=\"{0:.0f}\" height=\"{1:.0f}\" rx=\"8\" fill=\"#0d1117\" "
      "stroke=\"#3d444d\"/>\n"
      "  <circle cx=\"18\" cy=\"16\" r=\"5\" fill=\"#ff5f57\"/><circle cx=\"36\" cy=\"16\" r=\"5\" "
      "fill=\"#febc2e\"/><circle cx=\"54\" cy=\"16\" r=\"5\" fill=\"#28c840\"/>\n{5}</svg>\n",
      width,
      height,
      xml_escaped(description.at("title")),
      xml_escaped(description.at("description")),
      clock.styles(),
      body);
}

} // namespace tutor::lessons
