#include "base/diff.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tutor {
namespace {

using Lines = std::vector<std::string>;

std::size_t count(const std::vector<DiffLine> &lines, LineChange change) {
  return static_cast<std::size_t>(std::count_if(
      lines.begin(), lines.end(), [&](const DiffLine &line) { return line.change == change; }));
}

/// For each number of edits, the furthest position in the old text reached on each diagonal.
/// Diagonal k holds the positions with old position - new position == k.
class Frontiers {
public:
  Frontiers(const Lines &old_lines, const Lines &new_lines) : old_(old_lines), new_(new_lines) {
    search();
  }

  /// Walks back from the end of both texts, and so finds the edits last to first.
  std::vector<DiffLine> backtrack() const {
    std::vector<DiffLine> backwards;
    auto x = static_cast<long>(old_.size());
    auto y = static_cast<long>(new_.size());
    for (long edits = static_cast<long>(rounds_.size()) - 1; x > 0 || y > 0; --edits) {
      const long diagonal = x - y;
      const bool insertion = edits > 0 && came_down(edits - 1, diagonal);
      const long previous_diagonal = insertion ? diagonal + 1 : diagonal - 1;
      const long previous_x = edits > 0 ? reach(edits - 1, previous_diagonal) : 0;
      const long start_x = edits == 0 ? 0 : insertion ? previous_x : previous_x + 1;
      for (; x > start_x; --x, --y)
        backwards.push_back({LineChange::kept, old_[static_cast<std::size_t>(x - 1)]});
      if (edits == 0)
        break;
      if (insertion)
        backwards.push_back({LineChange::added, new_[static_cast<std::size_t>(--y)]});
      else
        backwards.push_back({LineChange::removed, old_[static_cast<std::size_t>(--x)]});
    }
    std::reverse(backwards.begin(), backwards.end());
    return backwards;
  }

private:
  /// The reach after `edits` edits; diagonals outside of what was explored count as not reached.
  long reach(long edits, long diagonal) const {
    if (diagonal < -edits || diagonal > edits)
      return -1;
    return rounds_[static_cast<std::size_t>(edits)][static_cast<std::size_t>(diagonal + edits)];
  }

  /// Whether the best way onto `diagonal` is an insertion, given the reaches one edit earlier.
  bool came_down(long edits, long diagonal) const {
    return reach(edits, diagonal - 1) < reach(edits, diagonal + 1);
  }

  void search() {
    const auto old_size = static_cast<long>(old_.size());
    const auto new_size = static_cast<long>(new_.size());
    for (long edits = 0;; ++edits) {
      std::vector<long> round(static_cast<std::size_t>(2 * edits + 1), -1);
      for (long diagonal = -edits; diagonal <= edits; diagonal += 2) {
        long x = 0;
        if (edits > 0)
          x = came_down(edits - 1, diagonal) ? reach(edits - 1, diagonal + 1)
                                             : reach(edits - 1, diagonal - 1) + 1;
        long y = x - diagonal;
        while (x < old_size && y < new_size &&
               old_[static_cast<std::size_t>(x)] == new_[static_cast<std::size_t>(y)])
          ++x, ++y;
        round[static_cast<std::size_t>(diagonal + edits)] = x;
        if (x >= old_size && y >= new_size) {
          rounds_.push_back(std::move(round));
          return;
        }
      }
      rounds_.push_back(std::move(round));
    }
  }

  const Lines &old_;
  const Lines &new_;
  std::vector<std::vector<long>> rounds_;
};

/// Within each run of changes, puts the removals before the additions, as people expect to read them.
std::vector<DiffLine> group_changes(std::vector<DiffLine> lines) {
  std::vector<DiffLine> grouped, additions;
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

std::vector<Hunk> find_hunks(const std::vector<DiffLine> &lines, std::size_t context) {
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

std::size_t Diff::removed() const { return count(lines, LineChange::removed); }

std::size_t Diff::added() const { return count(lines, LineChange::added); }

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
  const Lines old_lines = split_lines(old_text);
  const Lines new_lines = split_lines(new_text);
  return {group_changes(Frontiers(old_lines, new_lines).backtrack())};
}

std::string to_unified(const Diff &diff, const UnifiedFormat &format) {
  std::string out;
  const std::vector<Hunk> hunks = find_hunks(diff.lines, format.context);
  if (!hunks.empty() && !(format.old_name.empty() && format.new_name.empty()))
    out += fmt::format("--- {}\n+++ {}\n", format.old_name, format.new_name);

  std::size_t position = 0, old_before = format.old_skipped, new_before = format.new_skipped;
  const auto advance_to = [&](std::size_t end) {
    for (; position < end; ++position) {
      old_before += diff.lines[position].change != LineChange::added;
      new_before += diff.lines[position].change != LineChange::removed;
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
      const DiffLine &line = diff.lines[i];
      out += static_cast<char>(line.change) + line.text;
      if (line.text.back() != '\n')
        out += "\n\\ No newline at end of file\n";
    }
  }
  return out;
}

} // namespace tutor
