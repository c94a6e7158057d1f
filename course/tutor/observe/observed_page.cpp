#include "observe/observed_page.hpp"

#include "base/files.hpp"
#include "base/highlight.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

using nlohmann::ordered_json;

namespace tutor {
namespace {

constexpr std::size_t most_trace_bytes = 3'500'000;
constexpr int lines_around = 6; ///< of a file that is mostly not about kernels

/// A place's name within the page.
std::string place_id(const std::string &file, int line) {
  std::string id = fs::path(file).filename().string();
  std::ranges::replace_if(
      id, [](unsigned char c) { return !std::isalnum(c); }, '-');
  return fmt::format("{}-{}", id, line);
}

std::string triple(const ordered_json &v) {
  return fmt::format("({}, {}, {})", v[0].get<int>(), v[1].get<int>(), v[2].get<int>());
}

std::string side_html(const ordered_json &side) {
  std::string html =
      fmt::format("thread {} of block {}", triple(side.at("thread")), triple(side.at("block")));
  if (const int line = side.at("line"); line > 0) {
    const std::string file = side.at("file");
    html += fmt::format(" at <a href=\"#{}\">{}:{}</a>",
                        place_id(file, line),
                        html_escaped(fs::path(file).filename().string()),
                        line);
  }
  return html;
}

std::string hazards_html(const ordered_json &hazards) {
  if (hazards.empty()) {
    return "<p class=\"fine\">No hazard: no race, no access out of bounds, no barrier that only "
           "some "
           "threads reached.</p>\n";
  }
  std::string html = "<ul class=\"hazards\">\n";
  for (const ordered_json &hazard : hazards) {
    const std::string advice = hazard.at("advice");
    html +=
        fmt::format("<li{}><b>{}</b> in <code>{}</code>: {}<br>{}{}{}</li>\n",
                    hazard.at("warning").get<bool>() ? " class=\"warning\"" : "",
                    html_escaped(hazard.at("kind").get<std::string>()),
                    html_escaped(hazard.at("kernel").get<std::string>()),
                    html_escaped(hazard.at("message").get<std::string>()),
                    side_html(hazard),
                    hazard.at("other").is_null() ? "" : "<br>and " + side_html(hazard.at("other")),
                    advice.empty() ? "" : "<br>Try: " + html_escaped(advice));
  }
  return html + "</ul>\n";
}

/// What was counted at a line, all launches together, as the report's keys have it; "lanes" too.
using Counted = std::map<std::string, double>;
/// By file, line and kind of access.
using Margins = std::map<std::string, std::map<int, std::map<std::string, Counted>>>;

Margins margins_of(const ordered_json &report) {
  Margins margins;
  for (const ordered_json &kernel : report.at("kernels")) {
    for (const ordered_json &line : kernel.at("lines")) {
      Counted &counted = margins[line.at("file").get<std::string>()][line.at("line").get<int>()]
                                [line.at("access").get<std::string>()];
      const double requests = line.at("requests");
      counted["lanes"] += requests * line.at("active_lanes").get<double>();
      for (const char *key :
           {"requests", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts"}) {
        counted[key] += line.at(key).get<double>();
      }
    }
  }
  for (const ordered_json &hazard : report.at("hazards")) { // their lines are shown, too
    for (const ordered_json *side : {&hazard, &hazard.at("other")}) {
      if (!side->is_null() && side->at("line").get<int>() > 0) {
        margins[side->at("file").get<std::string>()][side->at("line").get<int>()];
      }
    }
  }
  return margins;
}

std::string
margin_html(const std::string &file, int line, const std::map<std::string, Counted> &all) {
  std::string html;
  for (const auto &[access, c] : all) {
    const bool shared = access.starts_with("shared");
    const double requests = c.at("requests");
    const double cost = c.at(shared ? "wavefronts" : "sectors") / requests;
    const double ideal = c.at(shared ? "ideal_wavefronts" : "ideal_sectors") / requests;
    std::string words = access;
    std::ranges::replace(words, '_', ' ');
    html += fmt::format(
        "<button type=\"button\" class=\"count{}\" data-file=\"{}\" data-line=\"{}\" "
        "data-access=\"{}\">{}: <span data-number=\"requests\">{:.0f}</span> × {:.3g} lanes, "
        "<b data-number=\"cost\">{:.3g}</b> {}{}{}</button>",
        cost > 1.5 * ideal ? " costly" : "",
        html_escaped(file),
        line,
        access,
        words,
        requests,
        c.at("lanes") / requests,
        cost,
        shared ? "wavefront" : "sector",
        fmt::format("{:.3g}", cost) == "1" ? "" : "s",
        cost > 1.01 * ideal ? fmt::format(", {:.3g} would do", ideal) : "");
  }
  return html;
}

/// A source file, or of a long one what lies around the lines that were counted.
std::string source_html(const std::string &file,
                        const std::map<int, std::map<std::string, Counted>> &margin) {
  if (!fs::is_regular_file(file)) {
    return "";
  }
  const std::vector<std::string> lines = highlighted(read_file(file));
  const auto near = [&](int line) {
    const auto next = margin.lower_bound(line - lines_around);
    return lines.size() < 120 || (next != margin.end() && next->first <= line + lines_around);
  };
  std::string html = fmt::format("<h3>{}</h3>\n<div class=\"source\"><table class=\"code\">\n",
                                 html_escaped(fs::path(file).filename().string()));
  bool gap = false;
  for (int line = 1; line <= static_cast<int>(lines.size()); ++line) {
    if (!near(line)) {
      html += gap ? "" : "<tr class=\"gap\"><td></td><td></td><td>⋮</td></tr>\n";
      gap = true;
      continue;
    }
    gap = false;
    const auto counted = margin.find(line);
    html += fmt::format("<tr id=\"{}\"><td>{}</td><td>{}</td><td><pre>{}</pre></td></tr>\n",
                        place_id(file, line),
                        line,
                        counted == margin.end() ? "" : margin_html(file, line, counted->second),
                        lines[static_cast<std::size_t>(line - 1)]);
  }
  return html + "</table></div>\n";
}

std::string kernel_name(const ordered_json &kernel) {
  const std::string part = kernel.at("part"), name = kernel.at("name");
  return part.empty() ? name : fmt::format("{} · {}", part, name);
}

std::string kernels_html(const ordered_json &kernels) {
  std::string html =
      "<div class=\"wide\"><table "
      "class=\"kernels\"><tr><th>kernel</th><th>grid</th><th>block</th><th>launches</th><th>lanes "
      "at work</th><th>barriers</th><th>blocks counted</th></tr>\n";
  for (const ordered_json &kernel : kernels) {
    html += fmt::format("<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{:.1f}</"
                        "td><td>{}</td><td>{}</td></tr>\n",
                        html_escaped(kernel_name(kernel)),
                        triple(kernel.at("grid")),
                        triple(kernel.at("block")),
                        kernel.at("launches").get<int>(),
                        kernel.at("active_lanes").get<double>(),
                        kernel.at("barriers").get<std::uint64_t>(),
                        kernel.at("blocks_traced").get<std::uint64_t>());
  }
  return html + "</table></div>\n";
}

/// JSON as a script may hold it: the script must not end within.
std::string in_script(std::string json) { return replaced(std::move(json), "</", "<\\/"); }

/// The predictions as an explorable picture takes them; {} where nobody asked for any.
ordered_json times_json(const ordered_json &kernels) {
  ordered_json times = ordered_json::array();
  std::string device;
  for (const ordered_json &kernel : kernels) {
    if (kernel.contains("predicted")) {
      times.push_back(kernel.at("predicted"));
      times.back()["name"] = fmt::format("{} <<<{}, {}>>>",
                                         kernel_name(kernel),
                                         triple(kernel.at("grid")),
                                         triple(kernel.at("block")));
      device = kernel.at("predicted").at("device");
    }
  }
  return times.empty() ? ordered_json::object()
                       : ordered_json{{"runs", {{{"at", {{"device", device}}}, {"times", times}}}}};
}

/// The launches as an explorable picture takes them, as many as there is room for.
std::string recorded_json(const ObservedRun &run, std::size_t &left_out) {
  std::string runs;
  left_out = run.trace.at("left_out").get<std::size_t>();
  for (const ordered_json &launch : run.trace.at("launches")) {
    if (launch.at("blocks").empty()) {
      continue;
    }
    const ordered_json named = {{"part", launch.at("part")}, {"name", launch.at("kernel")}};
    const ordered_json one = {{"name",
                               fmt::format("{} <<<{}, {}>>>",
                                           kernel_name(named),
                                           triple(launch.at("grid")),
                                           triple(launch.at("block")))},
                              {"trace", {{"launches", ordered_json::array({launch})}}}};
    const std::string text = one.dump();
    if (runs.size() + text.size() > most_trace_bytes) {
      ++left_out;
      continue;
    }
    runs += (runs.empty() ? "" : ",\n") + text;
  }
  return in_script("{\"runs\": [" + runs + "]}");
}

std::string figures_html(const ObservedRun &run) {
  std::size_t left_out = 0;
  const std::string recorded = recorded_json(run, left_out);
  const ordered_json times = times_json(run.report.at("kernels"));
  std::string html =
      recorded.find("\"trace\"") == std::string::npos
          ? "<p>No warp was followed.</p>\n"
          : "<figure class=\"explore\" id=\"requests\" data-explore=\"requests\"></figure>\n"
            "<figure class=\"explore\" id=\"paths\" data-explore=\"paths\"></figure>\n";
  html += "<h2>About how long</h2>\n";
  html += times.empty()
              ? "<p>Nobody asked: <code>--on h200</code>, or another device, brings the times that "
                "a model predicts, and what binds.</p>\n"
              : "<figure class=\"explore\" id=\"times\" data-explore=\"times\"></figure>\n";
  if (left_out > 0) {
    html += fmt::format("<p>{} more launches are counted above, but not kept step by step.</p>\n",
                        left_out);
  }
  html +=
      fmt::format("<script>\nconst recorded = {};\n"
                  "window.explorables = {{\n"
                  "  requests: {{about: {{kind: 'requests', title: 'The requests of its warps', "
                  "own: {{title: 'a "
                  "stride', kind: 'stride', space: 'global'}}}}, recorded}},\n"
                  "  paths: {{about: {{kind: 'paths', title: 'The way of a warp'}}, recorded}},\n"
                  "  times: {{about: {{kind: 'times', title: 'What a model predicts, and what "
                  "binds'}}, recorded: {}}},\n"
                  "}};\n",
                  recorded,
                  in_script(times.dump()));
  for (const char *script : {"explore.js",
                             "explore_requests.js",
                             "explore_paths.js",
                             "explore_times.js",
                             "observed.js"}) {
    html += read_file(run.looks / script);
  }
  return html + "</script>\n";
}

} // namespace

std::string observed_page(const ObservedRun &run) {
  std::string sources;
  for (const auto &[file, margin] : margins_of(run.report)) {
    sources += source_html(file, margin);
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>\n{1}{2}{3}</style>\n</head>\n"
      "<body class=\"observed\">\n<main id=\"text\">\n<h1><code>{0}</code></h1>\n"
      "<h2>Hazards</h2>\n{4}<h2>Kernels</h2>\n{5}<h2>Source, with what was counted</h2>\n<p>Of the "
      "blocks counted: requests × "
      "lanes that take part, and the cost of a request. A click on a count goes to the first such "
      "request below.</p>\n{6}<h2>Step by step</h2>\n{7}</main>\n</body>\n"
      "</html>\n",
      html_escaped(run.title),
      read_file(run.looks / "site.css"),
      read_file(run.looks / "explore.css"),
      read_file(run.looks / "observed.css"),
      hazards_html(run.report.at("hazards")),
      kernels_html(run.report.at("kernels")),
      sources,
      figures_html(run));
}

} // namespace tutor
