#include "loop/screens.hpp"

#include "base/diff.hpp"
#include "exercises/diagnoses.hpp"
#include "exercises/workspace.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <set>

namespace tutor {
namespace {

constexpr std::size_t prose_columns = 88; // longer lines are hard to read

std::string spelled(std::string_view diagnosis) {
  std::string words(diagnosis);
  std::ranges::replace(words, '_', ' ');
  return words;
}

Style style_of(Verdict verdict) {
  return verdict == Verdict::pass      ? Style::green
         : verdict == Verdict::not_run ? Style::yellow
                                       : Style::red;
}

std::size_t prose(std::size_t columns) { return std::min(columns, prose_columns); }

/// A line of the learner's file; empty when there is no such line.
std::string source_line(const std::string &source, int number) {
  const std::vector<std::string> lines = split_lines(source);
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) {
    return "";
  }
  const std::string &line = lines[static_cast<std::size_t>(number) - 1];
  return without_controls(line.substr(0, line.find('\n')));
}

std::string coordinates(const std::array<unsigned, 3> &index, int axes) {
  return axes > 2 || index[2] > 0   ? fmt::format("({}, {}, {})", index[0], index[1], index[2])
         : axes > 1 || index[1] > 0 ? fmt::format("({}, {})", index[0], index[1])
                                    : fmt::format("{}", index[0]);
}

/// Who did it: " thread (3, 0) of block 2"; of a kernel's line that no thread in particular is to blame for, nobody.
std::string doer(const Place &place) {
  switch (place.by) {
  case Doer::thread:
    return fmt::format("thread {} of block {}",
                       coordinates(place.thread, place.thread_axes),
                       coordinates(place.block, place.block_axes));
  case Doer::host:
    return "in host code";
  default:
    return "";
  }
}

/// The request that costs most, and how to have it as an image.
Lines picture_lines(const Exercise &exercise, const Result &result, std::size_t columns) {
  Lines lines;
  for (const std::string &row : split_lines(result.picture)) {
    lines.emplace_back(
        "  " + std::string(clip(without_controls(row.substr(0, row.find('\n'))), columns - 2)));
  }
  if (!lines.empty()) {
    append(lines,
           paragraph(fmt::format("As an image: ./tutor check {} --picture writes {}.svg",
                                 exercise.short_id(),
                                 exercise.name),
                     columns,
                     2,
                     Style::faint));
  }
  return lines;
}

/// The cases that went wrong.
Lines case_lines(const Result &result) {
  Lines lines;
  for (const CaseResult &one : result.cases) {
    if (!one.passed) {
      lines.push_back(Line({{"  failed: ", Style::red}, {one.name}}));
    }
  }
  return lines;
}

/// What is left of a message without its inputs, figures and plurals: what went wrong in the same way has the same.
std::string without_figures(const std::string &message) {
  std::string rest = message.substr(std::min(message.find(": "), message.size()));
  rest.resize(std::min({rest.find(" ("), rest.find(". "), rest.size()}));
  std::erase_if(rest, [](unsigned char c) { return std::isdigit(c) != 0 || c == 's'; });
  return rest;
}

/// What the emulator says of a line again and again, with other figures, is there once.
std::string told_once(const std::string &log) {
  std::set<std::string> told;
  std::string rest;
  for (const std::string &line : split_lines(log)) {
    std::string same = line;
    std::erase_if(same, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!line.starts_with("emulator: ") || told.insert(same).second) {
      rest += line;
    }
  }
  return rest;
}

Lines log_lines(const Result &result, std::size_t columns) {
  Lines lines;
  const bool compiler = result.verdict == Verdict::build_error;
  lines.emplace_back(compiler ? "The compiler says:" : "Your program wrote:", Style::bold);
  for (const std::string &line : wrap(told_once(result.log), columns, 2)) {
    const bool error = line.find("error:") != std::string::npos;
    lines.emplace_back(line, error ? Style::red : Style::plain);
  }
  return lines;
}

/// Whether the compiler's own words, which follow, are all of the message.
bool is_quoted(const Result &result) {
  const std::string what = result.message.substr(result.message.find(": ") + 1);
  return result.diagnosis == "compile_error" &&
         result.log.find("error:" + what) != std::string::npos;
}

/// The counts, except those that the learner has yet to guess.
Lines count_lines(const Card &card, const ExerciseState &state, const Result &result) {
  const std::vector<const Prediction *> open = open_predictions(card, state);
  Lines lines;
  for (const auto &[name, count] : result.counters) {
    const bool hidden = std::ranges::any_of(
        open, [&name = name](const Prediction *p) { return p->counter == name; });
    lines.push_back(Line(
        {{fmt::format("  {:<40} ", name)},
         {hidden ? "? guess first: g" : count_text(count), hidden ? Style::faint : Style::bold}}));
  }
  return lines;
}

/// The lines, if any, below an empty one.
void append_part(Lines &lines, const Lines &part) {
  if (!part.empty()) {
    lines.emplace_back("");
    append(lines, part);
  }
}

} // namespace

