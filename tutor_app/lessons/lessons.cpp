#include "lessons.hpp"

#include "base/files.hpp"
#include "blocks.hpp"
#include "chart_data.hpp"
#include "explore.hpp"
#include "output.hpp"
#include "rules.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>

namespace tutor::lessons {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> all_lessons(const fs::path &root) {
  std::vector<fs::path> lessons;
  if (fs::exists(root / "README.md"))
    lessons.push_back(root / "README.md");
  if (fs::is_directory(root / "docs"))
    for (const auto &entry : fs::directory_iterator(root / "docs"))
      if (entry.path().extension() == ".md")
        lessons.push_back(entry.path());
  if (fs::is_directory(root / "chapters"))
    for (const auto &folder : fs::directory_iterator(root / "chapters"))
      if (fs::is_directory(folder))
        for (const auto &entry : fs::directory_iterator(folder))
          if (entry.path().extension() == ".md")
            lessons.push_back(entry.path());
  std::sort(lessons.begin(), lessons.end());
  return lessons;
}

/// Fills, checks and records lesson after lesson, and collects what is to be said.
class Processor {
public:
  explicit Processor(const Request &request) : request_(request) {}

  Outcome process() {
    const std::vector<fs::path> lessons =
        request_.files.empty() ? all_lessons(request_.root) : request_.files;
    if (lessons.empty())
      outcome_.errors.push_back(request_.root.string() + ": no lesson found there");
    for (const fs::path &lesson : lessons)
      process_lesson(fs::absolute(lesson).lexically_normal());
    for (const auto &[folder, texts] : chapters_)
      guarded(folder / "README.md", 0, [&, &folder = folder, &texts = texts] {
        report(folder / "README.md", breaches_of_chapter(folder, texts));
      });
    return std::move(outcome_);
  }

private:
  void process_lesson(const fs::path &lesson) {
    ++outcome_.lessons;
    std::string text;
    std::vector<Block> blocks;
    if (!guarded(lesson, 0, [&] {
          text = read_file(lesson);
          blocks = find_blocks(text);
        }))
      return;
    std::string result;
    std::size_t copied = 0;
    for (const Block &block : blocks) {
      ++outcome_.blocks;
      result.append(text, copied, block.body_begin - copied);
      result += current_text(
          lesson, block, text.substr(block.body_begin, block.body_end - block.body_begin));
      copied = block.body_end;
    }
    result.append(text, copied);
    if (request_.rules)
      guarded(lesson, 0, [&] {
        report(lesson, breaches_of(request_.root, lesson, text, blocks));
        if (lesson.parent_path().parent_path().filename() == "chapters")
          chapters_[lesson.parent_path()].push_back(text);
      });
    if (!request_.check && result != text &&
        guarded(lesson, 0, [&] { write_file(lesson, result); }))
      outcome_.changed.push_back(shown(lesson));
  }

  /// The text a block should hold; what it holds already where it cannot be generated.
  std::string current_text(const fs::path &lesson, const Block &block, const std::string &present) {
    std::string text = present;
    guarded(lesson, block.line, [&] {
      if (request_.record && block.name == "output")
        record(lesson, block);
      if (block.name == "explore") { // what stands in it is the still picture, whoever drew it
        explore(lesson, block);
        return;
      }
      text = generate(block, {request_.root, lesson});
      if (block.name == "chart")
        draw(lesson, block);
    });
    if (request_.check && text != present)
      report_stale(lesson, block, "./tutor lessons");
    return text;
  }

  /// The picture of a chart, a file beside its description.
  void draw(const fs::path &lesson, const Block &block) {
    Arguments arguments(block.arguments);
    const Chart chart = draw_chart(request_.root, lesson, arguments.take("a description"));
    if (fs::exists(chart.file) && read_file(chart.file) == chart.svg)
      return;
    if (request_.check) {
      report_stale(lesson, block, "./tutor lessons");
      return;
    }
    write_file(chart.file, chart.svg);
    outcome_.changed.push_back(shown(chart.file));
  }

