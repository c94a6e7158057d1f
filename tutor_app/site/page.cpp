#include "page.hpp"

#include "base/diff.hpp"
#include "base/files.hpp"
#include "base/highlight.hpp"
#include "chrome.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace fs = std::filesystem;

namespace tutor::site {
namespace {

/// Markdown without its marks: `*` and backquotes, a link without its target, no line end.
std::string plain_text(std::string_view markdown) {
  std::string text;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    if (markdown.substr(i).starts_with("](")) {
      i = std::min(markdown.find(')', i), markdown.size());
    } else if (std::string_view("`*[\n").find(markdown[i]) == std::string_view::npos) {
      text += markdown[i];
    }
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// "chapters/05_reduction/README.md" becomes "chapters_05_reduction".
std::string page_id(const fs::path &file) {
  std::string id =
      (file.filename() == "README.md" ? file.parent_path() : file.parent_path() / file.stem())
          .generic_string();
  std::ranges::replace_if(
      id, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return id.empty() ? "mainpage" : id;
}

/// Browsers show these as they are; every other file is copied with ".txt" added, so that a click on
/// a source file shows it rather than saves it.
bool shown_by_browsers(const fs::path &file) {
  static const std::set<std::string> shown{
      ".svg", ".png", ".jpg", ".json", ".html", ".txt", ".pdf"};
  return shown.contains(file.extension().string());
}

/// The first heading, without what marks it.
std::string title_of(const fs::path &file) {
  for (const std::string &line : split_lines(read_file(file))) {
    if (line.starts_with("# ")) {
      return plain_text(std::string_view(line).substr(2));
    }
  }
  return file.filename().string();
}

/// A passage around Doxygen: it stands on one line, so that nothing in it looks like Markdown.
std::string html_only(const std::string &html) {
  return html.empty() ? "" : fmt::format("@htmlonly[block]{}@endhtmlonly\n", html);
}

bool is_elsewhere(std::string_view target) {
  return target.find("://") != std::string_view::npos || target.starts_with("mailto:");
}

} // namespace

std::vector<Page> find_pages(const fs::path &root) {
  std::vector<fs::path> files{"README.md"};
  auto sorted = [&](const fs::path &folder) {
    std::vector<fs::path> found;
    if (fs::is_directory(root / folder)) {
      for (const fs::directory_entry &entry : fs::directory_iterator(root / folder)) {
        found.push_back(folder / entry.path().filename());
      }
    }
    std::ranges::sort(found);
    return found;
  };
  auto add = [&](const std::vector<fs::path> &found) {
    files.insert(files.end(), found.begin(), found.end());
  };
  for (const fs::path &chapter : sorted("chapters")) {
    add(sorted(chapter)); // README.md comes before what else there is to read
  }
  add(sorted("docs"));
  files.insert(files.end(),
               {"CONTRIBUTING.md",
                "common/lab/README.md",
                "emulator/README.md",
                "tutor_app/lessons/README.md"});

  std::vector<Page> pages;
  for (const fs::path &file : files) {
    if (file.extension() == ".md" && fs::is_regular_file(root / file)) {
      pages.push_back({file, page_id(file), title_of(root / file)});
    }
  }
  return pages;
}

std::string heading_anchor(std::string_view heading) {
  std::string anchor;
  for (unsigned char c : heading) {
    if (std::isalnum(c) || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(c));
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

Rewriter::Rewriter(fs::path root) : root_(std::move(root)), pages_(find_pages(root_)) {}

/// Rewrites one page, line by line.
class PageRewriter {
public:
  PageRewriter(const Rewriter &site, const Page &page) : site_(site), page_(page) {}

  Rewritten rewrite() {
    result_.entries.push_back({page_.title, page_.url(), "page", ""});
    for (const std::string &line : split_lines(read_file(site_.root_ / page_.file))) {
      ++line_number_;
      if (line.starts_with("```")) {
        code_fence(line);
      } else if (in_code_) {
        code_ += line;
      } else if (line.starts_with("<!-- explore ") || line.starts_with("<!-- /explore ")) {
        result_.text += explorable(line);
      } else if (page_.file == "docs/glossary.md" && line.starts_with("| ")) {
        result_.text += term(line);
      } else if (line.starts_with('#')) {
        result_.text += heading(line);
      } else if (std::string tag = folding(line); !tag.empty()) {
        result_.text += tag;
      } else {
        result_.text += prose(line);
      }
    }
    std::vector<Entry> headings(result_.entries.begin() + 1, result_.entries.end());
    std::erase_if(headings, [](const Entry &entry) { return entry.sort != "section"; });
    if (const std::string head = page_head(site_.pages_, page_, headings); !head.empty()) {
      result_.text.insert(after_title_, "\n" + html_only(head));
    }
    result_.text += "\n" + html_only(page_foot(site_.pages_, page_));
    return std::move(result_);
  }

private:
  void code_fence(std::string_view line) {
    if (in_code_) {
      result_.text += html_only(code_block(language_, code_));
    }
    in_code_ = !in_code_;
    language_ = line.substr(3, line.find_last_not_of(" \n") - 2);
    code_.clear();
  }

  void error(const std::string &message) {
    result_.errors.push_back(
        fmt::format("{}:{}: {}", page_.file.generic_string(), line_number_, message));
  }

  /// The label of a heading: its code-host anchor, made unique on the site by the page's id.
  std::string label(const std::string &anchor) const { return page_.id + "-" + anchor; }

  std::string heading(std::string line) {
    line.erase(line.find_last_not_of(" \n") + 1);
    std::size_t level = line.find_first_not_of('#');
    if (level == std::string::npos || line[level] != ' ') {
      return prose(line + "\n");
    }
    if (level == 1) {
      const std::string title = fmt::format("{} {{#{}}}\n", line, page_.id);
      after_title_ = result_.text.size() + title.size();
      return title;
    }
    if (page_.id == "mainpage") {
      return line + "\n"; // Doxygen gives the front page's sections no places of their own
    }
    std::string anchor = heading_anchor(std::string_view(line).substr(level + 1));
    int &seen = headings_seen_[anchor];
    std::string unique = seen == 0 ? anchor : fmt::format("{}-{}", anchor, seen);
    ++seen;
    if (level == 2) {
      result_.entries.push_back({plain_text(std::string_view(line).substr(3)),
                                 page_.url() + "#" + label(unique),
                                 "section",
                                 page_.title});
    }
    return fmt::format("{} {{#{}}}\n", line, label(unique));
  }

  /// A row of the glossary's table: its term becomes a place that can be linked to and found.
  std::string term(const std::string &row) {
    const std::size_t middle = row.find(" | ", 2);
    const std::size_t end = row.find(" | ", std::min(middle, row.size() - 1) + 3);
    const std::string name = plain_text(std::string_view(row).substr(2, middle - 2));
    if (end == std::string::npos || name == "term" || name.starts_with("--")) {
      return prose(row);
    }
    const std::string place = label("term-" + heading_anchor(name));
    const std::string meaning =
        plain_text(std::string_view(row).substr(middle + 3, end - middle - 3));
    result_.entries.push_back({name, page_.url() + "#" + place, "term", meaning});
    return "| " + fmt::format("@anchor {} ", place) + prose(std::string_view(row).substr(2));
  }

  /// `<!-- explore FILE.json -->` and its end: a figure that holds the still picture and what the
  /// scripts make an explorable one of.
  std::string explorable(std::string_view line) {
    if (line.starts_with("<!-- /")) {
      return html_only("</figure>");
    }
    line.remove_prefix(std::string_view("<!-- explore ").size());
    const fs::path file = in_course(std::string(line.substr(0, line.find(' '))));
    const fs::path recording = fs::path(file).replace_extension(".recorded.json");
    for (const fs::path &needed : {file, recording}) {
      if (!fs::is_regular_file(site_.root_ / needed)) {
        error(fmt::format("there is no {}: run ./tutor lessons --record", needed.generic_string()));
        return html_only("<figure>");
      }
    }
    const std::string name =
        file.parent_path().parent_path().filename().string() + "-" + file.stem().string();
    const std::string place = fmt::format("explore/{}.js", name);
    result_.made[place] = fmt::format(
        "(window.explorables ||= {{}})[\"{}\"] = {{\n\"about\": {},\n\"recorded\": {}}};\n",
        name,
        read_file(site_.root_ / file),
        read_file(site_.root_ / recording));
    return html_only(fmt::format("<script src=\"{}\" defer></script>"
                                 "<figure class=\"explore\" id=\"explore-{}\" data-explore=\"{}\">",
                                 place,
                                 name,
                                 name));
  }

  /// A tag of a folded answer on a line of its own, passed around Doxygen, which would close it at
  /// the first blank line; "" for any other line.
  static std::string folding(std::string_view line) {
    for (std::string_view tag : {"<details", "<summary", "</details"}) {
      if (line.starts_with(tag)) {
        line.remove_suffix(line.ends_with('\n'));
        return html_only(std::string(line));
      }
    }
    return "";
  }

  /// A line outside code: comments dropped, links and pictures rewritten, code spans kept.
  std::string prose(std::string_view line) {
    std::string out;
    std::size_t i = 0;
    while (i < line.size()) {
      std::string_view rest = line.substr(i);
      if (rest[0] == '`') {
        i += copy_code_span(rest, out);
      } else if (in_comment_ || rest.starts_with("<!--")) {
        std::size_t end = rest.find("-->");
        in_comment_ = end == std::string_view::npos;
        i = in_comment_ ? line.size() : i + end + 3;
      } else if (rest.starts_with("![")) {
        i += picture(rest, out);
      } else if (rest.starts_with("](")) {
        i += link(rest, out);
      } else if (rest.starts_with("src=\"") || rest.starts_with("srcset=\"")) {
        i += attribute(rest, out);
      } else {
        out += rest[0];
        ++i;
      }
    }
    // A line that held nothing but a comment leaves nothing behind.
    bool only_comment =
        out.find_first_not_of(" \n") == std::string::npos && line.size() > out.size();
    return only_comment ? "" : out;
  }

  static std::size_t copy_code_span(std::string_view rest, std::string &out) {
    std::size_t ticks = std::min(rest.find_first_not_of('`'), rest.size());
    std::size_t end = rest.find(rest.substr(0, ticks), ticks);
    std::size_t length = end == std::string_view::npos ? ticks : end + ticks;
    out += rest.substr(0, length);
    return length;
  }

  /// `![what it shows](file)`: an HTML image, because Doxygen's own pictures lose their folders.
  std::size_t picture(std::string_view rest, std::string &out) {
    std::size_t middle = rest.find("](");
    std::size_t end = rest.find(')', middle);
    if (middle == std::string_view::npos || end == std::string_view::npos) {
      out += rest[0];
      return 1;
    }
    std::string text(rest.substr(2, middle - 2));
    std::string target(rest.substr(middle + 2, end - middle - 2));
    const std::string place = copied(target);
    // A click opens it alone: on a telephone that is where its words can be read.
    out += fmt::format("<a href=\"{0}\"><img src=\"{0}\" alt=\"{1}\"></a>", place, text);
    return end + 1;
  }

  /// The `](target)` of a link.
  std::size_t link(std::string_view rest, std::string &out) {
    std::size_t end = rest.find(')');
    if (end == std::string_view::npos) {
      out += rest[0];
      return 1;
    }
    out += fmt::format("]({})", resolved(std::string(rest.substr(2, end - 2))));
    return end + 1;
  }

  /// The `src="target"` of a picture written in HTML.
  std::size_t attribute(std::string_view rest, std::string &out) {
    std::size_t begin = rest.find('"') + 1;
    std::size_t end = rest.find('"', begin);
    if (end == std::string_view::npos) {
      out += rest[0];
      return 1;
    }
    out += rest.substr(0, begin);
    out += copied(std::string(rest.substr(begin, end - begin)));
    out += '"';
    return end + 1;
  }

  /// Where a link leads on the site.
  std::string resolved(const std::string &target) {
    if (is_elsewhere(target)) {
      return target;
    }
    std::size_t hash = std::min(target.find('#'), target.size());
    std::string anchor = hash < target.size() ? target.substr(hash + 1) : "";
    if (hash == 0) {
      return "@ref " + label(anchor); // Doxygen reports an anchor that no heading has
    }
    fs::path file = in_course(target.substr(0, hash));
    for (const Page &page : site_.pages_) {
      if (page.file == file || page.file == file / "README.md") {
        return "@ref " + page.id + (anchor.empty() ? "" : "-" + anchor);
      }
    }
    return copied(target.substr(0, hash));
  }

  /// Where a file of the course lies on the site; notes that it must be copied there.
  std::string copied(const std::string &target) {
    if (is_elsewhere(target)) {
      return target;
    }
    fs::path file = in_course(target);
    if (!fs::is_regular_file(site_.root_ / file)) {
      error(fmt::format("'{}' is neither a page nor a file of the course", target));
      return target;
    }
    std::string place = "files/" + file.generic_string() + (shown_by_browsers(file) ? "" : ".txt");
    result_.copies[file] = place;
    return place;
  }

  fs::path in_course(const std::string &target) const {
    fs::path file = (page_.file.parent_path() / target).lexically_normal();
    return file.has_filename() ? file : file.parent_path();
  }

  const Rewriter &site_;
  const Page &page_;
  Rewritten result_;
  std::map<std::string, int> headings_seen_;
  int line_number_ = 0;
  std::size_t after_title_ = 0;
  std::string language_, code_;
  bool in_code_ = false;
  bool in_comment_ = false;
};

Rewritten Rewriter::rewrite(const Page &page) const { return PageRewriter(*this, page).rewrite(); }

} // namespace tutor::site
