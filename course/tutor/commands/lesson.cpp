#include "loop/lesson.hpp"

#include "base/files.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "commands/learner.hpp"
#include "loop/markdown.hpp"
#include "loop/state.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace tutor::commands {
namespace {

/// Printed; in a terminal, where $PAGER names one, by a pager.
void show(const Lines &lines) {
  std::string text;
  for (const Line &line : lines) {
    text += to_terminal(line, 10'000, colours_shown()) + "\n";
  }
  const char *pager = std::getenv("PAGER");
  if (pager == nullptr || *pager == '\0' || isatty(STDOUT_FILENO) == 0) {
    fmt::print("{}", text);
    return;
  }
  setenv("LESS", "FRX", 0); // less shows colours then, and leaves what fits on the screen
  std::signal(SIGPIPE, SIG_IGN); // whoever quits it has read enough
  std::FILE *pipe = popen(pager, "w"); // a shell, because "less -S" is a program and an option
  if (pipe != nullptr) {
    std::fwrite(text.data(), 1, text.size(), pipe);
  }
  if (pipe == nullptr || pclose(pipe) != 0) {
    throw failure("the pager that $PAGER names, {}, did not work", pager);
  }
}

void list_sections(const Chapter &chapter,
                   const std::vector<Section> &sections,
                   const LearnerState &state) {
  fs::path page;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].page != page) {
      page = sections[i].page;
      fmt::print("{}{}\n",
                 i == 0 ? "" : "\n",
                 bold(i == 0 ? chapter.title : "more/" + page.filename().string()));
    }
    print_lines({Line({{sections[i].done(state) ? "x " : "  ", Style::green},
                       {fmt::format("{:>2}  ", i + 1), Style::faint},
                       {sections[i].title}})});
    for (const Exercise *one : sections[i].exercises) {
      print_lines({Line(
          fmt::format(
              "        {} {}, {} minutes", one->short_id(), one->card.title, one->card.minutes),
          Style::faint)});
    }
  }
  fmt::print("\nOne of them: ./tutor lesson {:02} 1\n", chapter.number);
}

} // namespace

Exit lesson(const Course &course, const LearnerRequest &request) {
  const std::vector<Exercise> exercises = exercises_of(course);
  std::vector<std::string> words = request.words;
  const Chapter *chapter = course.named(words.front());
  if (chapter == nullptr && words.front().find('.') != std::string::npos) {
    chapter = &course.find(find_exercise(exercises, words.front()).chapter);
  } else if (chapter == nullptr) { // block_sum alone
    const auto meant = std::ranges::find_if(
        exercises, [&](const Exercise &e) { return e.is_meant_by(words.front()); });
    chapter = &course.find(meant == exercises.end() ? words.front() : meant->chapter);
  } else {
    words.erase(words.begin());
  }
  const std::vector<Section> sections = sections_of(chapter->folder, exercises);
  if (words.empty()) {
    list_sections(
        *chapter, sections, StateFile(Workspace::of(course, request.workspace).folder()).load());
    return Exit::ok;
  }
  const Section &section =
      find_section(sections, *chapter, fmt::format("{}", fmt::join(words, " ")));
  const std::size_t columns = std::max<std::size_t>(terminal_columns(STDOUT_FILENO, 80), 20);
  Lines lines = markdown_lines(section.text, columns, request.all ? "" : "--all");
  const auto number = static_cast<std::size_t>(&section - sections.data()) + 1;
  if (number < sections.size()) {
    lines.emplace_back("");
    const std::string next = fmt::format(
        "Next: ./tutor lesson {:02} {}, {}", chapter->number, number + 1, sections[number].title);
    append(lines, paragraph(next, columns, 0, Style::faint));
  }
  show(lines);
  return Exit::ok;
}

} // namespace tutor::commands