  void record(const fs::path &lesson, const Block &block) {
    const OutputRequest output = parse_output_request(block.arguments);
    const std::string chapter = lesson.parent_path().filename().string();
    const fs::path recording = recording_of(lesson, output);
    // What varies is true whatever it says: only who names its lesson wants another sample.
    const bool sample =
        output.varies && fs::exists(recording) && (request_.check || request_.files.empty());
    if (!recorded_.insert(recording).second || sample)
      return;
    const std::string text =
        run_for_output(request_.programs / "chapters" / chapter / chapter, output);
    if (fs::exists(recording) && read_file(recording) == text)
      return;
    if (request_.check) {
      report_stale(lesson, block, "./tutor lessons --record");
      return;
    }
    write_file(recording, text);
    outcome_.changed.push_back(shown(recording));
  }

  /// The recording of an explorable picture.
  void explore(const fs::path &lesson, const Block &block) {
    Arguments arguments(block.arguments);
    const fs::path description = lesson.parent_path() / arguments.take("a description");
    arguments.expect_end();
    const fs::path recording = exploration_recording(description);
    if (!request_.record || !recorded_.insert(recording).second ||
        (request_.check && is_of_a_model(description))) {
      if (!has_all_runs(description))
        report_stale(lesson, block, "./tutor lessons --record");
      return;
    }
    const std::string chapter = lesson.parent_path().filename().string();
    const std::string text = record_exploration(
        description, request_.programs / "chapters" / chapter / chapter, request_.root);
    const bool same =
        fs::exists(recording) && (request_.check ? same_exploration(read_file(recording), text)
                                                 : read_file(recording) == text);
    if (same)
      return;
    if (request_.check) {
      report_stale(lesson, block, "./tutor lessons --record");
      return;
    }
    write_file(recording, text);
    outcome_.changed.push_back(shown(recording));
  }

  void report(const fs::path &lesson, const std::vector<Breach> &breaches) {
    for (const Breach &breach : breaches)
      outcome_.breaches.push_back(
          fmt::format("{}:{}: {}", shown(lesson), breach.line, breach.message));
  }

  void report_stale(const fs::path &lesson, const Block &block, const std::string &command) {
    outcome_.stale.push_back(fmt::format("{}:{}: '{}' is stale: regenerate it with {}",
                                         shown(lesson),
                                         block.line,
                                         block.name,
                                         command));
  }

  bool guarded(const fs::path &lesson, std::size_t line, const std::function<void()> &action) {
    try {
      action();
      return true;
    } catch (const LessonError &error) {
      outcome_.errors.push_back(fmt::format(
          "{}:{}: {}", shown(lesson), std::max<std::size_t>({error.line, line, 1}), error.what()));
    } catch (const std::runtime_error &error) { // of files
      outcome_.errors.push_back(
          fmt::format("{}:{}: {}", shown(lesson), std::max<std::size_t>(line, 1), error.what()));
    }
    return false;
  }

  std::string shown(const fs::path &file) const {
    return file.lexically_proximate(fs::absolute(request_.root).lexically_normal())
        .generic_string();
  }

  const Request &request_;
  Outcome outcome_;
  std::set<fs::path> recorded_;
  std::map<fs::path, std::vector<std::string>> chapters_; ///< the lessons' texts, by folder
};

} // namespace

Outcome process(const Request &request) { return Processor(request).process(); }

int run(const Request &request) {
  const Outcome outcome = process(request);
  for (const std::string &message : outcome.errors)
    fmt::print(stderr, "{}\n", message);
  for (const std::string &message : outcome.stale)
    fmt::print(stderr, "{}\n", message);
  for (const std::string &message : outcome.breaches)
    fmt::print(stderr, "{}\n", message);
  for (const std::string &file : outcome.changed)
    fmt::print("wrote {}\n", file);
  fmt::print("{} lessons, {} blocks: {} wrong, {} stale, {} files rewritten\n",
             outcome.lessons,
             outcome.blocks,
             outcome.errors.size(),
             outcome.stale.size(),
             outcome.changed.size());
  if (!outcome.errors.empty())
    return 2;
  return outcome.stale.empty() && outcome.breaches.empty() ? 0 : 1;
}

} // namespace tutor::lessons
