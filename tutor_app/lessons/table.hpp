#pragma once

#include <string>
#include <vector>

/// @file
/// A small table and its Markdown form, padded so that the source reads well too.

namespace tutor::lessons {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows; ///< each as long as `columns`
};

/// The table in GitHub's Markdown; widths count characters, not bytes, of UTF-8 text.
std::string to_markdown(const Table &table);

} // namespace tutor::lessons
