#include "exercises/diff.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace fs = std::filesystem;

namespace tutor {
namespace {

[[noreturn]] void refuse(const fs::path &file, std::size_t line, const std::string &what) {
  throw Failure(Exit::failed, fmt::format("{}:{}: {}", file.string(), line, what));
}

std::string_view without_break(std::string_view line) {
  return line.ends_with('\n') ? line.substr(0, line.size() - 1) : line;
}

/// Reads the lines "Key: value" that stand above the difference.
class HeaderReader {
public:
  HeaderReader(Answer &answer, const fs::path &file) : answer_(answer), file_(file) {}

  void read(std::string_view line, std::size_t number) {
    std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) {
      refuse(file_, number, fmt::format("'{}' is no line 'Key: value' of the header", line));
    }
    std::string_view key = line.substr(0, colon);
    std::string value(line.substr(colon + 2));
    if (key == "Exercise") {
      answer_.exercise = value;
    } else if (key == "Stub" && value.starts_with("sha256 ") && value.size() == 7 + 64) {
      answer_.stub_sha256 = value.substr(7);
    } else if (key == "Mistake") {
      answer_.mistake = value;
    } else if (key == "Style") {
      answer_.style = value;
    } else if (key == "Verdict") {
      const Judgement meant = judgement(value, number);
      answer_.verdict = meant.verdict;
      answer_.diagnosis = meant.diagnosis;
      verdict_given_ = true;
    } else if (key == "Clang") {
      answer_.with_clang = judgement(value, number);
    } else if (key == "Says") {
      answer_.says = value;
    } else if (key == "GPU" && (value == "fail" || value == "passes")) {
      answer_.passes_on_gpu = value == "passes";
      gpu_given_ = true;
    } else if (key == "Changes" && value == "anywhere") {
      answer_.anywhere = true;
    } else {
      refuse(file_,
             number,
             fmt::format(
                 "'{}' is none of: Exercise: CHAPTER/NAME, Stub: sha256 HEX, Mistake: WHY, Style: "
                 "WHY, "
                 "Verdict: VERDICT DIAGNOSIS, Clang: VERDICT DIAGNOSIS, Says: WORDS, GPU: fail, "
                 "GPU: passes, Changes: anywhere",
                 line));
    }
  }

  void require_complete(std::size_t line) const {
    if (answer_.exercise.empty() || answer_.stub_sha256.empty()) {
      refuse(file_, line, "the header lacks its line 'Exercise: …' or 'Stub: sha256 …'");
    }
    bool wrong = answer_.is_wrong_answer();
    const bool right = answer_.is_right_answer();
    const bool more = answer_.anywhere || !answer_.says.empty();
    if (wrong != verdict_given_ || wrong != gpu_given_ || (answer_.with_clang && !wrong) ||
        (wrong && right) || (more && !wrong && !right)) {
      refuse(file_,
             line,
             "a wrong answer has the lines Mistake, Verdict and GPU, and perhaps Clang, Says and "
             "Changes, a right one Style, and perhaps Says and Changes, a solution none of them");
    }
  }

private:
  Judgement judgement(const std::string &value, std::size_t number) const {
    const std::optional<Judgement> named = judgement_named(value);
    if (!named) {
      refuse(file_, number, fmt::format("'{}' is no verdict with a diagnosis", value));
    }
    return *named;
  }

  Answer &answer_;
  const fs::path &file_;
  bool verdict_given_ = false;
  bool gpu_given_ = false;
};

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
  Applier(std::string_view stub, const fs::path &file, std::size_t first_line)
      : stub_(split_lines(stub)), file_(file), line_(first_line) {}

  std::string apply(const std::vector<std::string> &changes) {
    line_ += 2; // "---" and "+++"
    for (std::size_t at = 2; at < changes.size(); ++at, ++line_) {
      if (const auto first = hunks_begin(changes[at])) {
        begin(*first);
      } else if (at == 2) {
        refuse(file_, line_, "a line '@@ -FROM,COUNT +TO,COUNT @@' should stand here");
      } else {
        take(changes[at]);
      }
    }
    copy_until(stub_.size());
    return solved_;
  }

private:
  void copy_until(std::size_t end) {
    while (next_ < end) {
      solved_ += stub_[next_++];
    }
  }

  void begin(std::size_t first) {
    const std::size_t from = first - (first > 0); // 0: of an empty stub
    if (from < next_ || from > stub_.size()) {
      refuse(
          file_, line_, "this hunk begins before the end of the last one, or after the stub's end");
    }
    copy_until(from);
  }

