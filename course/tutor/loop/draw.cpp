#include "loop/loop.hpp"

#include "base/files.hpp"
#include "loop/markdown.hpp"
#include "loop/screens.hpp"

#include <algorithm>
#include <fmt/format.h>

/// \file
/// The loop's screens.

namespace tutor {

Line Loop::title() const {
  if (mode_ == Mode::lesson) {
    return Line({{fmt::format("Before {}  ", here().short_id()), Style::faint},
                 {here().card.title, Style::bold},
                 {fmt::format(", section {} of {}", section_ + 1, reading_.size()), Style::faint}});
  }
  return Line({{here().short_id() + "  ", Style::faint}, {here().card.title, Style::bold}});
}

Lines Loop::checking_body(std::size_t columns) const {
  const double seconds = hands_.now() - check_began_;
  Lines lines{Line(
      fmt::format("Checking: {}{}", phase_, seconds < 1 ? "" : fmt::format(", {:.0f} s", seconds)),
      Style::yellow)};
  if (auto last = results_.find(here().id()); last != results_.end()) {
    lines.emplace_back("");
    lines.emplace_back("Before:", Style::faint);
    for (const std::string &line : wrap(last->second.message, std::min<std::size_t>(columns, 88))) {
      lines.emplace_back(line, Style::faint);
    }
  }
  return lines;
}

Lines Loop::exercise_body(std::size_t columns) const {
  if (!trouble_.empty()) {
    Lines lines{Line("The check could not be made", Style::red), Line("")};
    append(lines, paragraph(trouble_, columns));
    return lines;
  }
  if (checking_) {
    return checking_body(columns);
  }
  const auto result = results_.find(here().id());
  if (result == results_.end()) {
    Lines lines = task_lines(here(), typed_path(file_), columns);
    lines.emplace_back("");
    lines.emplace_back("Fill in what the file's TODO asks for, and save: it is checked at once.",
                       Style::bold);
    return lines;
  }
  std::string source;
  try {
    source = read_file(file_);
  } catch (const std::exception &) { // an editor that is replacing it: the lines will do without
  }
  Lines lines = result_lines(here(), state_here(), result->second, source, columns);
  if (result->second.verdict == Verdict::pass) {
    lines.emplace_back("");
    const bool last = index_ + 1 == exercises_.size();
    const std::string what_now = fmt::format("d compares your file with the course's solution{}",
                                             last ? "."
                                                  : fmt::format("; n goes on to {}, {}.",
                                                                exercises_[index_ + 1].short_id(),
                                                                exercises_[index_ + 1].card.title));
    append(lines, paragraph(what_now, columns));
  }
  return lines;
}

Lines Loop::guess_body(std::size_t columns) const {
  const std::vector<const Prediction *> open = open_predictions(here().card, state_here());
  Lines lines = paragraph(open.empty() ? "" : reflow(open.front()->question), columns);
  lines.emplace_back("");
  lines.push_back(Line({{"Your guess: ", Style::bold}, {typed_}, {" ", Style::reversed}}));
  return lines;
}

Lines Loop::body(std::size_t columns) {
  switch (mode_) {
  case Mode::exercise:
    return exercise_body(columns);
  case Mode::lesson:
    return markdown_lines(reading_[section_].text, columns, unfolded_ ? "" : "u");
  case Mode::help:
    return help_lines(columns);
  case Mode::task:
    return task_lines(here(), typed_path(file_), columns);
  case Mode::hint:
    return hint_lines(here(), state_here(), columns);
  case Mode::guess:
    return guess_body(columns);
  case Mode::compare:
    return compare_lines(hunks_, columns);
  case Mode::message:
    return page_;
  case Mode::list:
    break;
  }
  std::size_t line = 0;
  Lines lines = list_lines(exercises_, state_, selected_, line);
  const std::size_t room = rows_ > 9 ? rows_ - 9 : 1; // about what compose() has
  scroll_ = std::clamp(scroll_, line >= room ? line - room + 1 : 0, line);
  return lines;
}

std::string Loop::keys() const {
  switch (mode_) {
  case Mode::lesson:
    return fmt::format("n I have read it  u {}  j k space b scroll  Esc to the exercise",
                       unfolded_ ? "fold" : "unfold");
  case Mode::list:
    return "j k choose  Enter open it  Esc back";
  case Mode::guess:
    return "Enter that is my guess  Esc back";
  case Mode::message:
    return "any key goes on";
  case Mode::hint:
    return "h next hint  j k scroll  c task  Esc back";
  case Mode::exercise:
    break;
  default:
    return "j k scroll  Esc back  h hint  l list  n next  ? help";
  }
  const bool passed = state_here().passed;
  const bool guess = passed && !open_predictions(here().card, state_here()).empty();
  return fmt::format("n next  p prev  l list{}  h hint  c task{}{}  r again{}  ? help  q quit",
                     passed ? "" : "  s lesson",
                     passed ? "  d diff" : "",
                     guess ? "  g guess" : "",
                     guess ? "" : "  o open"); // 80 columns hold no more
}

Lines Loop::footer(std::size_t columns) const {
  Footer footer;
  footer.total = exercises_.size();
  std::size_t in_chapter = 0, place = 0;
  for (std::size_t i = 0; i < exercises_.size(); ++i) {
    const ExerciseState &its = state_.of(exercises_[i].id());
    footer.passed += its.passed;
    footer.guesses += its.score().made;
    footer.right_guesses += its.score().right;
    if (exercises_[i].chapter == here().chapter) {
      ++in_chapter;
      place = i == index_ ? in_chapter : place;
    }
  }
  footer.chapter = fmt::format("exercise {}/{} of chapter {}",
                               place,
                               in_chapter,
                               here().chapter.substr(0, here().chapter.find('_')));
  footer.file = typed_path(file_);
  footer.keys = keys();
  return footer_lines(footer, columns);
}

Lines Loop::draw(const Size &size) {
  rows_ = size.rows;
  return compose(title(), body(size.columns), scroll_, news_, footer(size.columns), size);
}

} // namespace tutor
