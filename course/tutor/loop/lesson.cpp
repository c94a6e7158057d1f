#include "loop/lesson.hpp"

#include "base/diff.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <functional>

namespace tutor {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

void append_sections(std::vector<Section> &sections, const fs::path &page) {
  bool code = false, opening = true;
  for (const std::string &line : split_lines(read_file(page))) {
    code = code != line.starts_with("```");
    const std::size_t level = code ? 0 : std::min(line.find_first_not_of('#'), line.size());
    const bool heading = level > 0 && line.substr(level).starts_with(' ');
    if (heading && level <= 2) {
      if (level == 1 || !opening) {
        sections.emplace_back().page = page;
      }
      opening = level == 1;
      sections.back().title = split(line.substr(level + 1), '\n').front();
    }
    if (heading) {
      sections.back().headings.push_back(split(line.substr(level + 1), '\n').front());
    }
    if (!sections.empty() && sections.back().page == page) {
      sections.back().text += line;
    }
  }
}

/// A step's own section has it in its heading, or is the first that shows its code or what it took.
bool shows(const Section &section, const Step &step) {
  const std::string number = step.name.substr(0, step.name.find('_'));
  return section.text.find("steps/" + step.name + ".") != std::string::npos ||
         section.text.find("evidence " + number + " ") != std::string::npos;
}

/// The sections of an exercise's page between the exercise before it and its own, which is the last; or those behind all
/// exercises.
std::vector<Section>
stretch(const Exercise &exercise, const std::vector<Exercise> &exercises, bool to_its_own) {
  std::vector<Section> found;
  const fs::path page = exercise.page();
  const auto has_exercises = [&] { return !found.empty() && !found.back().exercises.empty(); };
  for (Section &section : sections_of(exercise.lesson().parent_path(), exercises)) {
    if (section.page != page) {
      continue;
    }
    if (has_exercises()) {
      found.clear();
    }
    found.push_back(std::move(section));
    if (to_its_own &&
        std::ranges::count(found.back().exercises, exercise.id(), &Exercise::id) > 0) {
      return found;
    }
  }
  return to_its_own || has_exercises() ? std::vector<Section>() : found;
}

} // namespace

std::string Section::id() const {
  const fs::path folder = page.parent_path().filename() == "more" ? page.parent_path().parent_path()
                                                                  : page.parent_path();
  return fmt::format("{}/{}#{}", folder.filename().string(), page.filename().string(), title);
}

bool Section::done(const LearnerState &state) const {
  const auto passed = [&](const Exercise *exercise) { return state.of(exercise->id()).passed; };
  return state.read.contains(id()) ||
         (!exercises.empty() && std::ranges::all_of(exercises, passed));
}

std::vector<Section> sections_of(const fs::path &chapter_folder,
                                 const std::vector<Exercise> &exercises) {
  std::vector<Section> sections;
  for (const fs::path &page : pages_of(chapter_folder)) {
    append_sections(sections, page);
  }
  for (const Exercise &exercise : exercises) {
    const auto own = std::ranges::find_if(sections, [&](const Section &section) {
      return std::ranges::count(section.headings, exercise.card.section) > 0;
    });
    if (own != sections.end() && exercise.chapter == chapter_folder.filename()) {
      own->exercises.push_back(&exercise);
    }
  }
  return sections;
}

const Section &find_section(const std::vector<Section> &sections,
                            const Chapter &chapter,
                            const std::string &word) {
  using Test = std::function<bool(const Section &)>;
  std::vector<Test> tests{
      [&](const Section &s) { return word == std::to_string(1 + (&s - sections.data())); },
      [&](const Section &s) {
        return std::ranges::any_of(s.exercises,
                                   [&](const Exercise *e) { return e->is_meant_by(word); });
      }};
  const auto step = std::ranges::find_if(chapter.steps, [&](const Step &one) {
    return one.name == word || one.name.starts_with(word + "_");
  });
  if (step != chapter.steps.end()) {
    const std::string number = step->name.substr(0, step->name.find('_'));
    tests.emplace_back([number](const Section &s) {
      const std::vector<std::string> words =
          words_of(replaced(replaced(s.title, ":", " "), "_", " "));
      return std::ranges::count(words, number) > 0;
    });
    tests.emplace_back([&](const Section &s) { return shows(s, *step); });
  }
  tests.emplace_back([&](const Section &s) { return std::ranges::count(s.headings, word) > 0; });
  tests.emplace_back([&](const Section &s) {
    return std::ranges::any_of(s.headings, [&](const std::string &h) {
      return lower(h).find(lower(word)) != std::string::npos;
    });
  });
  for (const Test &test : tests) {
    if (const auto found = std::ranges::find_if(sections, test); found != sections.end()) {
      return *found;
    }
  }
  const std::vector<std::string> all = each(sections, &Section::title);
  std::vector<std::string> near;
  for (const std::string &title : all) {
    const auto meant = [&](const std::string &one) {
      return std::ranges::any_of(words_of(lower(word)), [&](const std::string &w) {
        return w.size() > 2 && is_near(w, one);
      });
    };
    if (std::ranges::any_of(words_of(lower(title)), meant)) {
      near.push_back(title);
    }
  }
  throw unknown_name("section", word, near, all);
}

std::vector<Section> reading_for(const Exercise &exercise, const std::vector<Exercise> &exercises) {
  std::vector<Section> reading = stretch(exercise, exercises, true);
  const auto own = std::ranges::find(exercises, exercise.id(), &Exercise::id);
  const Exercise *before = own == exercises.begin() ? nullptr : &own[-1];
  if (!reading.empty() && before != nullptr && before->page() == before->lesson() &&
      before->page() != exercise.page()) {
    std::vector<Section> left = stretch(*before, exercises, false);
    reading.insert(reading.begin(), left.begin(), left.end());
  }
  return reading;
}

} // namespace tutor
