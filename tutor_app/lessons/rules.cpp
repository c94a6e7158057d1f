#include "rules.hpp"

#include "evidence.hpp"
#include "figures.hpp"
#include "json_file.hpp"
#include "terms.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <set>

namespace tutor::lessons {
namespace {

namespace fs = std::filesystem;

/// A lesson whose evidence cannot be recorded yet says so, with the reason.
constexpr std::string_view declared_gap = "<!-- note: evidence is not recorded, because ";
constexpr std::string_view conclusion = "**What this shows.**";

std::size_t line_at(const std::string &text, std::size_t position) {
  return 1 + static_cast<std::size_t>(std::count(
                 text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

void blank(std::string &text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < std::min(end, text.size()); ++i)
    if (text[i] != '\n')
      text[i] = ' ';
}

/// The author's own words: generated text, code, comments and `code in a line` are blanked out.
std::string prose_of(std::string text, const std::vector<Block> &blocks) {
  for (const Block &block : blocks)
    if (!block.in_prose)
      blank(text, block.body_begin, block.body_end);
  bool fenced = false;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const bool fence = line.find("```") == line.find_first_not_of(' ') && !line.empty() &&
                       line.find("```") != std::string_view::npos;
    if (fence || fenced)
      blank(text, begin, end);
    fenced = fenced != fence;
  }
  for (const auto &[open, close] : {std::pair<std::string, std::string>{"<!--", "-->"}, {"`", "`"}})
    for (std::size_t begin = 0; (begin = text.find(open, begin)) != std::string::npos;) {
      const std::size_t end = text.find(close, begin + open.size());
      blank(text, begin, end == std::string::npos ? begin + open.size() : end + close.size());
    }
  return text;
}

struct Italic {
  std::size_t position;
  std::string term;
};

/// The stretches between single stars; **bold** and a star among spaces are none.
std::vector<Italic> italics_of(const std::string &prose) {
  static const std::regex pattern(R"((^|[^*\\])\*([^*\s](?:[^*]*[^*\s])?)\*(?!\*))");
  std::vector<Italic> found;
  for (std::sregex_iterator match(prose.begin(), prose.end(), pattern), end; match != end; ++match)
    if (const std::string term = (*match)[2]; term.find("\n\n") == std::string::npos)
      found.push_back({static_cast<std::size_t>(match->position(2)), term});
  return found;
}

std::size_t most_lines(const std::string &text) {
  static const std::regex grant("<!-- note: at most ([0-9]{1,6}) lines -->");
  std::smatch found;
  return std::regex_search(text, found, grant) ? std::stoul(found[1]) : 1200;
}

} // namespace

std::vector<Breach> breaches_of(const fs::path &root,
                                const fs::path &lesson,
                                const std::string &text,
                                const std::vector<Block> &blocks) {
  std::vector<Breach> breaches;
  const fs::path folder = lesson.parent_path();
  if (folder.parent_path().filename() != "chapters")
    return breaches;

  for (const Block &block : blocks) {
    const std::string_view body =
        std::string_view(text).substr(block.body_begin, block.body_end - block.body_begin);
    if (block.name == "evidence" && body.find(not_recorded) != std::string_view::npos &&
        text.find(declared_gap) == std::string::npos)
      breaches.push_back(
          {block.line, "evidence is not recorded: tools/record_counters.sh records it on a GPU"});
    if (block.name != "results" && block.name != "compare")
      continue;
    const std::size_t after = text.find_first_not_of('\n', text.find("-->", block.body_end) + 3);
    if (after == std::string::npos || !std::string_view(text).substr(after).starts_with(conclusion))
      breaches.push_back({line_at(text, block.body_end),
                          fmt::format("the paragraph after a table begins with {}", conclusion)});
  }

  std::set<std::string> known;
  for (const Term &term : read_terms(root))
    if (term.chapter <= folder.filename().string())
      known.insert(normal_form(term.name));
  const std::string prose = prose_of(text, blocks);
  for (const Italic &italic : italics_of(prose))
    if (!known.contains(normal_form(italic.term)))
      breaches.push_back(
          {line_at(text, italic.position),
           fmt::format("'{}' stands in *italics* and in no terms.toml up to this chapter: add "
                       "it there, or write _emphasis_",
                       italic.term)});

  for (const Unproven &figure : unproven_figures(text, prose, blocks))
    breaches.push_back({line_at(text, figure.position), figure.message});

  // Doxygen loses headings that follow such a link.
  static const std::regex cut_link(R"(\[[^\[\]\n]*\n[^\[\]\n]*\]\()");
  for (std::sregex_iterator link(text.begin(), text.end(), cut_link), end; link != end; ++link)
    breaches.push_back({line_at(text, static_cast<std::size_t>(link->position())),
                        "the text of a link is cut by the end of a line: keep it on one"});

  // What makes a picture explorable takes four lines that nobody reads.
  const auto explorable = std::ranges::count(blocks, "explore", &Block::name);
  const auto lines =
      static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n') - 4 * explorable);
  if (lines > most_lines(text))
    breaches.push_back(
        {lines, fmt::format("{} lines; a lesson has at most {}", lines, most_lines(text))});
  return breaches;
}

std::vector<Breach> breaches_of_chapter(const fs::path &folder,
                                        const std::vector<std::string> &texts) {
  std::vector<Breach> breaches;
  std::set<std::string> italics;
  std::vector<std::string> evidence;
  bool is_declared = false;
  for (const std::string &text : texts) {
    is_declared = is_declared || text.find(declared_gap) != std::string::npos;
    const std::vector<Block> blocks = find_blocks(text);
    for (const Italic &italic : italics_of(prose_of(text, blocks)))
      italics.insert(normal_form(italic.term));
    for (const Block &block : blocks)
      if (block.name == "evidence")
        evidence.push_back(Arguments(block.arguments).take("a step"));
  }

  static const std::regex step_file("(v[0-9]+_[a-z0-9_]+)\\.cuh");
  std::vector<std::string> steps;
  for (const auto &entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (std::smatch found; std::regex_match(name, found, step_file))
      steps.push_back(found[1]);
  }
  std::sort(steps.begin(), steps.end());
  for (const std::string &step : steps)
    if (!is_declared &&
        std::none_of(evidence.begin(), evidence.end(), [&](const std::string &word) {
          return names_step(word, step);
        }))
      breaches.push_back({1,
                          fmt::format("{} has no evidence: add <!-- evidence {} -->",
                                      step,
                                      step.substr(0, step.find('_')))});

  for (const Term &term : read_terms(folder.parent_path().parent_path()))
    if (term.chapter == folder.filename().string() && !italics.contains(normal_form(term.name)))
      breaches.push_back(
          {1, fmt::format("'{}' of terms.toml stands nowhere in *italics*", term.name)});
  return breaches;
}

} // namespace tutor::lessons