Line verdict_line(const Result &result) {
  static const std::map<Verdict, std::string> texts{{Verdict::pass, "PASS"},
                                                    {Verdict::fail, "FAIL"},
                                                    {Verdict::hazard, "HAZARD"},
                                                    {Verdict::timeout, "TIME IS UP"},
                                                    {Verdict::build_error, "DOES NOT COMPILE"},
                                                    {Verdict::not_run, "NOT CHECKED"}};
  const bool said = result.diagnosis.empty() || result.diagnosis == "compile_error";
  std::string rest = said ? "" : ": " + spelled(result.diagnosis);
  if (!result.cases.empty()) {
    rest += fmt::format("   {} of {} cases passed", result.passed_cases(), result.cases.size());
  }
  rest += fmt::format("   {:.1f} s", result.seconds);
  return Line({{texts.at(result.verdict), style_of(result.verdict)}, {rest}});
}

Lines place_lines(const Exercise &exercise,
                  const Result &result,
                  const std::string &source,
                  std::size_t columns) {
  Lines lines;
  for (const Place &place : result.where) {
    if (place.line == 0 || result.verdict == Verdict::build_error) { // the compiler quotes its line
      continue;
    }
    const Place &first = result.where.front();
    if (&place != &first && place.by == Doer::host && first.by == Doer::host &&
        place.line == first.line && place.file == first.file) {
      continue; // one call of the host's, made twice
    }
    std::string what = doer(place);
    what += (what.empty() || place.what.empty() ? "" : ": ") + place.what;
    lines.push_back(Line({{fmt::format("  {}:{}", place.file, place.line), Style::bold},
                          {(what.empty() ? "" : "  ") + what}}));
    const std::string code =
        place.file == exercise.file_name() ? source_line(source, place.line) : "";
    if (!code.empty()) {
      const std::string number = fmt::format("  {:>4} | ", place.line);
      const std::size_t room = columns > number.size() ? columns - number.size() : 0;
      const std::string_view fits = clip(code, room);
      lines.push_back(Line(
          {{number, Style::faint},
           {fits.size() == code.size() ? code
                                       : std::string(clip(code, room > 0 ? room - 1 : 0)) + "…"}}));
    }
  }
  append_part(lines, picture_lines(exercise, result, columns));
  return lines;
}

/// Whether a case tells of another mistake: what numbers look like follows from what has a name, what CUDA says from a
/// hazard, and any wrong number from a race.
bool tells_of_another(const Result &result, const CaseResult &one) {
  const bool of_numbers =
      one.diagnosis == "wrong_result" || mismatch_diagnoses().contains(one.diagnosis);
  const bool of_hazard = one.diagnosis == "exception" || one.diagnosis == "cuda_error" ||
                         (one.of_numbers && result.diagnosis.ends_with("_race"));
  return one.diagnosis != result.diagnosis && !(of_numbers && result.diagnosis != "wrong_result") &&
         !(of_hazard && result.verdict == Verdict::hazard);
}

