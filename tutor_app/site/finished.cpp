#include "finished.hpp"

#include "base/files.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace fs = std::filesystem;

namespace tutor::site {
namespace {

/// What one page refers to, and what can be referred to in it.
struct PageLinks {
  std::set<std::string> targets;
  std::set<std::string> places;
};

std::string unescaped(std::string text) {
  for (const auto &[from, to] :
       {std::pair{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&nbsp;", " "}}) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += 1) {
      text.replace(at, std::string_view(from).size(), to);
    }
  }
  return text;
}

/// The values of an attribute, which stands between double quotes, in tags.
void collect(const std::string &html, std::string_view attribute, std::set<std::string> &values) {
  const std::string opening = fmt::format(" {}=\"", attribute);
  for (std::size_t at = 0; (at = html.find(opening, at)) != std::string::npos;) {
    at += opening.size();
    const std::size_t end = html.find('"', at);
    values.insert(unescaped(html.substr(at, end - at)));
  }
}

PageLinks links_of(const std::string &html) {
  PageLinks links;
  collect(html, "href", links.targets);
  collect(html, "src", links.targets);
  collect(html, "id", links.places);
  collect(html, "name", links.places);
  return links;
}

bool leads_elsewhere(const std::string &target) {
  return target.empty() || target.find("://") != std::string::npos ||
         target.starts_with("mailto:") || target.starts_with("javascript:") ||
         target.starts_with("data:");
}

/// The text of an element, without the tags in it.
std::string text_of(std::string_view html) {
  std::string text;
  bool in_tag = false;
  for (const char c : html) {
    in_tag = in_tag || c == '<';
    if (!in_tag) {
      text += c;
    }
    in_tag = in_tag && c != '>';
  }
  return unescaped(text);
}

/// A string of JavaScript.
std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    out += c == '"' || c == '\\' ? fmt::format("\\{}", c) : c == '\n' ? " " : std::string(1, c);
  }
  return out + '"';
}

/// Doxygen's headings of documented functions: `<a id="PLACE"></a>` and `<h2 class="memtitle">`.
void collect_functions(const std::string &page,
                       const std::string &html,
                       std::vector<Entry> &functions) {
  constexpr std::string_view heading = "<h2 class=\"memtitle\">", link = "href=\"#",
                             space = "</span>";
  std::set<std::string> seen; // an overload is found once
  for (std::size_t at = 0; (at = html.find(heading, at)) != std::string::npos; ++at) {
    const std::size_t place = html.find(link, at) + link.size();
    const std::size_t name = html.find(space, at) + space.size();
    const std::size_t end = std::min(html.find("</h2>", name), html.find("<span", name));
    const std::string title = text_of(std::string_view(html).substr(name, end - name));
    if (seen.insert(title).second) {
      functions.push_back({title,
                           page + html.substr(place - 1, html.find('"', place) - place + 1),
                           "function",
                           ""});
    }
  }
}

} // namespace

Finished read_site(const fs::path &folder) {
  Finished finished;
  if (!fs::is_regular_file(folder / "index.html")) {
    finished.faults.push_back("no site in " + folder.string());
    return finished;
  }
  std::map<std::string, PageLinks> pages;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".html") {
      const std::string name = entry.path().filename().string();
      const std::string html = read_file(entry.path());
      pages[name] = links_of(html);
      if (!name.ends_with("-members.html") && !name.ends_with("_source.html")) {
        collect_functions(name, html, finished.functions);
      }
    }
  }
  for (const auto &[page, links] : pages) {
    for (const std::string &target : links.targets) {
      if (leads_elsewhere(target)) {
        continue;
      }
      const std::size_t hash = std::min(target.find('#'), target.size());
      const std::string file = hash == 0 ? page : target.substr(0, hash);
      const std::string place = hash < target.size() ? target.substr(hash + 1) : "";
      const auto other = pages.find(file);
      if (other == pages.end() && !fs::is_regular_file(folder / file)) {
        finished.faults.push_back(fmt::format("{}: nothing at {}", page, target));
      } else if (other != pages.end() && !place.empty() && !other->second.places.contains(place)) {
        finished.faults.push_back(fmt::format("{}: no such place: {}", page, target));
      }
    }
  }
  std::ranges::sort(finished.functions, {}, &Entry::url);
  return finished;
}

std::string search_script(const std::vector<Entry> &entries) {
  std::string script = "(window.searchable ||= []).push(\n";
  for (const Entry &entry : entries) {
    script += fmt::format("[{}, {}, {}, {}],\n",
                          quoted(entry.title),
                          quoted(entry.url),
                          quoted(entry.sort),
                          quoted(entry.detail));
  }
  return script + ");\n";
}

} // namespace tutor::site
