#include "exercises/solution.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <utility>
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

constexpr std::string_view up_to_next =
    "…\n"; // what stands between the line before it and the next one goes

/// Where this line stands next, from line `from` on; the end if nowhere.
std::size_t
next_place(const std::vector<std::string> &lines, const std::string &line, std::size_t from) {
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(from);
  return static_cast<std::size_t>(std::find(begin, lines.end(), line) - lines.begin());
}

/// Writes edits of a text, which are read from its top to its bottom.
class EditsWriter {
public:
  explicit EditsWriter(std::vector<std::string> lines) : lines_(std::move(lines)) {}

  /// Takes out lines [first, end).
  void take_out(std::size_t first, std::size_t end) {
    if (first == end) {
      return;
    }
    lead_to(first);
    write('-', first);
    std::size_t last = end - 1; // from here on lines are written out again
    while (last > next_ && next_place(lines_, lines_[last], next_) != last) {
      --last;
    }
    if (last > next_ + 1) {
      edits_ += up_to_next;
      next_ = last;
    }
    while (next_ < end) {
      write('-', next_);
    }
  }
  /// Puts lines in before line `place`; to be called after what is taken out before it.
  void put_in(std::size_t place, const std::vector<std::string> &added) {
    if (!added.empty() && place > next_) {
      lead_to(place - 1);
      write(' ', place - 1);
    }
    for (const std::string &line : added) {
      edits_ += '+' + line;
    }
  }
  const std::string &edits() const { return edits_; }

private:
  void write(char change, std::size_t line) {
    const bool empty_line = change == ' ' && lines_[line] == "\n";
    edits_ += (empty_line ? "" : std::string(1, change)) + lines_[line];
    next_ = line + 1;
  }
  /// Names as few kept lines as it takes for `line` to be the next one of its text.
  void lead_to(std::size_t line) {
    const auto leads = [&](std::size_t from) {
      return next_place(lines_, lines_[line], from) == line;
    };
    if (leads(next_)) {
      return;
    }
    std::size_t kept = line - 1;
    while (leads(kept + 1) && next_place(lines_, lines_[kept], next_) != kept) {
      --kept;
    }
    if (!leads(kept + 1)) { // no line does it alone
      kept = line - 1;
      lead_to(kept);
    }
    write(' ', kept);
  }

  std::vector<std::string> lines_;
  std::size_t next_ = 0; // line of the text
  std::string edits_;
};

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
  std::size_t next = 0; // line of the text
  bool taken_out = false; // what stands up to the next line that is named
  const auto go_to = [&](std::size_t place) {
    for (; next < place; ++next) {
      changed += taken_out ? "" : lines[next];
    }
    taken_out = false;
  };
  for (const std::string &edit : split_lines(edits)) {
    const std::string line = edit == "\n" ? edit : edit.substr(1);
    if (edit == up_to_next) {
      taken_out = true;
    } else if (edit[0] == '+') {
      changed += line;
    } else if (edit[0] == '-' || edit[0] == ' ' || edit[0] == '\n') {
      const std::size_t place = next_place(lines, line, next);
      if (place == lines.size()) {
        throw failure("{}: behind line {} of the solution there is no '{}'; store it "
                      "anew with ./tutor author",
                      what,
                      next,
                      without_break(line));
      }
      go_to(place);
      changed += edit[0] == '-' ? "" : line;
      ++next;
    } else {
      throw failure("{}: a line of an edit begins with ' ', '-' or '+', not as '{}'",
                    what,
                    without_break(edit));
    }
  }
  go_to(lines.size());
  return changed;
}

std::string
edits_between(std::string_view text, std::string_view changed, const std::string &name) {
  require_whole_lines(text, name);
  require_whole_lines(changed, name);
  EditsWriter writer(split_lines(text));
  std::size_t line = 0, first = 0; // of the text; lines [first, line) are taken out
  std::vector<std::string> added;
  const auto write_changes = [&] {
    writer.take_out(first, line);
    writer.put_in(line, added);
    added.clear();
  };
  for (const DiffLine &each : diff_texts(text, changed)) {
    if (each.change == LineChange::added) {
      added.push_back(each.text);
      continue;
    }
    if (each.change == LineChange::kept) {
      write_changes();
      first = line + 1;
    }
    ++line;
  }
  write_changes();
  return writer.edits();
}

} // namespace tutor
