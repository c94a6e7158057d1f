#include "chrome.hpp"

#include "base/highlight.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tutor::site {
namespace {

bool is_chapter(const Page &page) {
  return page.id.starts_with("chapters_") && page.file.filename() == "README.md";
}

/// "05" of chapters/05_reduction/README.md.
std::string number_of(const Page &page) {
  return page.file.parent_path().filename().string().substr(0, 2);
}

/// The groups of the list of pages, by the folders that their pages come from.
std::string group_of(const Page &page) {
  const std::string file = page.file.generic_string();
  if (file.starts_with("chapters/"))
    return "Chapters";
  if (file.starts_with("docs/teaching") || file == "docs/instructors.md")
    return "Teaching";
  if (file.starts_with("docs/"))
    return "Look up";
  return "How it is made";
}

/// Names of steps are long: they may go on in the next line after each underscore.
std::string breakable(const std::string &html) {
  std::string out;
  for (const char c : html)
    out += c == '_' ? "_<wbr>" : std::string(1, c);
  return out;
}

std::string link_to(const Page &page, const std::string &text) {
  return fmt::format("<a href=\"$relpath^{}\">{}</a>", page.url(), text);
}

std::string list_of_pages(const std::vector<Page> &pages) {
  std::string html;
  for (const std::string group : {"Chapters", "Look up", "Teaching", "How it is made"}) {
    html += fmt::format("<h2>{}</h2>\n<ul>\n", group);
    for (const Page &page : pages) {
      if (page.id == "mainpage" || group_of(page) != group)
        continue;
      const std::string number =
          is_chapter(page) ? fmt::format("<span>{}</span>", number_of(page)) : "";
      const bool part = group == "Chapters" && number.empty();
      html += fmt::format("<li{}>{}</li>\n",
                          part ? " class=\"part\"" : "",
                          link_to(page, number + html_escaped(page.title)));
    }
    if (group == "How it is made")
      html += "<li><a href=\"$relpath^files.html\">Headers: lab and emulator</a></li>\n";
    html += "</ul>\n";
  }
  return html;
}

/// All chapters in a row, the present one marked.
std::string chapters_in_a_row(const std::vector<Page> &pages, const Page &page) {
  std::string chapters;
  int count = 0, present = 0;
  for (const Page &other : pages) {
    if (!is_chapter(other))
      continue;
    ++count;
    const bool here = other.file.parent_path() == page.file.parent_path();
    present = here ? count : present;
    chapters += fmt::format("<li><a href=\"{}\" data-chapter=\"{}\"{} title=\"{}\">{}</a></li>",
                            other.url(),
                            other.id,
                            here ? " aria-current=\"true\"" : "",
                            html_escaped(other.title),
                            number_of(other));
  }
  return fmt::format("<nav class=\"progress\" aria-label=\"Chapters\"><p>Chapter {} of {}</p>"
                     "<ol>{}</ol></nav>",
                     present,
                     count,
                     chapters);
}

} // namespace

std::string header_html(const std::vector<Page> &pages, bool dark) {
  return fmt::format(
      R"(<!DOCTYPE html>
<html lang="en"{0}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light{1}">
<title>$title</title>
<link href="$relpath^$stylesheet" rel="stylesheet">
$extrastylesheet
<script src="$relpath^site.js"></script>
<script src="$relpath^dynsections.js" defer></script>
<script src="$relpath^explore.js" defer></script>
<script src="$relpath^explore_requests.js" defer></script>
<script src="$relpath^explore_paths.js" defer></script>
<script src="$relpath^explore_tiles.js" defer></script>
<script src="$relpath^explore_plan.js" defer></script>
<script src="$relpath^explore_times.js" defer></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header id="bar">
<button id="pages-button" type="button" aria-expanded="false" aria-controls="pages">Pages</button>
<a id="name" href="$relpath^index.html">Build First</a>
<div id="search" role="search"><label for="wanted">Search</label><input type="search" id="wanted" title="Lessons, terms and functions; the key / comes here" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list"><ul id="found" role="listbox" aria-label="Found" hidden></ul></div>
{2}</header>
<nav id="pages" aria-label="Pages">
{3}</nav>
<main id="text">
<div id="top">
)",
      dark ? "" : " class=\"light-mode\"",
      dark ? " dark" : "",
      dark ? "<button id=\"theme\" type=\"button\">Dark</button>\n" : "",
      list_of_pages(pages));
}

std::string footer_html(const Edition &edition) {
  return fmt::format(
      R"(</main>
<footer>Build First {} · {} · MIT licence · made with Doxygen $doxygenversion</footer>
</body>
</html>
)",
      html_escaped(edition.version),
      edition.commit.empty() ? "not made from a commit" : "commit " + html_escaped(edition.commit));
}

std::string
page_head(const std::vector<Page> &pages, const Page &page, const std::vector<Entry> &headings) {
  std::string html;
  if (group_of(page) == "Chapters")
    html += chapters_in_a_row(pages, page);
  if (headings.size() < 2 || page.id == "mainpage")
    return html;
  html += "<details class=\"contents-list\" open><summary>On this page</summary><ul>";
  for (const Entry &heading : headings)
    html += fmt::format("<li><a href=\"{}\">{}</a></li>",
                        heading.url.substr(heading.url.find('#')),
                        breakable(html_escaped(heading.title)));
  return html + "</ul></details>";
}

std::string page_foot(const std::vector<Page> &pages, const Page &page) {
  const auto here = std::ranges::find(pages, page.id, &Page::id);
  std::string html = "<nav class=\"turn\" aria-label=\"Before and after\">";
  if (here != pages.begin())
    html += fmt::format("<a rel=\"prev\" href=\"{}\"><span>Before</span> {}</a>",
                        here[-1].url(),
                        html_escaped(here[-1].title));
  if (here + 1 != pages.end())
    html += fmt::format("<a rel=\"next\" href=\"{}\"><span>Next</span> {}</a>",
                        here[1].url(),
                        html_escaped(here[1].title));
  return html + "</nav>";
}

} // namespace tutor::site
