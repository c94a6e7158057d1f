#include "exercises/solution.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <vector>

namespace tutor {
namespace {

[[noreturn]] void refuse(const fs::path &file, std::size_t line, const std::string &what) {
  throw failure("{}:{}: {}", file, line, what);
}

std::string_view without_break(std::string_view line) {
  return line.ends_with('\n') ? line.substr(0, line.size() - 1) : line;
}

/// The first line of the stub that a hunk is about, from 1: 12 of "@@ -12,3 +12,7 @@". Nothing for other lines.
std::optional<std::size_t> hunks_begin(std::string_view line) {
  std::size_t first = 0;
  const auto end = line.data() + line.size();
  const bool is_one =
      line.starts_with("@@ -") && std::from_chars(line.data() + 4, end, first).ec == std::errc();
  return is_one ? std::optional(first) : std::nullopt;
}

/// Follows a difference line by line and builds the new text. The stub is known to be the one that the
/// difference was made from: what a hunk's lines say is all that is held against it.
class Applier {
public:
  /// \param file        where the changes stand, for messages
  /// \param first_line  the number of the first hunk's first line there
  Applier(std::string_view stub, const fs::path &file, std::size_t first_line)
      : stub_(split_lines(stub)), file_(file), line_(first_line) {}

  std::string apply(const std::vector<std::string> &changes) {
    for (std::size_t at = 0; at < changes.size(); ++at, ++line_) {
      if (const auto first = hunks_begin(changes[at])) {
        begin(*first);
      } else if (at == 0) {
        refuse("a line '@@ -FROM,COUNT +TO,COUNT @@' should stand here");
      } else {
        take(changes[at]);
      }
    }
    copy_until(stub_.size());
    return solved_;
  }

private:
  [[noreturn]] void refuse(const std::string &what) const { tutor::refuse(file_, line_, what); }

  void copy_until(std::size_t end) {
    while (next_ < end) {
      solved_ += stub_[next_++];
    }
  }

  void begin(std::size_t first) {
    const std::size_t from = first - (first > 0); // 0: of an empty stub
    if (from < next_ || from > stub_.size()) {
      refuse("this hunk begins before the end of the last one, or after the stub's end");
    }
    copy_until(from);
  }

  void take(const std::string &change) {
    if (change.starts_with('\\')) {
      refuse("a file that does not end in a line break; end it with one");
    }
    std::string text = change.substr(1);
    if (change[0] == ' ' || change[0] == '-') {
      if (next_ >= stub_.size() || stub_[next_] != text) {
        refuse(fmt::format("the stub's line {} is not '{}'", next_ + 1, without_break(text)));
      }
      ++next_;
    } else if (change[0] != '+') {
      refuse("a line of a hunk begins with ' ', '-' or '+'");
    }
    solved_ += change[0] != '-' ? text : "";
  }

