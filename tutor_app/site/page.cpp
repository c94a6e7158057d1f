#include "page.hpp"

#include "lessons/diff.hpp"
#include "lessons/files.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace fs = std::filesystem;

namespace tutor::site {
namespace {

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

bool is_elsewhere(std::string_view target) {
  return target.find("://") != std::string_view::npos || target.starts_with("mailto:");
}

} // namespace

std::vector<Page> find_pages(const fs::path &root) {
  std::vector<fs::path> files{"README.md", "CONTRIBUTING.md"};
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
               {"common/lab/README.md", "emulator/README.md", "tutor_app/lessons/README.md"});

  std::vector<Page> pages;
  for (const fs::path &file : files) {
    if (file.extension() == ".md" && fs::is_regular_file(root / file)) {
      pages.push_back({file, page_id(file)});
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
    for (const std::string &line : split_lines(lessons::read_file(site_.root_ / page_.file))) {
      ++line_number_;
      if (line.starts_with("```")) {
        in_code_ = !in_code_;
        result_.text += line;
      } else if (in_code_) {
        result_.text += line;
      } else if (line.starts_with('#')) {
        result_.text += heading(line);
      } else if (std::string tag = folding(line); !tag.empty()) {
        result_.text += tag;
      } else {
        result_.text += prose(line);
      }
    }
    return std::move(result_);
  }

private:
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
      return fmt::format("{} {{#{}}}\n", line, page_.id);
    }
    if (page_.id == "mainpage") {
      return line + "\n"; // a label would put the section among the lessons in the site's tree
    }
    std::string anchor = heading_anchor(std::string_view(line).substr(level + 1));
    int &seen = headings_seen_[anchor];
    std::string unique = seen == 0 ? anchor : fmt::format("{}-{}", anchor, seen);
    ++seen;
    return fmt::format("{} {{#{}}}\n", line, label(unique));
  }

  /// A tag of a folded answer on a line of its own, passed around Doxygen, which would close it at
  /// the first blank line; "" for any other line.
  static std::string folding(std::string_view line) {
    for (std::string_view tag : {"<details", "<summary", "</details"}) {
      if (line.starts_with(tag)) {
        line.remove_suffix(line.ends_with('\n'));
        return fmt::format("@htmlonly[block]{}@endhtmlonly\n", line);
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
    out += fmt::format("<img src=\"{}\" alt=\"{}\">", copied(target), text);
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
  bool in_code_ = false;
  bool in_comment_ = false;
};

Rewritten Rewriter::rewrite(const Page &page) const { return PageRewriter(*this, page).rewrite(); }

} // namespace tutor::site
