#include "blocks.hpp"

#include "base/diff.hpp"
#include "base/failure.hpp"
#include "base/files.hpp"
#include "chart_data.hpp"
#include "evidence.hpp"
#include "exercises/exercise.hpp"
#include "json_file.hpp"
#include "output.hpp"
#include "predictions.hpp"
#include "results.hpp"
#include "source.hpp"
#include "table.hpp"
#include "terms.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tutor::lessons {
namespace {

namespace fs = std::filesystem;

std::string fenced(const std::string &language, const std::string &text) {
  return "```" + language + "\n" + text + "```\n";
}

std::string read_source(Arguments &arguments, const Place &place) {
  return read_file(place.lesson.parent_path() / arguments.take("the name of a source file"));
}

/// snippet FILE [whole | function NAME | from REGEX to REGEX]
/// What a tool printed (FILE.txt) is shown as it is.
std::string snippet(Arguments &arguments, const Place &place) {
  const fs::path file = arguments.take("the name of a source file");
  const std::string source = read_file(place.lesson.parent_path() / file);
  const bool printed = file.extension() == ".txt";
  const std::string language = printed ? "console" : "cuda";
  if (arguments.take_if("whole"))
    return fenced(language, source);
  if (arguments.take_if("function"))
    return fenced(language, code_of_function(source, arguments.take("the function's name")));
  if (!arguments.take_if("from"))
    return fenced(language, printed ? source : whole_code(source));
  const std::string from = arguments.take("a regular expression after 'from'");
  if (!arguments.take_if("to"))
    throw LessonError("marker lacks 'to \"REGEX\"' after from");
  return fenced(language,
                code_between(source, from, arguments.take("a regular expression after 'to'")));
}

/// Plain text as Markdown shows it unchanged: a launch's <<< is no tag, a product's * no emphasis.
std::string as_markdown(const std::string &text) {
  std::string markdown;
  for (char c : text)
    markdown += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '*' ? "\\*" : std::string(1, c);
  return markdown;
}

/// idea FILE
std::string idea(Arguments &arguments, const Place &place) {
  const Idea idea = read_idea(read_source(arguments, place));
  return fmt::format("- **Was:** {}\n- **Now:** {}\n- **Watch:** {}\n",
                     as_markdown(idea.was),
                     as_markdown(idea.now),
                     as_markdown(idea.watch));
}

std::size_t whole_number(const std::string &text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw LessonError(fmt::format("'{}' is no whole number", text));
  return value;
}

/// The source without the lines of its opening comment.
std::string_view after_opening_comment(std::string_view source, std::size_t comment_lines) {
  for (std::size_t line = 0; line < comment_lines; ++line)
    source.remove_prefix(std::min(source.find('\n'), source.size() - 1) + 1);
  return source;
}

/// diff OLD NEW [code] [context=N]
std::string difference(Arguments &arguments, const Place &place) {
  const fs::path folder = place.lesson.parent_path();
  const std::string old_name = arguments.take("the step before");
  const std::string new_name = arguments.take("the step after");
  const std::size_t context = whole_number(arguments.option("context", "3"));
  const std::string old_text = read_file(folder / old_name);
  const std::string new_text = read_file(folder / new_name);
  UnifiedFormat format{old_name, new_name, context};
  if (arguments.take_if("code")) {
    format.old_skipped = opening_comment_lines(old_text);
    format.new_skipped = opening_comment_lines(new_text);
  }
  const Diff diff = diff_texts(after_opening_comment(old_text, format.old_skipped),
                               after_opening_comment(new_text, format.new_skipped));
  if (diff.empty())
    throw LessonError(fmt::format("{} and {} do not differ", old_name, new_name));
  return fenced("diff", to_unified(diff, format));
}

ResultsQuery results_query(const fs::path &file, Arguments &arguments) {
  ResultsQuery query;
  query.file = file;
  query.run = arguments.option("run", "");
  query.columns = arguments.option("columns", "step,ms,gbps,percent,times");
  query.steps = arguments.option("steps", "");
  return query;
}

/// results FILE [columns=…] [run=…] [steps=…]
std::string results(Arguments &arguments, const Place &place) {
  const fs::path file = place.root / arguments.take("the name of a results file");
  return results_table(results_query(file, arguments));
}

/// predictions FILE [errors]: a row for each step, or how far chapters are off
std::string predictions(Arguments &arguments, const Place &place) {
  const fs::path file = place.root / arguments.take("the name of a file of predictions");
  return arguments.take_if("errors") ? errors_table(file)
                                     : predictions_table(predicted_steps(file));
}

/// evidence STEP [before=…] [watch=…] [run=…]
std::string evidence(Arguments &arguments, const Place &place) {
  EvidenceQuery query;
  query.root = place.root;
  query.lesson = place.lesson;
  query.step = arguments.take("the step's name or number");
  query.before = arguments.option("before", "");
  query.run = arguments.option("run", "");
  query.watch = split(arguments.option("watch", ""), ',');
  return evidence_table(query);
}

/// glossary
std::string terms(Arguments &, const Place &place) { return glossary(place.root, place.lesson); }

/// Cuts FILE:PATH at its first colon.
std::pair<std::string, std::string> file_and_path(const std::string &text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon + 1 == text.size())
    throw LessonError(fmt::format("'{}' must be FILE.json:path/to/value", text));
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// compare published=FILE:KEY measured=FILE [run=…]
std::string compare(Arguments &arguments, const Place &place) {
  const auto [published, key] = file_and_path(arguments.required_option("published"));
  const std::string measured = arguments.required_option("measured");
  return compare_table(
      {place.root / published, key, results_query(place.root / measured, arguments)});
}

/// value FILE:PATH [FORMAT]
std::string value(Arguments &arguments, const Place &place) {
  const auto [file, path] = file_and_path(arguments.take("FILE.json:path/to/value"));
  return single_value(
      place.root / file, path, arguments.no_more_words() ? "" : arguments.take("a format"));
}

/// The first "# " line of a lesson, and the first paragraph under it on one line.
std::pair<std::string, std::string> title_and_summary(const fs::path &lesson) {
  std::string title, summary;
  for (std::string line : split_lines(read_file(lesson))) {
    line.erase(line.find_last_not_of(" \n") + 1);
    if (title.empty())
      title = line.starts_with("# ") ? line.substr(2) : "";
    else if (line.empty() && !summary.empty())
      break;
    else if (!line.empty() && !line.starts_with("<!--"))
      summary += (summary.empty() ? "" : " ") + line;
  }
  if (title.empty() || summary.empty())
    throw LessonError(fmt::format("{} must start with '# Title' and a paragraph", lesson.string()));
  return {title, summary};
}

/// chapters
std::string chapters(Arguments &, const Place &place) {
  std::vector<fs::path> lessons;
  if (fs::is_directory(place.root / "chapters"))
    for (const auto &folder : fs::directory_iterator(place.root / "chapters"))
      if (fs::exists(folder.path() / "README.md"))
        lessons.push_back(folder.path() / "README.md");
  if (lessons.empty())
    throw LessonError("no chapter with a README.md is there: write one first");
  std::sort(lessons.begin(), lessons.end());
  Table table{{{"", Align::left}, {"chapter", Align::left}, {"what it shows", Align::left}}, {}};
  for (const fs::path &lesson : lessons) {
    const auto [title, summary] = title_and_summary(lesson);
    const std::string folder = lesson.parent_path().filename().string();
    const fs::path link = fs::relative(lesson, place.lesson.parent_path());
    table.rows.push_back({folder.substr(0, folder.find('_')),
                          fmt::format("[{}]({})", title, link.generic_string()),
                          summary});
  }
  return to_markdown(table);
}

/// exercises: those of the lesson's own chapter
std::string exercises(Arguments &, const Place &place) {
  const std::string chapter = place.lesson.parent_path().filename().string();
  const std::string lesson = read_file(place.lesson);
  Table table{
      {{"", Align::left}, {"file", Align::left}, {"", Align::left}, {"minutes", Align::right}}, {}};
  try {
    for (const Exercise &exercise : exercises_of(Course(place.root))) {
      if (exercise.chapter != chapter)
        continue;
      const Card &card = exercise.card;
      if (!card.section.empty() && lesson.find("\n## " + card.section + "\n") == std::string::npos)
        throw LessonError(fmt::format("{} names the section '{}', which this lesson does not have",
                                      exercise.card_file.filename().string(),
                                      card.section));
      table.rows.push_back({exercise.short_id(),
                            fmt::format("`{}`", exercise.file_name()),
                            as_markdown(card.title),
                            std::to_string(card.minutes)});
    }
  } catch (const Failure &failure) {
    throw LessonError(failure.what());
  }
  if (table.rows.empty())
    throw LessonError(fmt::format("there is no exercise in exercises/{}", chapter));
  return to_markdown(table);
}

/// chart FILE.json
std::string chart(Arguments &arguments, const Place &place) {
  const Chart chart =
      draw_chart(place.root, place.lesson, arguments.take("the description of a chart"));
  const fs::path shown = chart.file.lexically_proximate(place.lesson.parent_path());
  const std::string image = fmt::format("![{}]({})\n", chart.description, shown.generic_string());
  return chart.origin.empty() ? image : image + fmt::format("\n*{}.*\n", chart.origin);
}

using Generator = std::string (*)(Arguments &, const Place &);

Generator generator_of(const std::string &name) {
  const std::vector<std::pair<std::string, Generator>> generators = {{"chapters", chapters},
                                                                     {"chart", chart},
                                                                     {"compare", compare},
                                                                     {"diff", difference},
                                                                     {"evidence", evidence},
                                                                     {"exercises", exercises},
                                                                     {"glossary", terms},
                                                                     {"idea", idea},
                                                                     {"predictions", predictions},
                                                                     {"results", results},
                                                                     {"snippet", snippet},
                                                                     {"value", value}};
  for (const auto &[known, generator] : generators)
    if (known == name)
      return generator;
  throw LessonError(fmt::format("unknown marker '{}'", name));
}

} // namespace

std::string generate(const Block &block, const Place &place) {
  if (block.name == "output")
    return "\n" + show_output(place.lesson, parse_output_request(block.arguments)) + "\n";
  Arguments arguments(block.arguments);
  const std::string text = generator_of(block.name)(arguments, place);
  arguments.expect_end();
  return block.in_prose ? text : "\n" + text + "\n";
}

} // namespace tutor::lessons
