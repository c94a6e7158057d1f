#include "base/course.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace tutor {
namespace {

/// The number at the start of `text` and its length in characters.
struct LeadingNumber {
  int value;
  std::size_t digits;
};

std::optional<LeadingNumber> leading_number(std::string_view text) {
  std::size_t digits = 0;
  int value = 0;
  while (digits < text.size() && digits < 6 && std::isdigit((unsigned char)text[digits])) {
    value = value * 10 + (text[digits++] - '0');
  }
  return digits == 0 ? std::nullopt : std::optional(LeadingNumber{value, digits});
}

/// "05_reduction" has the number 5 and the short name "reduction".
std::string_view short_name(std::string_view id) { return id.substr(id.find('_') + 1); }

/// A step's number: v12_name has 12. Other files have none.
std::optional<int> step_number(std::string_view stem) {
  if (!stem.starts_with('v')) {
    return std::nullopt;
  }
  std::optional<LeadingNumber> number = leading_number(stem.substr(1));
  if (!number || stem.substr(1 + number->digits, 1) != "_") {
    return std::nullopt;
  }
  return number->value;
}

/// The heading of a lesson, "# 05 · Reduction", without its number: "Reduction".
std::string title_of(const fs::path &folder) {
  std::ifstream readme(folder / "README.md");
  for (std::string line; std::getline(readme, line);) {
    if (!line.starts_with("# ")) {
      continue;
    }
    std::string_view title = std::string_view(line).substr(2);
    if (std::optional<LeadingNumber> number = leading_number(title)) {
      title.remove_prefix(number->digits);
      while (!title.empty() && !std::isalpha((unsigned char)title.front())) {
        title.remove_prefix(1);
      }
    }
    return std::string(title);
  }
  return std::string(short_name(folder.filename().string()));
}

/// The files of a folder with this ending; none where there is no such folder.
std::vector<fs::path> files_in(const fs::path &folder, const char *ending) {
  std::vector<fs::path> files;
  if (fs::is_directory(folder)) {
    std::ranges::copy_if(fs::directory_iterator(folder),
                         std::back_inserter(files),
                         [&](const fs::path &file) { return file.extension() == ending; });
  }
  return files;
}

std::vector<Step> steps_in(const fs::path &folder) {
  std::vector<Step> steps;
  for (const fs::path &file : files_in(folder, ".cuh")) {
    const std::string stem = file.stem().string();
    if (step_number(stem)) {
      steps.push_back({stem, file});
    }
  }
  std::ranges::sort(steps, [](const Step &a, const Step &b) {
    return std::pair(step_number(a.name), a.name) < std::pair(step_number(b.name), b.name);
  });
  return steps;
}

} // namespace

const Step &Chapter::find_step(std::string_view word) const {
  std::vector<const Step *> found;
  for (const Step &step : steps) {
    bool number_meant = step.name.starts_with(word) && step.name.substr(word.size(), 1) == "_";
    if (step.name == word || number_meant) {
      return step;
    }
    if (!word.empty() && step.name.starts_with(word)) {
      found.push_back(&step);
    }
  }
  if (found.size() == 1) {
    return *found.front();
  }
  throw wrong_usage("{} has no single step '{}'; its steps are: {}",
                    id,
                    word,
                    fmt::join(each(steps, &Step::name), ", "));
}

std::vector<fs::path> Chapter::kernels() const {
  std::vector<fs::path> sources;
  for (const char *room : {"", "steps", "traps", "demos", "rivals"}) {
    const std::vector<fs::path> files = files_in(*room != 0 ? folder / room : folder, ".cu");
    sources.insert(sources.end(), files.begin(), files.end());
  }
  std::ranges::sort(sources);
  return sources;
}

fs::path home_of(const fs::path &root) {
  const char *home = std::getenv("BUILD_FIRST_HOME");
  return home != nullptr ? fs::absolute(home) : root;
}

Course::Course(fs::path root) : root_(std::move(root)) {
  if (!fs::is_directory(root_ / "chapters")) {
    throw wrong_usage("there is no course in {}", root_);
  }
  for (const fs::directory_entry &entry : fs::directory_iterator(root_ / "chapters")) {
    std::string id = entry.path().filename().string();
    std::optional<LeadingNumber> number = leading_number(id);
    if (entry.is_directory() && number && id.substr(number->digits, 1) == "_") {
      chapters_.push_back({number->value,
                           id,
                           title_of(entry.path()),
                           entry.path(),
                           steps_in(entry.path() / "steps")});
    }
  }
  std::ranges::sort(chapters_, {}, &Chapter::id);
}

const Chapter *Course::named(std::string_view word) const {
  std::optional<LeadingNumber> number = leading_number(word);
  bool only_digits = number && number->digits == word.size();
  const fs::path path = fs::exists(word) ? word : ""; // as an editor or a shell fills it in
  for (const Chapter &chapter : chapters_) {
    if (word == chapter.id || word == short_name(chapter.id) ||
        (only_digits && number->value == chapter.number) ||
        std::ranges::find(path, fs::path(chapter.id)) != path.end()) {
      return &chapter;
    }
  }
  return nullptr;
}

const Chapter &Course::find(std::string_view word) const {
  if (const Chapter *chapter = named(word)) {
    return *chapter;
  }
  std::vector<std::string> near;
  for (const Chapter &chapter : chapters_) {
    const bool contains = word.size() >= 3 && chapter.id.find(word) != std::string::npos;
    if (contains || is_near(word, short_name(chapter.id)) || edit_distance(word, chapter.id) <= 2) {
      near.push_back(chapter.id);
    }
  }
  throw unknown_name("chapter", word, near, each(chapters_, &Chapter::id));
}

Failure unknown_name(std::string_view kind,
                     std::string_view word,
                     const std::vector<std::string> &near,
                     const std::vector<std::string> &all) {
  if (!near.empty()) {
    return wrong_usage("no {} '{}'; did you mean {}?", kind, word, fmt::join(near, " or "));
  }
  constexpr std::size_t few = 16; // names that a glance takes in
  if (all.size() <= few) {
    return wrong_usage("no {} '{}'; there are: {}", kind, word, fmt::join(all, ", "));
  }
  std::vector<std::string> nearest = all;
  std::ranges::stable_sort(nearest, {}, [&](const std::string &name) { // "05.2 block_sum"
    const std::size_t blank = std::min(name.find(' '), name.size());
    return std::min(edit_distance(word, name.substr(0, blank)),
                    edit_distance(word, name.substr(std::min(blank + 1, name.size()))));
  });
  nearest.resize(3);
  return wrong_usage(
      "no {} '{}'; the nearest of {} are {}", kind, word, all.size(), fmt::join(nearest, ", "));
}

bool is_near(std::string_view word, std::string_view name) {
  return (word.size() >= 3 && name.find(word) != std::string_view::npos) ||
         edit_distance(word, name) <= 1 + name.size() / 4;
}

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last, last, now(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) {
    now[j] = j;
  }
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before_last = std::exchange(last, now);
    now[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      std::size_t replaced = last[j - 1] + (from[i - 1] != to[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        now[j] = std::min(now[j], before_last[j - 2] + 1);
      }
    }
  }
  return now[to.size()];
}

} // namespace tutor