/// As many sentences as fit into so many rows; of one that does not, the beginning.
Lines fitting_sentences(std::string text, std::size_t columns, std::size_t rows) {
  constexpr std::size_t ends_in = 2; // " …"
  const auto closed = [&](std::size_t end) {
    return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '(') ==
           std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), ')');
  };
  Lines all = paragraph(text, columns, 2, Style::faint);
  for (std::size_t end = text.rfind(". "); end < text.size() && all.size() > rows;
       end = text.rfind(". ", end - 1))
    if (closed(end)) {
      text.resize(end);
      all = paragraph(text, columns, 2, Style::faint);
    }
  if (all.size() > rows) {
    all = paragraph(text, std::max(columns, ends_in) - ends_in, 2, Style::faint);
    all.resize(rows);
    all.back().spans.push_back({" …", Style::faint});
  }
  return all;
}

Lines other_failures(const Result &result, std::size_t columns) {
  Lines lines;
  std::set<std::string> told{without_figures(result.message)};
  for (const CaseResult &one : result.cases) {
    const std::string first = one.message.substr(0, one.message.find('\n'));
    if (one.passed || first.empty() || first.starts_with("not tried: ") ||
        !tells_of_another(result, one) || !told.insert(without_figures(one.message)).second) {
      continue;
    }
    constexpr std::size_t rows = 3;
    Lines all = fitting_sentences("also: " + first, prose(columns), rows);
    append(lines, all);
  }
  return lines;
}

/// What was counted, and the guesses that are still to be made.
Lines counts_and_questions(const Card &card,
                           const ExerciseState &state,
                           const Result &result,
                           std::size_t columns) {
  Lines lines = count_lines(card, state, result);
  if (!lines.empty()) {
    lines.insert(lines.begin(), Line("Counted:", Style::bold));
  }
  Lines questions;
  for (const Prediction *prediction : open_predictions(card, state)) {
    if (!state.counters.contains(prediction->counter)) {
      continue; // a GPU does not count everything
    }
    append(questions, paragraph("Guess (g): " + reflow(prediction->question), prose(columns)));
  }
  append_part(lines, questions);
  return lines;
}

Lines answer_lines(const Prediction &prediction, const ExerciseState &state, std::size_t columns) {
  const auto is_of_it = [&](const Guess &guess) { return guess.counter == prediction.counter; };
  const Guess &last = *std::find_if(state.guesses.rbegin(), state.guesses.rend(), is_of_it);
  if (!last.right() && std::ranges::count_if(state.guesses, is_of_it) == 1) {
    return paragraph(fmt::format("{} was not counted. What did the guess leave out, or count "
                                 "twice? You have another one.",
                                 count_text(last.guessed)),
                     columns,
                     0,
                     Style::yellow);
  }
  Lines lines{Line(fmt::format("You guessed {}, and {} was counted{}",
                               count_text(last.guessed),
                               count_text(last.counted),
                               last.right() ? ": right." : "."),
                   last.right() ? Style::green : Style::yellow)};
  append(lines, paragraph(reflow(prediction.reason), columns));
  return lines;
}

Lines result_lines(const Exercise &exercise,
                   const ExerciseState &state,
                   const Result &result,
                   const std::string &source,
                   std::size_t columns) {
  Lines lines{verdict_line(result)};
  if (result.verdict == Verdict::pass) {
    // Ahead of what the kernel made, which may be a tall picture.
    append_part(lines, counts_and_questions(exercise.card, state, result, columns));
  }
  if (!result.message.empty() && !is_quoted(result)) {
    lines.emplace_back("");
    append(lines, paragraph(result.message, prose(columns)));
  }
  append_part(lines, place_lines(exercise, result, source, columns));
  append_part(lines, case_lines(result));
  append_part(lines, other_failures(result, columns));
  if (!result.log.empty()) {
    append_part(lines, log_lines(result, columns));
  }
  if (result.verdict != Verdict::pass && result.verdict != Verdict::build_error) {
    lines.emplace_back("");
    lines.emplace_back(fmt::format("The same inputs again: ./tutor check {} --seed {}",
                                   exercise.short_id(),
                                   result.seed),
                       Style::faint);
  }
  return lines;
}

