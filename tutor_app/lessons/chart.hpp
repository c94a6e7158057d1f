#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Charts as SVG: for light and dark pages, readable 360 pixels wide, the same bytes for the same
/// data. What they show comes from chart_data.hpp.

namespace tutor::lessons {

/// One axis. Every value must lie in [from, to]; on a logarithmic axis both are above 0.
struct Axis {
  std::string label;
  bool log = false;
  double from = 0;
  double to = 1;
  std::vector<double> ticks; ///< those that get a number and, on the left axis, a line
};

/// Points that belong together. Bars stand on the axis' start, behind everything else.
struct Series {
  enum class Shape { line, dots, bars };
  std::string name; ///< in the legend; empty: not there
  Shape shape = Shape::line;
  unsigned colour = 0; ///< [0, 4); bars have one of their own
  bool right = false; ///< measured by the right axis
  std::vector<std::pair<double, double>> points; ///< x and y
};

/// Curves, dots and bars over x, with one or two y axes.
struct Plot {
  std::string title;
  std::string description; ///< for those who don't see it
  Axis x, left;
  std::optional<Axis> right;
  std::vector<Series> series;
};

/// A row for each value.
struct Ladder {
  std::string title;
  std::string description;
  Axis axis;
  std::vector<std::pair<std::string, double>> rows; ///< label and value
};

/// Tables of words in small cells, one below the other; cells that hold `highlight` stand out.
struct Map {
  struct Row {
    std::string label;
    std::vector<std::string> cells;
  };
  struct Panel {
    std::string title;
    std::string note; ///< below it
    std::vector<std::string> columns;
    std::vector<Row> rows; ///< a row without cells is a gap
  };
  std::string title;
  std::string description;
  std::string highlight;
  std::vector<Panel> panels;
};

/// When things happened: rows of bars over time, in panels that have one axis in common.
struct Timeline {
  struct Panel {
    std::string title;
    /// A label, and the begin and end of each bar; the i-th bars of all rows have one colour.
    std::vector<std::pair<std::string, std::vector<std::pair<double, double>>>> rows;
  };
  std::string title;
  std::string description;
  Axis axis;
  std::vector<Panel> panels;
};

/// @throws LessonError when a value lies outside its axis or an axis is impossible
std::string draw(const Plot &plot);
std::string draw(const Ladder &ladder);
std::string draw(const Map &map);
std::string draw(const Timeline &timeline);

} // namespace tutor::lessons
