#include "loop/merge.hpp"

#include "lessons/diff.hpp"

#include <span>
#include <vector>

namespace tutor {
namespace {

using TextLines = std::vector<std::string>;

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

constexpr std::string_view ours_begin =
    "<<<<<<< yours: keep what is right of both, then remove the "
    "three lines of signs\n";
constexpr std::string_view theirs_begin = "=======\n";
constexpr std::string_view conflict_end = ">>>>>>> the course's new version\n";

/// A text without the "\r" of Windows' line ends.
std::string with_plain_line_ends(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool before_end = i + 1 == text.size() || text[i + 1] == '\n';
    if (text[i] != '\r' || !before_end) {
      plain += text[i];
    }
  }
  return plain;
}

/// For each line of `base`, the line of `other` that it became, or nowhere.
std::vector<std::size_t> partners(std::string_view base, std::string_view other) {
  std::vector<std::size_t> partner;
  std::size_t position = 0;
  for (const DiffLine &line : diff_texts(base, other).lines) {
    if (line.change != LineChange::added) {
      partner.push_back(line.change == LineChange::kept ? position : nowhere);
    }
    position += line.change != LineChange::removed;
  }
  return partner;
}

std::string joined(std::span<const std::string> lines) {
  std::string text;
  for (const std::string &line : lines) {
    text += line;
  }
  return text;
}

std::string ended(std::string text) {
  if (!text.empty() && text.back() != '\n') {
    text += '\n';
  }
  return text;
}

/// Adds one run of lines, of which at least one side may have changed some.
void merge_run(Merge &merge,
               const std::string &base,
               const std::string &ours,
               const std::string &theirs) {
  if (ours == theirs || theirs == base) {
    merge.text += ours;
  } else if (ours == base) {
    merge.text += theirs;
  } else {
    ++merge.conflicts;
    merge.text = ended(std::move(merge.text));
    merge.text.append(ours_begin).append(ended(ours)).append(theirs_begin);
    merge.text.append(ended(theirs)).append(conflict_end);
  }
}

} // namespace

Merge merge_texts(std::string_view base_text, std::string_view our_text, std::string_view theirs) {
  const std::string our_plain = with_plain_line_ends(our_text);
  const TextLines base = split_lines(base_text), ours = split_lines(our_plain),
                  new_lines = split_lines(theirs);
  const std::vector<std::size_t> in_ours = partners(base_text, our_plain);
  const std::vector<std::size_t> in_theirs = partners(base_text, theirs);

  // Between two lines that both sides kept lies one run, which may be empty.
  Merge merge{"", 0};
  std::size_t b = 0, o = 0, t = 0;
  const auto run_up_to = [&](std::size_t b_end, std::size_t o_end, std::size_t t_end) {
    merge_run(merge,
              joined(std::span(base).subspan(b, b_end - b)),
              joined(std::span(ours).subspan(o, o_end - o)),
              joined(std::span(new_lines).subspan(t, t_end - t)));
  };
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (in_ours[i] != nowhere && in_theirs[i] != nowhere) {
      run_up_to(i, in_ours[i], in_theirs[i]);
      merge.text += base[i];
      b = i + 1, o = in_ours[i] + 1, t = in_theirs[i] + 1;
    }
  }
  run_up_to(base.size(), ours.size(), new_lines.size());
  return merge;
}

bool has_conflict(std::string_view text) {
  for (const std::string &line : split_lines(text)) {
    if (line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ")) {
      return true;
    }
  }
  return false;
}

} // namespace tutor