Lines task_lines(const Exercise &exercise, const std::string &file, std::size_t columns) {
  const Card &card = exercise.card;
  Lines lines = paragraph(reflow(card.task), prose(columns));
  lines.emplace_back("");
  lines.push_back(Line({{"File    ", Style::faint}, {file}}));
  lines.push_back(Line({{"Lesson  ", Style::faint},
                        {typed_path(exercise.page()) +
                         (card.section.empty() ? "" : ", \"" + card.section + "\"")}}));
  if (!card.section.empty()) {
    lines.emplace_back(fmt::format("        ./tutor lesson {} shows it", exercise.short_id()));
  }
  lines.push_back(
      Line({{"Time    ", Style::faint}, {fmt::format("about {} minutes", card.minutes)}}));
  return lines;
}

Lines hint_lines(const Exercise &exercise, const ExerciseState &state, std::size_t columns) {
  Lines lines;
  const std::vector<GivenHint> hints = shown_hints(exercise.card, state);
  for (const GivenHint &hint : hints) {
    lines.emplace_back(fmt::format("Hint {} of {}", hint.level, hint.of), Style::bold);
    append(lines, paragraph(reflow(hint.hint->text), prose(columns), 2));
    lines.emplace_back("");
  }
  if (next_hint(exercise.card, state)) {
    lines.emplace_back("h: the next hint, which says more", Style::faint);
  } else {
    append(lines,
           paragraph(fmt::format("{} The lesson may help (c says where it is), and ./tutor diff {} "
                                 "--spoil shows the course's solution.",
                                 hints.empty() ? "There is no hint." : "That was the last hint.",
                                 exercise.short_id()),
                     prose(columns),
                     0,
                     Style::faint));
  }
  return lines;
}

Lines compare_lines(const std::vector<ExplainedHunk> &hunks, std::size_t columns) {
  if (hunks.empty()) {
    return {Line("Your file is the course's solution, line for line.", Style::green)};
  }
  Lines lines{Line({{"- yours", Style::red}, {"   "}, {"+ the course's solution", Style::green}})};
  for (const ExplainedHunk &hunk : hunks) {
    lines.emplace_back("");
    for (const std::string &explanation : hunk.explanations) {
      append(lines, paragraph(reflow(explanation), prose(columns)));
    }
    for (const std::string &text : split_lines(hunk.text)) {
      const Style style = text.starts_with('+')   ? Style::green
                          : text.starts_with('-') ? Style::red
                          : text.starts_with('@') ? Style::faint
                                                  : Style::plain;
      for (const std::string &row :
           wrap(without_controls(text.substr(0, text.find('\n'))), columns)) {
        lines.emplace_back(row, style);
      }
    }
  }
  return lines;
}

std::string state_text(const ExerciseState &state, const Card &card, bool changed) {
  std::string text = spelled(name_of(state.verdict));
  if (state.passed) {
    text = "passed";
  } else if (state.verdict == Verdict::not_run) {
    text = "-";
  } else if (!state.diagnosis.empty()) {
    text += ": " + spelled(state.diagnosis);
  }
  if (state.passed && changed) {
    text += ", but changed since";
  } else if (state.passed && state.verdict != Verdict::pass) {
    text += ", " + spelled(name_of(state.verdict)) + " now";
  }
  if (!state.hints.empty()) {
    text += fmt::format(", {} hint{}", state.hints.size(), state.hints.size() == 1 ? "" : "s");
  }
  if (!card.predictions.empty() && !state.guesses.empty()) {
    text += fmt::format(", guesses {}/{}", state.score().right, state.score().made);
  }
  return text;
}

Lines list_lines(const std::vector<Exercise> &exercises,
                 const LearnerState &state,
                 std::size_t selected,
                 std::size_t &selected_line) {
  std::size_t width = 0;
  for (const Exercise &exercise : exercises) {
    width = std::max(width, columns_of(exercise.card.title));
  }
  width = std::min<std::size_t>(width, 40);
  Lines lines;
  std::string chapter;
  for (std::size_t i = 0; i < exercises.size(); ++i) {
    const Exercise &exercise = exercises[i];
    if (exercise.chapter != chapter) {
      chapter = exercise.chapter;
      lines.emplace_back(chapter, Style::bold);
    }
    const ExerciseState &its = state.of(exercise.id());
    if (i == selected) {
      selected_line = lines.size();
    }
    const std::string_view title = clip(exercise.card.title, width);
    const std::string padding(width - columns_of(title), ' ');
    lines.push_back(Line({{i == selected ? "> " : "  ", Style::bold},
                          {its.passed ? "x " : "  ", Style::green},
                          {fmt::format("{:<5} {}{}", exercise.short_id(), title, padding),
                           i == selected ? Style::reversed : Style::plain},
                          {"  " + state_text(its, exercise.card, false),
                           its.passed ? Style::green : Style::faint}}));
  }
  return lines;
}

