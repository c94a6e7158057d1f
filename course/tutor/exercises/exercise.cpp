#include "exercises/exercise.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace tutor {
namespace {

/// The entries of a folder, by name; none where there is no folder.
std::vector<fs::path> entries_of(const fs::path &folder) {
  std::vector<fs::path> entries;
  if (fs::is_directory(folder)) {
    for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
      entries.push_back(entry.path());
    }
  }
  std::ranges::sort(entries);
  return entries;
}

Exercise make_exercise(const fs::path &root, const Chapter &chapter, const fs::path &card_file) {
  Exercise exercise;
  exercise.chapter = chapter.id;
  exercise.chapter_number = chapter.number;
  exercise.root = root;
  exercise.name = card_file.parent_path().filename().string();
  exercise.card = read_card(card_file);
  exercise.card_file = card_file;
  exercise.stub = card_file.parent_path() / "stub.cu";
  exercise.checker = card_file.parent_path() / "check.cu";
  exercise.solution = root / "solutions" / chapter.id / (exercise.name + ".diff");
  exercise.answers = card_file.parent_path() / "answers.toml";
  return exercise;
}

std::vector<Exercise> exercises_in(const fs::path &root, const Chapter &chapter) {
  std::vector<Exercise> found;
  for (const fs::path &folder : entries_of(root / "exercises" / chapter.id)) {
    if (const fs::path file = folder / "card.toml"; fs::exists(file)) {
      found.push_back(make_exercise(root, chapter, file));
    }
  }
  std::ranges::stable_sort(found, {}, [](const Exercise &e) { return e.card.number; });
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (found[i].card.number == found[i - 1].card.number) {
      throw failure("{}: number {} is taken by {}",
                    found[i].card_file,
                    found[i].card.number,
                    found[i - 1].name);
    }
  }
  return found;
}

/// "05.2", "5.2" and "05.02" mean the same.
bool is_number_of(std::string_view word, const Exercise &exercise) {
  std::size_t dot = word.find('.');
  std::string_view digits = "0123456789";
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == word.size() || word.size() > 8 ||
      word.substr(0, dot).find_first_not_of(digits) != std::string_view::npos ||
      word.substr(dot + 1).find_first_not_of(digits) != std::string_view::npos) {
    return false;
  }
  return std::stoi(std::string(word.substr(0, dot))) == exercise.chapter_number &&
         std::stoi(std::string(word.substr(dot + 1))) == exercise.card.number;
}

} // namespace

std::string Exercise::short_id() const {
  return fmt::format("{:02}.{}", chapter_number, card.number);
}

bool Exercise::is_meant_by(std::string_view word) const {
  return word == name || word == id() || is_number_of(word, *this);
}

std::vector<fs::path> pages_of(const fs::path &chapter_folder) {
  std::vector<fs::path> pages = entries_of(chapter_folder / "more");
  pages.insert(pages.begin(), chapter_folder / "README.md");
  std::erase_if(pages, [](const fs::path &p) { return p.extension() != ".md" || !fs::exists(p); });
  return pages;
}

fs::path Exercise::page() const {
  const std::vector<fs::path> pages = pages_of(lesson().parent_path());
  const auto found = std::ranges::find_if(pages, [&](const fs::path &page) {
    return read_file(page).find("# " + card.section + "\n") != std::string::npos;
  });
  return card.section.empty() || found == pages.end() ? lesson() : *found;
}

std::vector<Exercise> exercises_of(const Course &course) {
  for (const fs::path &folder : entries_of(course.root() / "exercises")) {
    if (fs::is_directory(folder) &&
        !std::ranges::count(course.chapters(), folder.filename().string(), &Chapter::id)) {
      throw failure("{}: there is no chapter of this name", folder);
    }
  }
  std::vector<Exercise> all;
  std::map<std::string, fs::path> names;
  for (const Chapter &chapter : course.chapters()) {
    for (Exercise &exercise : exercises_in(course.root(), chapter)) {
      auto [other, is_new] = names.emplace(exercise.name, exercise.card_file);
      if (!is_new) {
        throw failure("{}: the name '{}' is taken by {}; a name means one exercise",
                      exercise.card_file,
                      exercise.name,
                      other->second);
      }
      all.push_back(std::move(exercise));
    }
  }
  return all;
}

const Exercise &find_exercise(const std::vector<Exercise> &exercises, std::string_view word) {
  for (const Exercise &exercise : exercises) {
    if (exercise.is_meant_by(word)) {
      return exercise;
    }
  }
  for (const Exercise &exercise : exercises) {
    if (std::ranges::any_of(exercise.card.merged, [&](const std::string &name) {
          return word.substr(word.find('/') + 1) == name; // in whichever chapter it was
        })) {
      throw wrong_usage("{} is merged into {} {}; if you have passed it, it stays passed",
                        word,
                        exercise.short_id(),
                        exercise.name);
    }
  }
  std::vector<std::string> near, all;
  for (const Exercise &exercise : exercises) {
    all.push_back(exercise.short_id() + " " + exercise.name);
    if (is_near(word, exercise.name)) {
      near.push_back(all.back());
    }
  }
  throw unknown_name(
      "exercise", word, near, all.empty() ? std::vector<std::string>{"none yet"} : all);
}

std::vector<Exercise> find_exercises(const Course &course, const std::vector<std::string> &words) {
  std::vector<Exercise> all = exercises_of(course);
  if (words.empty()) {
    return all;
  }
  std::set<std::string> wanted;
  for (const std::string &word : words) {
    const auto one = std::ranges::find_if(
        all, [&](const Exercise &exercise) { return exercise.is_meant_by(word); });
    if (one != all.end()) {
      wanted.insert(one->id());
      continue;
    }
    const Chapter *chapter = word.find('/') == std::string::npos ? course.named(word) : nullptr;
    if (chapter == nullptr) {
      find_exercise(all, word); // says what there is
    }
    const auto of_chapter = [&](const Exercise &exercise) {
      return exercise.chapter == chapter->id;
    };
    if (std::ranges::none_of(all, of_chapter)) {
      throw wrong_usage("chapter {} has no exercises yet", chapter->id);
    }
    for (const Exercise &exercise : all) {
      if (of_chapter(exercise)) {
        wanted.insert(exercise.id());
      }
    }
  }
  std::erase_if(all, [&](const Exercise &e) { return !wanted.contains(e.id()); });
  return all;
}

} // namespace tutor
