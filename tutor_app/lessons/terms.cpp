#include "terms.hpp"

#include "base/diff.hpp"
#include "base/files.hpp"
#include "markers.hpp"
#include "table.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <sstream>

namespace tutor::lessons {
namespace {

namespace fs = std::filesystem;

/// The chapter's terms; the lines of a file in the order of the file.
std::vector<Term> terms_of(const fs::path &folder) {
  static const std::regex entry(R"re("([^"\\]+)" *= *"([^"\\]+)" *\n?)re");
  const fs::path file = folder / "terms.toml";
  std::vector<Term> terms;
  if (!fs::exists(file))
    return terms;
  std::size_t number = 0;
  for (const std::string &line : split_lines(read_file(file))) {
    ++number;
    if (line == "\n" || line.starts_with('#'))
      continue;
    std::smatch found;
    if (!std::regex_match(line, found, entry))
      throw LessonError(
          fmt::format("{}:{}: write \"term\" = \"What it means.\"", file.string(), number));
    terms.push_back({found[1], found[2], folder.filename().string()});
  }
  return terms;
}

} // namespace

std::string normal_form(const std::string &term) {
  std::istringstream words(term);
  std::string normal;
  for (std::string word; words >> word;)
    normal += (normal.empty() ? "" : " ") + word;
  std::transform(normal.begin(), normal.end(), normal.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  if (normal.size() > 3 && normal.ends_with('s') && !normal.ends_with("ss"))
    normal.pop_back();
  return normal;
}

std::vector<Term> read_terms(const fs::path &root) {
  std::vector<fs::path> folders;
  if (fs::is_directory(root / "chapters"))
    for (const auto &folder : fs::directory_iterator(root / "chapters"))
      folders.push_back(folder.path());
  std::sort(folders.begin(), folders.end());
  std::vector<Term> all;
  std::map<std::string, std::string> seen; // normal form: chapter
  for (const fs::path &folder : folders)
    for (Term &term : terms_of(folder)) {
      const auto [other, is_new] = seen.emplace(normal_form(term.name), term.chapter);
      if (!is_new)
        throw LessonError(
            fmt::format("the term '{}' stands in the terms.toml of {} and of {}: keep the first",
                        term.name,
                        other->second,
                        term.chapter));
      all.push_back(std::move(term));
    }
  return all;
}

std::string glossary(const fs::path &root, const fs::path &page) {
  std::vector<Term> terms = read_terms(root);
  if (terms.empty())
    throw LessonError("no chapter has a terms.toml: write one first");
  std::sort(terms.begin(), terms.end(), [](const Term &a, const Term &b) {
    return normal_form(a.name) < normal_form(b.name);
  });
  Table table{{{"term", Align::left}, {"what it means", Align::left}, {"chapter", Align::left}},
              {}};
  for (const Term &term : terms) {
    const fs::path lesson = root / "chapters" / term.chapter / "README.md";
    table.rows.push_back({term.name,
                          term.meaning,
                          fmt::format("[{}]({})",
                                      term.chapter.substr(0, term.chapter.find('_')),
                                      fs::relative(lesson, page.parent_path()).generic_string())});
  }
  return to_markdown(table);
}

} // namespace tutor::lessons
