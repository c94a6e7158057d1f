#pragma once

#include <filesystem>
#include <string>

/// @file
/// Charts of a lesson: what a description (figures/NAME.json) asks for, drawn from recorded data.
///
/// A description names its kind, and where its figures are:
///
///     {"kind": "plot", "title": …, "description": …, "origin": "docs/results/FILE.json",
///      "x": AXIS, "left": AXIS, "right": AXIS, "series": [SERIES, …]}
///     {"kind": "ladder", "title": …, "description": …, "origin": …, "axis": AXIS,
///      "file": "docs/results/FILE.json", "rows": [{"label": …, "path": …}, …]}
///     {"kind": "map", "title": …, "description": …, "output": NAME, "highlight": "5",
///      "panels": ["the line above its rows", …]}
///     {"kind": "timeline", "title": …, "description": …, "origin": …, "axis": AXIS, "scale": 0.001,
///      "rows": [{"label": …, "name": "kernel", "word": 3}, …],
///      "panels": [{"title": …, "bars": ["1", "2", …]}, …], and where the bars begin and end:
///      "output": NAME, in which a bar's row begins with its name, and word and the one behind it are
///      numbers (a row that ends before them has no bar there); or "file" and "path", in which {bar},
///      {row} and {end} stand for the names of both, and for "begin" or "end"}
///
/// AXIS: {"label", "log", "from", "to", "ticks": [4, 8]}. SERIES: {"name", "shape": "line", "dots" or
/// "bars", "colour": 0 to 3, "axis": "right", "x": [1, 2] or {"from": 1, "to": 33}}, and its values:
/// either "file" and "path", in which {x} stands for x, or "output" and "word", the place of a number
/// in the row of output/NAME.txt that begins with x, from 0. Instead of x and values: "points": [[1, 2], …], or
/// "predictions", a file of the time model's, and "fitted": measured times as x, predicted ones as y, of chapters
/// that constants were fitted to or of all others.

namespace tutor::lessons {

/// A drawn chart.
struct Chart {
  std::filesystem::path file; ///< where it belongs: beside its description, with .svg
  std::string svg;
  std::string description;
  std::string origin; ///< the machine and the date of a recording; may be empty
};

/// Draws the chart that `description`, named from the lesson's folder, asks for. Throws LessonError.
Chart draw_chart(const std::filesystem::path &root,
                 const std::filesystem::path &lesson,
                 const std::string &description);

} // namespace tutor::lessons
