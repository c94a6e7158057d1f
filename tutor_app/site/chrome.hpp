#pragma once

#include "page.hpp"

#include <string>
#include <vector>

/// \file
/// What stands around the text of each page of the site: the list of pages, the way on and back,
/// where one is in the course, what made the page.

namespace tutor::site {

/// What the footer says of the course.
struct Edition {
  std::string version;
  std::string commit; ///< empty: not made from a commit
};

/// Doxygen's template for what comes before the text; it puts its own names in place of `$…`.
/// \param dark  whether the style sheets have colours for the dark
std::string header_html(const std::vector<Page> &pages, bool dark);

/// Doxygen's template for what comes after the text.
std::string footer_html(const Edition &edition);

/// What stands under a page's title: how far in the course it is, and what is on the page.
std::string
page_head(const std::vector<Page> &pages, const Page &page, const std::vector<Entry> &headings);

/// What stands at a page's end: the page before and the next one.
std::string page_foot(const std::vector<Page> &pages, const Page &page);

} // namespace tutor::site
