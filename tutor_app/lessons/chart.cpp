#include "chart.hpp"

#include "svg.hpp"

#include "markers.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tutor::lessons {
namespace {

constexpr double frame_top = 56, frame_height = 230;

/// Places values along one direction of the picture.
class Scale {
public:
  Scale(const Axis &axis, double begin, double end) : axis_(axis), begin_(begin), end_(end) {
    if (!(axis.from < axis.to) || (axis.log && !(axis.from > 0)))
      throw LessonError(
          fmt::format("the axis '{}' cannot go from {} to {}", axis.label, axis.from, axis.to));
  }
  double at(double value) const {
    if (!(value >= axis_.from && value <= axis_.to))
      throw LessonError(fmt::format("{} lies outside the axis '{}', which goes from {} to {}",
                                    value,
                                    axis_.label,
                                    axis_.from,
                                    axis_.to));
    const double share = axis_.log ? std::log(value / axis_.from) / std::log(axis_.to / axis_.from)
                                   : (value - axis_.from) / (axis_.to - axis_.from);
    return begin_ + share * (end_ - begin_);
  }

private:
  const Axis &axis_;
  double begin_, end_;
};

/// As people write it: 0.5, 1.02, 695, 4630; whole multiples of 1024 as 1K, 2K.
std::string figure(double value) {
  if (value >= 1024 && std::fmod(value, 1024) == 0)
    return fmt::format("{:.0f}K", value / 1024);
  if (value == std::floor(value) || value >= 100)
    return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

class PlotDrawing {
public:
  explicit PlotDrawing(const Plot &plot)
      : plot_(plot), right_edge_(plot.right ? svg_width - 40 : svg_width - 20),
        x_(plot.x, left_edge + 14, right_edge_ - 14), left_(plot.left, bottom, frame_top) {
    if (plot.right)
      right_.emplace(*plot.right, bottom, frame_top);
  }

  std::string draw() {
    svg_.text(svg_margin, 24, plot_.title, "title");
    draw_bars();
    draw_axes();
    for (const Series &series : plot_.series)
      if (series.shape == Series::Shape::line)
        draw_line(series);
    for (const Series &series : plot_.series)
      if (series.shape != Series::Shape::bars)
        draw_dots(series);
    const double end = draw_legend();
    return svg_.finish(plot_.title, plot_.description, end + 12);
  }

private:
  static constexpr double left_edge = 50, bottom = frame_top + frame_height;

  const Scale &scale_of(const Series &series) const {
    if (series.right && !right_)
      throw LessonError(fmt::format("'{}' wants a right axis: add \"right\"", series.name));
    return series.right ? *right_ : left_;
  }

  void draw_axes() {
    svg_.text(svg_margin, 46, plot_.left.label, "note");
    for (const double tick : plot_.left.ticks) {
      svg_.line(left_edge, left_.at(tick), right_edge_, left_.at(tick), "grid");
      svg_.text(left_edge - 6, left_.at(tick) + 4, figure(tick), "note end");
    }
    if (plot_.right) {
      svg_.text(svg_width - svg_margin, 46, plot_.right->label, "note end");
      for (const double tick : plot_.right->ticks)
        svg_.text(right_edge_ + 6, right_->at(tick) + 4, figure(tick), "note");
    }
    svg_.line(left_edge, bottom, right_edge_, bottom, "axis");
    for (const double tick : plot_.x.ticks) {
      svg_.line(x_.at(tick), bottom, x_.at(tick), bottom + 4, "axis");
      svg_.text(x_.at(tick), bottom + 18, figure(tick), "note mid small");
    }
    svg_.text((left_edge + right_edge_) / 2, bottom + 37, plot_.x.label, "note mid");
  }

  /// Most of the way from one bar to the next.
  double bar_width(const Series &series) const {
    const std::size_t bars = series.points.size();
    if (bars < 2)
      return 12;
    const double used = x_.at(series.points.back().first) - x_.at(series.points.front().first);
    return 0.7 * used / static_cast<double>(bars - 1);
  }

  void draw_bars() {
    for (const Series &series : plot_.series) {
      if (series.shape != Series::Shape::bars)
        continue;
      const double width = bar_width(series);
      for (const auto &[x, y] : series.points)
        svg_.rect(x_.at(x) - width / 2,
                  scale_of(series).at(y),
                  width,
                  bottom - scale_of(series).at(y),
                  "bar");
    }
  }

  void draw_line(const Series &series) {
    std::string path;
    for (const auto &[x, y] : series.points)
      path += fmt::format(
          "{}{:.1f} {:.1f}", path.empty() ? "M" : " L", x_.at(x), scale_of(series).at(y));
    svg_.path(path, fmt::format("line{}", series.colour));
  }

  /// Lines that have dots of their own elsewhere get none.
  void draw_dots(const Series &series) {
    const bool dotted = std::any_of(
        plot_.series.begin(), plot_.series.end(), [](const Series &s) { return dots_of_line(s); });
    if (series.shape == Series::Shape::line && dotted)
      return;
    for (const auto &[x, y] : series.points)
      svg_.mark(x_.at(x), scale_of(series).at(y), series.colour);
  }
  static bool dots_of_line(const Series &s) {
    return s.shape == Series::Shape::dots && s.name.empty();
  }

  /// One entry after the other, in as many lines as they need; returns where it ends.
  double draw_legend() {
    double x = svg_margin, y = bottom + 60;
    for (const Series &series : plot_.series) {
      if (series.name.empty())
        continue;
      const double width = 34 + 6.9 * static_cast<double>(characters(series.name));
      if (x > svg_margin && x + width > svg_width) {
        x = svg_margin;
        y += 20;
      }
      if (series.shape == Series::Shape::bars)
        svg_.rect(x + 4, y - 10, 12, 12, "bar");
      if (series.shape == Series::Shape::line)
        svg_.line(x, y - 4, x + 20, y - 4, fmt::format("line{}", series.colour));
      if (series.shape != Series::Shape::bars)
        svg_.mark(x + 10, y - 4, series.colour);
      svg_.text(x + 26, y, series.name, "");
      x += width + 8;
    }
    return y;
  }

  const Plot &plot_;
  double right_edge_;
  Scale x_, left_;
  std::optional<Scale> right_;
  Svg svg_;
};

} // namespace

std::string draw(const Plot &plot) { return PlotDrawing(plot).draw(); }

std::string draw(const Ladder &ladder) {
  constexpr double left = 164, right = svg_width - 48, top = 40, step = 25;
  const Scale scale(ladder.axis, left, right);
  const double bottom = top + step * static_cast<double>(ladder.rows.size());
  Svg svg;
  svg.text(svg_margin, 24, ladder.title, "title");
  for (const double tick : ladder.axis.ticks) {
    svg.line(scale.at(tick), top, scale.at(tick), bottom, "grid");
    svg.text(scale.at(tick), bottom + 16, figure(tick), "note mid small");
  }
  double y = top;
  for (const auto &[label, value] : ladder.rows) {
    svg.text(left - 8, y + 17, label, "end");
    svg.rect(left, y + 4, scale.at(value) - left, step - 8, "fill0");
    svg.text(scale.at(value) + 6,
             y + 17,
             value < 1 ? fmt::format("{:.2f}", value) : fmt::format("{:.0f}", value),
             "");
    y += step;
  }
  svg.line(left, top, left, bottom, "axis");
  svg.text((left + right) / 2, bottom + 34, ladder.axis.label, "note mid");
  return svg.finish(ladder.title, ladder.description, bottom + 48);
}

std::string draw(const Map &map) {
  constexpr double left = 54, cell_height = 17;
  Svg svg;
  svg.text(svg_margin, 24, map.title, "title");
  double y = 36;
  for (const Map::Panel &panel : map.panels) {
    const double cell = (svg_width - svg_margin - left) / static_cast<double>(panel.columns.size());
    svg.text(svg_margin, y + 16, panel.title, "");
    y += 24;
    for (std::size_t c = 0; c < panel.columns.size(); ++c)
      svg.text(
          left + cell * (static_cast<double>(c) + 0.5), y + 12, panel.columns[c], "note mid small");
    y += cell_height;
    for (const Map::Row &row : panel.rows) {
      svg.text(left - 6, y + 12, row.label, "note end small");
      if (row.cells.size() > panel.columns.size())
        throw LessonError(
            fmt::format("row '{}' of '{}' has too many cells", row.label, panel.title));
      for (std::size_t c = 0; c < row.cells.size(); ++c) {
        const double x = left + cell * static_cast<double>(c);
        svg.rect(x, y, cell - 1, cell_height - 1, row.cells[c] == map.highlight ? "hit" : "cell");
        svg.text(x + cell / 2, y + 12, row.cells[c], "mid small");
      }
      y += cell_height;
    }
    svg.text(svg_margin, y + 16, panel.note, "note");
    y += 32;
  }
  return svg.finish(map.title, map.description, y);
}

std::string draw(const Timeline &timeline) {
  constexpr double left = 104, right = svg_width - 24, step = 24;
  const Scale scale(timeline.axis, left, right);
  Svg svg;
  svg.text(svg_margin, 24, timeline.title, "title");
  double y = 36;
  for (const Timeline::Panel &panel : timeline.panels) {
    svg.text(svg_margin, y + 14, panel.title, "");
    y += 22;
    const double bottom = y + step * static_cast<double>(panel.rows.size());
    for (const double tick : timeline.axis.ticks) {
      svg.line(scale.at(tick), y, scale.at(tick), bottom, "grid");
      svg.text(scale.at(tick), bottom + 14, figure(tick), "note mid small");
    }
    for (const auto &[label, bars] : panel.rows) {
      svg.text(left - 8, y + 16, label, "end");
      for (std::size_t i = 0; i < bars.size(); ++i) {
        const double begin = scale.at(bars[i].first), end = scale.at(bars[i].second);
        svg.rect(
            begin, y + 3, std::max(end - begin - 1, 1.0), step - 6, fmt::format("fill{}", i % 4));
      }
      y += step;
    }
    y = bottom + 24;
  }
  svg.text((left + right) / 2, y + 6, timeline.axis.label, "note mid");
  return svg.finish(timeline.title, timeline.description, y + 18);
}

} // namespace tutor::lessons
