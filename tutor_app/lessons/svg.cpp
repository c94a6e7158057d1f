#include "svg.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tutor::lessons {
namespace {

constexpr double shown_width = 600; // on a page that has room for it

constexpr const char *style = R"(  <style>
    text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; }
    .title { font-weight: 600; }
    .small { font-size: 11.5px; }
    .mid { text-anchor: middle; }
    .end { text-anchor: end; }
    .note { fill: #59636e; }
    .panel { fill: #f6f8fa; stroke: #d0d7de; }
    .grid { fill: none; stroke: #d0d7de; }
    .axis { fill: none; stroke: #59636e; }
    .bar { fill: #d5dbe1; }
    .cell { fill: #ffffff; stroke: #d0d7de; }
    .hit { fill: #ffcecb; stroke: #cf222e; }
    .line0, .line1, .line2, .line3 { fill: none; stroke-width: 2; }
    .line0 { stroke: #0a69da; } .fill0 { fill: #0a69da; }
    .line1 { stroke: #bc4c00; } .fill1 { fill: #bc4c00; }
    .line2 { stroke: #1a7f37; } .fill2 { fill: #1a7f37; }
    .line3 { stroke: #8250df; } .fill3 { fill: #8250df; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      .note { fill: #9198a1; }
      .panel { fill: #151b23; stroke: #3d444d; }
      .grid { stroke: #3d444d; }
      .axis { stroke: #9198a1; }
      .bar { fill: #343c46; }
      .cell { fill: #0d1117; stroke: #3d444d; }
      .hit { fill: #67060c; stroke: #f85149; }
      .line0 { stroke: #4493f8; } .fill0 { fill: #4493f8; }
      .line1 { stroke: #f0883e; } .fill1 { fill: #f0883e; }
      .line2 { stroke: #3fb950; } .fill2 { fill: #3fb950; }
      .line3 { stroke: #ab7df8; } .fill3 { fill: #ab7df8; }
    }
  </style>
)";

std::string class_of(const std::string &classes) {
  return classes.empty() ? "" : fmt::format(" class=\"{}\"", classes);
}

} // namespace

std::string xml_escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return result;
}

std::size_t characters(const std::string &text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

void Svg::text(double x, double y, const std::string &text, const std::string &classes) {
  if (!text.empty())
    body_ += fmt::format("  <text{} x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                         class_of(classes),
                         x,
                         y,
                         xml_escaped(text));
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string &classes) {
  path(fmt::format("M{:.1f} {:.1f} L{:.1f} {:.1f}", x1, y1, x2, y2), classes);
}

void Svg::rect(double x, double y, double width, double height, const std::string &classes) {
  body_ += fmt::format(
      "  <rect{} x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\"/>\n",
      class_of(classes),
      x,
      y,
      width,
      height);
}

void Svg::path(const std::string &data, const std::string &classes) {
  body_ += fmt::format("  <path{} d=\"{}\"/>\n", class_of(classes), data);
}

void Svg::mark(double x, double y, unsigned colour) {
  const std::string fill = fmt::format("fill{}", colour);
  if (colour == 0)
    body_ +=
        fmt::format("  <circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", fill, x, y);
  else if (colour == 1)
    path(fmt::format("M{:.1f} {:.1f} l5 5 l-5 5 l-5 -5 z", x, y - 5), fill);
  else if (colour == 2)
    path(fmt::format("M{:.1f} {:.1f} h7 v7 h-7 z", x - 3.5, y - 3.5), fill);
  else
    path(fmt::format("M{:.1f} {:.1f} l5 8.5 h-10 z", x, y - 5), fill);
}

std::string
Svg::finish(const std::string &title, const std::string &description, double height) const {
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
                     "width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\">\n"
                     "  <title>{}</title>\n  <desc>{}</desc>\n{}"
                     "  <rect class=\"panel\" x=\"0.5\" y=\"0.5\" width=\"{:.0f}\" "
                     "height=\"{:.0f}\" rx=\"8\"/>\n{}</svg>\n",
                     svg_width,
                     height,
                     shown_width,
                     height * shown_width / svg_width,
                     xml_escaped(title),
                     xml_escaped(description),
                     style,
                     svg_width - 1,
                     height - 1,
                     body_);
}

} // namespace tutor::lessons