  std::vector<std::string> stub_;
  fs::path file_;
  std::size_t line_;
  std::size_t next_ = 0; ///< line of the stub, from 0
  std::string solved_;
};

/// The name of its file: block_sum.cu of 05_reduction/block_sum.
std::string file_of(const std::string &exercise) {
  return fs::path(exercise).filename().string() + ".cu";
}

constexpr std::size_t header_lines = 4; // Exercise, Stub, ---, +++

/// Of "Key: value" in a header.
std::string
value_of(std::string_view line, std::string_view key, const fs::path &file, std::size_t number) {
  if (!line.starts_with(key)) {
    refuse(file, number, fmt::format("'{}' should be a line '{}…'", line, key));
  }
  return std::string(line.substr(key.size()));
}

void require_whole_lines(std::string_view text, const std::string &name) {
  if (!text.ends_with('\n') || text.find('\r') != std::string_view::npos) {
    throw failure("{}: lines must end in LF, the last one too", name);
  }
}

std::string hunks_between(std::string_view stub, std::string_view solved, const std::string &name) {
  require_whole_lines(stub, name);
  require_whole_lines(solved, name);
  const std::string all =
      to_unified(diff_texts(stub, solved), {.old_name = name, .new_name = name});
  if (all.empty()) {
    throw failure("{}: nothing differs from the stub", name);
  }
  return all.substr(all.find("\n@@") + 1);
}

/// An edit of a text.
struct Edit {
  std::vector<std::string> old, now;
};

std::vector<Edit> edits_of(std::string_view text, const std::string &what) {
  std::vector<Edit> edits(1);
  for (const std::string &line : split_lines(text)) {
    const std::string rest = line == "\n" ? line : line.substr(1);
    if (line == "@@\n") {
      edits.emplace_back();
      continue;
    }
    if (line[0] != '+' && line[0] != '-' && line[0] != ' ' && line[0] != '\n') {
      throw failure("{}: a line of an edit begins with ' ', '-' or '+', not as '{}'",
                    what,
                    without_break(line));
    }
    if (line[0] != '+') {
      edits.back().old.push_back(rest);
    }
    if (line[0] != '-') {
      edits.back().now.push_back(rest);
    }
  }
  return edits;
}

/// Where these lines stand, from line `from` on; nowhere if there are none.
std::vector<std::size_t> places_of(const std::vector<std::string> &wanted,
                                   const std::vector<std::string> &lines,
                                   std::size_t from) {
  std::vector<std::size_t> places;
  for (std::size_t i = from; !wanted.empty() && i + wanted.size() <= lines.size(); ++i) {
    if (std::equal(wanted.begin(), wanted.end(), lines.begin() + static_cast<std::ptrdiff_t>(i))) {
      places.push_back(i);
    }
  }
  return places;
}

/// The lines of the old text in a part of a difference.
std::vector<std::string> old_lines(const Diff &all, std::size_t first, std::size_t end) {
  std::vector<std::string> lines;
  for (std::size_t i = first; i < end; ++i) {
    if (all[i].change != LineChange::added) {
      lines.push_back(all[i].text);
    }
  }
  return lines;
}

} // namespace

Solution parse_solution(std::string_view text, const fs::path &file) {
  if (std::size_t at = text.find('\r'); at != std::string_view::npos) {
    auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
    refuse(
        file, static_cast<std::size_t>(line), "CRLF; lines end in LF (git: core.autocrlf false)");
  }
  const std::vector<std::string> lines = split_lines(text);
  if (!text.ends_with('\n')) {
    refuse(file, lines.size(), "the last line has no end; was the file cut off?");
  }
  const auto line = [&](std::size_t i) {
    return i < lines.size() ? without_break(lines[i]) : std::string_view();
  };
  Solution solution;
  solution.exercise = value_of(line(0), "Exercise: ", file, 1);
  solution.stub_sha256 = value_of(line(1), "Stub: sha256 ", file, 2);
  const std::string name = file_of(solution.exercise);
  if (line(2) != "--- " + name || line(3) != "+++ " + name) {
    refuse(file, 3, fmt::format("the lines '--- {0}' and '+++ {0}' should stand here", name));
  }
  for (std::size_t i = 2; i < lines.size(); ++i) {
    solution.changes += lines[i];
  }
  return solution;
}

Solution read_solution(const fs::path &file) {
  if (!fs::exists(file)) {
    throw failure("{} is missing; ./tutor author writes it", file);
  }
  return parse_solution(read_file(file), file);
}

std::string apply_solution(const Solution &solution, std::string_view stub, const fs::path &file) {
  if (std::string actual = sha256(stub); actual != solution.stub_sha256) {
    refuse(file,
           2,
           fmt::format("made from another stub (sha256 {}…, the stub here has {}…); make it anew "
                       "with ./tutor author",
                       solution.stub_sha256.substr(0, 12),
                       actual.substr(0, 12)));
  }
  std::vector<std::string> changes = split_lines(solution.changes);
  changes.erase(changes.begin(), changes.begin() + 2); // "---" and "+++"
  return Applier(stub, file, header_lines + 1).apply(changes);
}

Solution
make_solution(const std::string &exercise, std::string_view stub, std::string_view solved) {
  const std::string name = file_of(exercise);
  return {exercise,
          sha256(stub),
          fmt::format("--- {0}\n+++ {0}\n{1}", name, hunks_between(stub, solved, name))};
}

std::string to_text(const Solution &solution) {
  return fmt::format("Exercise: {}\nStub: sha256 {}\n{}",
                     solution.exercise,
                     solution.stub_sha256,
                     solution.changes);
}

std::vector<std::string> hunks_of(std::string_view changes) {
  std::vector<std::string> hunks;
  for (const std::string &line : split_lines(changes)) {
    if (line.starts_with("@@ ")) {
      hunks.emplace_back();
    }
    if (!hunks.empty()) {
      hunks.back() += line;
    }
  }
  return hunks;
}

std::string apply_edits(std::string_view edits, std::string_view text, const std::string &what) {
  const std::vector<std::string> lines = split_lines(text);
  std::string changed;
  std::size_t next = 0; // line of the text, from 0
  const auto copy_until = [&](std::size_t end) {
    while (next < end) {
      changed += lines[next++];
    }
  };
  for (const Edit &edit : edits_of(edits, what)) {
    const std::vector<std::size_t> places = places_of(edit.old, lines, next);
    if (places.size() != 1) {
      throw failure("{}: '{}' and what follows it in an edit stand {} in the solution; store it "
                    "anew with ./tutor author",
                    what,
                    edit.old.empty() ? "" : without_break(edit.old.front()),
                    places.empty() ? "nowhere" : "more than once");
    }
    copy_until(places[0]);
    next += edit.old.size();
    changed += fmt::format("{}", fmt::join(edit.now, ""));
  }
  copy_until(lines.size());
  return changed;
}

std::string
edits_between(std::string_view text, std::string_view changed, const std::string &name) {
  require_whole_lines(text, name);
  require_whole_lines(changed, name);
  const std::vector<std::string> lines = split_lines(text);
  const Diff all = diff_texts(text, changed);
  const auto is_kept = [&](std::size_t i) { return all[i].change == LineChange::kept; };
  std::string edits;
  std::size_t done = 0, done_lines = 0; // of `all` and of `lines`, behind the edit before
  for (std::size_t begin = 0; begin < all.size(); begin = std::max(begin + 1, done)) {
    if (is_kept(begin)) {
      continue;
    }
    std::size_t first = begin, end = begin;
    const auto take_changes = [&] {
      while (end < all.size() && !is_kept(end)) {
        ++end;
      }
    };
    take_changes();
    while (places_of(old_lines(all, first, end), lines, done_lines).size() != 1) {
      if (first > done) {
        --first;
      } else {
        ++end;
        take_changes();
      }
    }
    edits += edits.empty() ? "" : "@@\n";
    for (std::size_t i = first; i < end; ++i) {
      const bool empty_line = is_kept(i) && all[i].text == "\n";
      edits += (empty_line ? "" : std::string(1, static_cast<char>(all[i].change))) + all[i].text;
    }
    done_lines += old_lines(all, done, end).size();
    done = end;
  }
  return edits;
}

} // namespace tutor
