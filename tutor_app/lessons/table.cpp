#include "table.hpp"

#include <algorithm>

namespace tutor::lessons {
namespace {

/// Number of characters: the bytes of UTF-8 text that do not continue one.
std::size_t width(const std::string &text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string padded(const std::string &text, std::size_t to, Align align) {
  const std::string space(to - width(text), ' ');
  return align == Align::left ? text + space : space + text;
}

} // namespace

std::string to_markdown(const Table &table) {
  std::string header = "|", rule = "|";
  std::vector<std::string> lines(table.rows.size(), "|");
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column &column = table.columns[c];
    std::size_t widest = std::max<std::size_t>(width(column.title), 3);
    for (const std::vector<std::string> &row : table.rows)
      widest = std::max(widest, width(row[c]));
    header += " " + padded(column.title, widest, column.align) + " |";
    rule += " " + std::string(widest - 1, '-') + (column.align == Align::left ? "-" : ":") + " |";
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      lines[r] += " " + padded(table.rows[r][c], widest, column.align) + " |";
  }
  std::string text = header + "\n" + rule + "\n";
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

} // namespace tutor::lessons
