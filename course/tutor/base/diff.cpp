#include "base/diff.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

namespace tutor {
namespace {

using TextLines = std::vector<std::string>;

/// The shortest way from the old lines to the new ones. A diagonal holds the places at which as many more of the old
/// lines are done as it has for a number; an edit leads onto the next one, equal lines along it.
Diff shortest_way(const TextLines &old_lines, const TextLines &new_lines) {
  const auto old_at = old_lines.begin(), new_at = new_lines.begin();
  const long old_size = std::ssize(old_lines), new_size = std::ssize(new_lines);
  // How many of the old lines are done after 0, 1, … edits, on each diagonal from -edits up.
  std::vector<std::vector<long>> reached;
  const auto reach = [&](long edits, long diagonal) {
    return std::abs(diagonal) > edits ? -1 : reached.begin()[edits].begin()[diagonal + edits];
  };
  const auto by_insertion = [&](long edits, long diagonal) {
    return reach(edits - 1, diagonal - 1) < reach(edits - 1, diagonal + 1);
  };
  const auto behind_edit = [&](long edits, long diagonal) { // the last one
    return edits == 0                      ? 0
           : by_insertion(edits, diagonal) ? reach(edits - 1, diagonal + 1)
                                           : reach(edits - 1, diagonal - 1) + 1;
  };
  for (long edits = 0, x = 0, y = 0; x < old_size || y < new_size; ++edits) {
    reached.emplace_back(2 * edits + 1, -1);
    for (long diagonal = -edits; diagonal <= edits; diagonal += 2) {
      x = behind_edit(edits, diagonal);
      y = x - diagonal;
      while (x < old_size && y < new_size && old_at[x] == new_at[y]) {
        ++x, ++y;
      }
      reached.back().begin()[diagonal + edits] = x;
      if (x >= old_size && y >= new_size) {
        break;
      }
    }
  }
  Diff backwards;
  long x = old_size, y = new_size;
  for (long edits = std::ssize(reached) - 1; x > 0 || y > 0; --edits) {
    const long diagonal = x - y;
    for (const long first = behind_edit(edits, diagonal); x > first; --x, --y) {
      backwards.push_back({LineChange::kept, old_at[x - 1]});
    }
    if (edits > 0 && by_insertion(edits, diagonal)) {
      backwards.push_back({LineChange::added, new_at[--y]});
    } else if (edits > 0) {
      backwards.push_back({LineChange::removed, old_at[--x]});
    }
  }
  return {backwards.rbegin(), backwards.rend()};
}

/// Within each run of changes, puts the removals before the additions, as people expect to read them.
Diff group_changes(Diff lines) {
  Diff grouped, additions;
  const auto end_run = [&] {
    grouped.insert(grouped.end(), additions.begin(), additions.end());
    additions.clear();
  };
  for (DiffLine &line : lines) {
    if (line.change == LineChange::kept)
      end_run();
    (line.change == LineChange::added ? additions : grouped).push_back(std::move(line));
  }
  end_run();
  return grouped;
}

/// A half-open range of diff lines that one "@@" header covers.
struct Hunk {
  std::size_t first;
  std::size_t last;
};

std::vector<Hunk> find_hunks(const Diff &lines, std::size_t context) {
  std::vector<Hunk> hunks;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].change == LineChange::kept)
      continue;
    const std::size_t first = i > context ? i - context : 0;
    const std::size_t last = std::min(lines.size(), i + context + 1);
    if (!hunks.empty() && first <= hunks.back().last)
      hunks.back().last = last;
    else
      hunks.push_back({first, last});
  }
  return hunks;
}

/// "start,length" of one side of a hunk; an empty side names the line before it, as `diff -u` does.
std::string side_range(std::size_t lines_before, std::size_t length) {
  const std::size_t start = length == 0 ? lines_before : lines_before + 1;
  return length == 1 ? fmt::format("{}", start) : fmt::format("{},{}", start, length);
}

} // namespace

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

Diff diff_texts(std::string_view old_text, std::string_view new_text) {
  return group_changes(shortest_way(split_lines(old_text), split_lines(new_text)));
}

std::string to_unified(const Diff &diff, const UnifiedFormat &format) {
  std::string out;
  const std::vector<Hunk> hunks = find_hunks(diff, format.context);
  if (!hunks.empty() && !(format.old_name.empty() && format.new_name.empty()))
    out += fmt::format("--- {}\n+++ {}\n", format.old_name, format.new_name);

  std::size_t position = 0, old_before = 0, new_before = 0;
  const auto advance_to = [&](std::size_t end) {
    for (; position < end; ++position) {
      old_before += diff[position].change != LineChange::added;
      new_before += diff[position].change != LineChange::removed;
    }
  };
  for (const Hunk &hunk : hunks) {
    advance_to(hunk.first);
    const std::size_t old_start = old_before, new_start = new_before;
    advance_to(hunk.last);
    out += fmt::format("@@ -{} +{} @@\n",
                       side_range(old_start, old_before - old_start),
                       side_range(new_start, new_before - new_start));
    for (std::size_t i = hunk.first; i < hunk.last; ++i) {
      const DiffLine &line = diff[i];
      out += static_cast<char>(line.change) + line.text;
      if (line.text.back() != '\n')
        out += "\n\\ No newline at end of file\n";
    }
  }
  return out;
}

} // namespace tutor