  void take(const std::string &change) {
    if (change.starts_with('\\')) {
      refuse(file_, line_, "a file that does not end in a line break; end it with one");
    }
    std::string text = change.substr(1);
    if (change[0] == ' ' || change[0] == '-') {
      if (next_ >= stub_.size() || stub_[next_] != text) {
        refuse(file_,
               line_,
               fmt::format("the stub's line {} is not '{}'", next_ + 1, without_break(text)));
      }
      ++next_;
    } else if (change[0] != '+') {
      refuse(file_, line_, "a line of a hunk begins with ' ', '-' or '+'");
    }
    solved_ += change[0] != '-' ? text : "";
  }

  std::vector<std::string> stub_;
  const fs::path &file_;
  std::size_t line_;
  std::size_t next_ = 0; ///< line of the stub, from 0
  std::string solved_;
};

std::size_t header_lines(const Answer &answer) {
  const std::size_t common = 2 + answer.anywhere + !answer.says.empty();
  return answer.is_wrong_answer() ? common + 3 + answer.with_clang.has_value()
                                  : common + answer.is_right_answer();
}

} // namespace

Answer parse_answer(std::string_view text, const fs::path &file) {
  if (std::size_t at = text.find('\r'); at != std::string_view::npos) {
    auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
    refuse(
        file, static_cast<std::size_t>(line), "CRLF; lines end in LF (git: core.autocrlf false)");
  }
  if (!text.ends_with('\n')) {
    refuse(file, split_lines(text).size(), "the last line has no end; was the file cut off?");
  }
  Answer answer;
  HeaderReader header(answer, file);
  std::vector<std::string> lines = split_lines(text);
  std::size_t at = 0;
  for (; at < lines.size() && !lines[at].starts_with("--- "); ++at) {
    header.read(without_break(lines[at]), at + 1);
  }
  header.require_complete(at + 1);
  std::string name = fs::path(answer.exercise).filename().string() + ".cu\n";
  if (at + 1 >= lines.size() || lines[at] != "--- " + name || lines[at + 1] != "+++ " + name) {
    refuse(file,
           at + 1,
           fmt::format("the lines '--- {0}' and '+++ {0}' should stand here", without_break(name)));
  }
  for (; at < lines.size(); ++at) {
    answer.changes += lines[at];
  }
  return answer;
}

Answer read_answer(const fs::path &file) {
  if (!fs::exists(file)) {
    throw Failure(Exit::failed,
                  fmt::format("{} is missing; ./tutor author writes it", file.string()));
  }
  return parse_answer(read_file(file), file);
}

std::string apply_answer(const Answer &answer, std::string_view stub, const fs::path &file) {
  if (std::string actual = sha256(stub); actual != answer.stub_sha256) {
    refuse(
        file,
        2,
        fmt::format("made from another stub (sha256 {}…, the stub here has {}…); make it anew with "
                    "./tutor author",
                    answer.stub_sha256.substr(0, 12),
                    actual.substr(0, 12)));
  }
  std::vector<std::string> changes = split_lines(answer.changes);
  return Applier(stub, file, header_lines(answer) + 1).apply(changes);
}

void make_changes(Answer &answer,
                  const std::string &name,
                  std::string_view stub,
                  std::string_view solved) {
  if (!stub.ends_with('\n') || !solved.ends_with('\n') ||
      solved.find('\r') != std::string_view::npos) {
    throw Failure(Exit::failed, fmt::format("{}: lines must end in LF, the last one too", name));
  }
  answer.stub_sha256 = sha256(stub);
  answer.changes = to_unified(diff_texts(stub, solved), {.old_name = name, .new_name = name});
  if (answer.changes.empty()) {
    throw Failure(Exit::failed, fmt::format("{}: nothing differs from the stub", name));
  }
}

std::optional<Judgement> judgement_named(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::optional<Verdict> verdict = verdict_named(text.substr(0, space));
  if (!verdict || *verdict == Verdict::pass || space == std::string_view::npos) {
    return std::nullopt;
  }
  return Judgement{*verdict, std::string(text.substr(space + 1))};
}

std::string to_text(const Answer &answer) {
  std::string text =
      fmt::format("Exercise: {}\nStub: sha256 {}\n", answer.exercise, answer.stub_sha256);
  if (answer.is_wrong_answer()) {
    text += fmt::format(
        "Mistake: {}\nVerdict: {} {}\n", answer.mistake, name_of(answer.verdict), answer.diagnosis);
  }
  if (answer.is_right_answer()) {
    text += fmt::format("Style: {}\n", answer.style);
  }
  if (answer.with_clang) {
    text += fmt::format(
        "Clang: {} {}\n", name_of(answer.with_clang->verdict), answer.with_clang->diagnosis);
  }
  if (answer.is_wrong_answer()) {
    text += fmt::format("GPU: {}\n", answer.passes_on_gpu ? "passes" : "fail");
  }
  if (!answer.says.empty()) {
    text += fmt::format("Says: {}\n", answer.says);
  }
  if (answer.anywhere) {
    text += "Changes: anywhere\n";
  }
  return text + answer.changes;
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

} // namespace tutor
