// A timeline as JSON and as an image in the looks of the lessons' figures.
#include "timeline_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "json.hpp"
#include "text.hpp"

namespace emu {

namespace {

double whole_ns(double us) { return std::round(us * 1e3) / 1e3; }

constexpr const char *style_sheet = R"(  <style>
    text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; }
    .note { font-size: 12px; fill: #59636e; }
    .mid { text-anchor: middle; }
    .end { text-anchor: end; }
    .grid { stroke: #d0d7de; }
    .to_device { fill: #b6dcff; stroke: #0a69da; }
    .sms, .memory { fill: #aceebb; stroke: #1a7f37; }
    .link, .through_host { fill: #eddeff; stroke: #8250df; }
    .to_host { fill: #ffe2b3; stroke: #9a6700; }
    .host { fill: #eaeef2; stroke: #6e7781; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      .note { fill: #9198a1; }
      .grid { stroke: #3d444d; }
      .to_device { fill: #0c2d6b; stroke: #4493f8; }
      .sms, .memory { fill: #033a16; stroke: #3fb950; }
      .link, .through_host { fill: #3c1e70; stroke: #ab7df8; }
      .to_host { fill: #4b2900; stroke: #d29922; }
      .host { fill: #262c36; stroke: #9198a1; }
    }
  </style>
)";

constexpr int margin = 20, plot = 700, row_height = 30;

std::string text_at(double x, double y, const char *classes, const std::string &text) {
  return format("  <text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                classes,
                x,
                y,
                xml_escaped(text).c_str());
}

// 1, 2 or 5 times a power of ten, so that about eight fit.
double tick_of(double total) {
  const double raw = std::max(total, 1e-3) / 8;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double step : {1.0, 2.0, 5.0})
    if (step * power >= raw)
      return step * power;
  return 10 * power;
}

std::string bar_svg(const TimelineBar &bar, double scale, int label, int y) {
  const double x = margin + label + bar.begin_us * scale;
  const double width = std::max(1.0, (bar.end_us - bar.begin_us) * scale);
  std::string text = format("  <rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
                            "rx=\"2\"><title>%s: %.1f to %.1f µs, %lu bytes</title></rect>\n",
                            bar.engine.c_str(),
                            x,
                            y + 3,
                            width,
                            row_height - 8,
                            xml_escaped(bar.name).c_str(),
                            bar.begin_us,
                            bar.end_us,
                            static_cast<unsigned long>(bar.bytes));
  const std::string words = bar.engine == "to_device"                    ? "to device"
                            : bar.engine == "to_host"                    ? "to host"
                            : bar.kind == "copy" && bar.engine == "link" ? "to a device"
                            : bar.engine == "through_host"               ? "through the host"
                                                                         : bar.name;
  if (width > 7.5 * static_cast<double>(emu::width(words)))
    text += text_at(x + width / 2, y + row_height / 2 + 3, "mid", words);
  return text;
}

} // namespace

std::string write_json(const Timeline &timeline) {
  Json json = {{"total_us", whole_ns(timeline.total_us)}, {"busy_us", Json()}};
  for (const char *engine : {"to_device", "sms", "to_host", "memory", "host"})
    json["busy_us"][engine] = whole_ns(timeline.busy_us(engine));
  for (const char *engine : {"link", "through_host"}) // of several devices
    if (const double busy = timeline.busy_us(engine); busy > 0)
      json["busy_us"][engine] = whole_ns(busy);
  json["bars"] = Json::list();
  for (const TimelineBar &bar : timeline.bars)
    json["bars"].push_back({{"name", bar.name},
                            {"kind", bar.kind},
                            {"lane", bar.lane},
                            {"device", bar.device},
                            {"engine", bar.engine},
                            {"begin_us", whole_ns(bar.begin_us)},
                            {"end_us", whole_ns(bar.end_us)},
                            {"bytes", bar.bytes},
                            {"blocks", bar.blocks},
                            {"part", bar.part},
                            {"file", bar.file},
                            {"line", bar.line},
                            {"after", bar.after}});
  return json.text(true) + "\n";
}

std::string timeline_sums(const Timeline &timeline) {
  const double between = timeline.busy_us("link") + timeline.busy_us("through_host");
  return format("Microseconds of a model (not of a GPU): %.1f in all; copies to the device %.1f, "
                "kernels %.1f, copies to the host %.1f%s.",
                timeline.total_us,
                timeline.busy_us("to_device"),
                timeline.busy_us("sms"),
                timeline.busy_us("to_host"),
                between > 0 ? format(", between devices %.1f", between).c_str() : "");
}

std::string draw_svg(const Timeline &timeline) {
  std::vector<std::string> lanes; // in the order of their first bars
  for (const TimelineBar &bar : timeline.bars)
    if (std::find(lanes.begin(), lanes.end(), bar.lane) == lanes.end())
      lanes.push_back(bar.lane);
  // Those of one device stand together, the host's comes last.
  std::map<std::string, int> device;
  for (const TimelineBar &bar : timeline.bars)
    device[bar.lane] = bar.device < 0 ? std::numeric_limits<int>::max() : bar.device;
  std::stable_sort(lanes.begin(), lanes.end(), [&](const std::string &a, const std::string &b) {
    return device[a] < device[b];
  });
  int label = 150;
  for (const std::string &lane : lanes)
    label = std::max(label, 20 + 7 * static_cast<int>(lane.size()));
  const double scale = plot / std::max(timeline.total_us, 1e-3);
  const int bottom = margin + static_cast<int>(lanes.size()) * row_height;
  std::string body;
  const double tick = tick_of(timeline.total_us);
  for (double at = 0; at <= timeline.total_us * 1.0001; at += tick) {
    const double x = margin + label + at * scale;
    body += format("  <line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n",
                   x,
                   margin - 6,
                   x,
                   bottom + 4);
    body += text_at(x, bottom + 20, "note mid", number_text(at));
  }
  for (size_t i = 0; i < lanes.size(); ++i) {
    const int y = margin + static_cast<int>(i) * row_height;
    body += text_at(margin + label - 10, y + row_height / 2 + 3, "end", lanes[i]);
    for (const TimelineBar &bar : timeline.bars)
      if (bar.lane == lanes[i])
        body += bar_svg(bar, scale, label, y);
  }
  body += text_at(margin, bottom + 42, "note", timeline_sums(timeline));
  const int width = 2 * margin + label + plot, height = bottom + 56;
  return format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                "height=\"%d\">\n",
                width,
                height,
                width,
                height) +
         style_sheet + body + "</svg>\n";
}

} // namespace emu
