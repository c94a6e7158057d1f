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
/// site, code gets its colours, and explorable pictures what they need (explore.hpp).

namespace tutor::site {

/// One Markdown file of the course and its name on the site.
struct Page {
  std::filesystem::path file; ///< relative to the root of the course
  std::string id; ///< Doxygen's label of the page; "mainpage" for the first
  std::string title; ///< its first heading

  std::string url() const { return (id == "mainpage" ? "index" : id) + ".html"; }
};

/// Something that a reader can search for.
struct Entry {
  std::string title;
  std::string url; ///< of the page, with "#place"
  std::string sort; ///< page, section, term or function
  std::string detail; ///< what a term means; the page of a section
};

/// The pages of a course: README.md, chapters/*/*.md (a lesson's second part
/// after its README.md), docs/*.md, CONTRIBUTING.md and the README.md of the parts (common/lab, emulator,
/// tutor_app/lessons), in this order.
std::vector<Page> find_pages(const std::filesystem::path &root);

/// A page as Doxygen is to read it.
struct Rewritten {
  std::string text;
  /// Files of the course that the page shows or links to (relative to the root), each with the
  /// place it must be copied to on the site.
  std::map<std::filesystem::path, std::string> copies;
  std::map<std::string, std::string> made; ///< files of the site that the page needs: place, text
  std::vector<std::string>
      errors; ///< "file:line: what is wrong", such as a link that leads nowhere
  std::vector<Entry> entries; ///< the page, its sections, the terms that it explains
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