Lines help_lines(std::size_t columns) {
  Lines lines =
      paragraph("Edit the file that stands at the bottom, with any editor. Each time you save it, "
                "it is checked. Nothing moves on by itself: n does, when you are ready.",
                prose(columns));
  lines.emplace_back("");
  constexpr std::pair<const char *, const char *> keys[] = {
      {"n p", "the next and the previous exercise; N: the next one that has not passed"},
      {"l", "all exercises: choose one with the arrows and Enter"},
      {"h", "a hint; press it again for one that says more"},
      {"s", "the section of the lesson; there n says that you have read it, and u unfolds"},
      {"c", "what is asked, and where the lesson is"},
      {"d", "after passing: your file against the course's solution, explained"},
      {"g", "after passing: guess what was counted, before you see it"},
      {"r", "check again, without a change"},
      {"o", "open the file in the editor that $VISUAL or $EDITOR names"},
      {"j k", "scroll, as the arrows, space and the page keys do"},
      {"Esc", "back from a hint, a list, this help; q does the same"},
      {"q", "quit; ./tutor goes on where you were"},
  };
  for (const auto &[key, what] : keys) {
    lines.push_back(Line({{fmt::format("  {:<5}", key), Style::bold}, {what}}));
  }
  return lines;
}

Lines footer_lines(const Footer &footer, std::size_t columns) {
  constexpr std::size_t bar = 16; // the line has room for what stands behind, in 80 columns
  const std::size_t filled = footer.total == 0 ? 0 : bar * footer.passed / footer.total;
  std::string progress = fmt::format("[{}{}] {} of {} passed   {}",
                                     std::string(filled, '#'),
                                     std::string(bar - filled, '-'),
                                     footer.passed,
                                     footer.total,
                                     footer.chapter);
  if (footer.guesses > 0) {
    progress += fmt::format("   guesses {}/{}", footer.right_guesses, footer.guesses);
  }
  Lines lines{Line(std::string(columns, '-'), Style::faint),
              Line(progress),
              Line(shortened_path(footer.file, columns), Style::bold)};
  append(lines, paragraph(footer.keys, columns, 0, Style::faint));
  return lines;
}

Lines compose(const Line &title,
              const Lines &body,
              std::size_t &scroll,
              const std::string &news,
              const Lines &footer,
              const Size &size) {
  Lines screen{title, Line(std::string(size.columns, '-'), Style::faint)};
  const std::size_t fixed = screen.size() + footer.size() + 1; // one line of news
  const std::size_t room = size.rows > fixed ? size.rows - fixed : 0;
  const std::size_t last_scroll = body.size() > room ? body.size() - room : 0;
  scroll = std::min(scroll, last_scroll);
  for (std::size_t i = scroll; i < std::min(body.size(), scroll + room); ++i) {
    screen.push_back(body[i]);
  }
  screen.resize(std::max(screen.size(), 2 + room));
  const std::size_t below = last_scroll - scroll;
  if (!news.empty()) {
    screen.emplace_back(news, Style::yellow);
  } else if (below > 0 || scroll > 0) {
    screen.emplace_back(
        fmt::format(
            "{} more line{} below, {} above: j and k scroll", below, below == 1 ? "" : "s", scroll),
        Style::faint);
  } else {
    screen.emplace_back("");
  }
  append(screen, footer);
  if (screen.size() > size.rows) { // a very small terminal: the keys matter least
    screen.resize(size.rows);
  }
  return screen;
}

} // namespace tutor
