#pragma once

#include "page.hpp"

#include <filesystem>
#include <string>
#include <vector>

/// \file
/// The site as Doxygen has left it: is it whole, and what can be searched for in it.

namespace tutor::site {

/// What a reading of all pages of the folder has found.
struct Finished {
  std::vector<std::string> faults; ///< "page: what is wrong": a link or picture that leads nowhere
  std::vector<Entry> functions; ///< documented functions, macros and types
};

/// Reads every page. External addresses are taken on trust.
Finished read_site(const std::filesystem::path &folder);

/// A script that adds the entries to what the site's search knows.
std::string search_script(const std::vector<Entry> &entries);

} // namespace tutor::site
