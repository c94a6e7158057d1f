#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Turns the course's Markdown files into pages for Doxygen.
///
/// The same README.md has to read well on a code host and on the site. Doxygen flattens all pages
/// and pictures into one folder and does not follow relative links between files of one name, so
/// each page is rewritten on its way: links, pictures and headings get names that are unique on the
/// site. Nothing else changes.

namespace tutor::site {

/// One Markdown file of the course and its name on the site.
struct Page {
  std::filesystem::path file; ///< relative to the root of the course
  std::string id; ///< Doxygen's label of the page; "mainpage" for the first
};

/// The pages of a course: README.md, CONTRIBUTING.md, chapters/*/*.md (a lesson's second part
/// after its README.md), docs/*.md and the README.md of the parts (common/lab, emulator,
/// tutor_app/lessons), in this order.
std::vector<Page> find_pages(const std::filesystem::path &root);

/// A page as Doxygen is to read it.
struct Rewritten {
  std::string text;
  /// Files of the course that the page shows or links to (relative to the root), each with the
  /// place it must be copied to on the site.
  std::map<std::filesystem::path, std::string> copies;
  std::vector<std::string>
      errors; ///< "file:line: what is wrong", such as a link that leads nowhere
};

/// Rewrites pages of one course.
class Rewriter {
public:
  explicit Rewriter(std::filesystem::path root);
  Rewritten rewrite(const Page &page) const;
  const std::vector<Page> &pages() const { return pages_; }

private:
  friend class PageRewriter;
  std::filesystem::path root_;
  std::vector<Page> pages_;
};

/// The anchor that code hosts give a heading: "Then and now!" becomes "then-and-now".
std::string heading_anchor(std::string_view heading);

} // namespace tutor::site
