#pragma once

#include "base/paths.hpp"

#include <nlohmann/json.hpp>
#include <string>

/// \file
/// What `observe --html` writes: one page about one run, for a browser without a network.

namespace tutor {

/// What the page is about.
struct ObservedRun {
  std::string title; ///< the command that shows it again
  fs::path looks; ///< the folder with the site's styles and scripts
  nlohmann::ordered_json report; ///< as the emulator writes it (EMU_OBSERVE_JSON)
  nlohmann::ordered_json trace; ///< what warps did (EMU_OBSERVE_TRACE)
};

/// The page: hazards with both their lines, the sources with what was counted in the margin, requests
/// to step through, the ways of warps. Launches that would make it larger than about 4 MB are left
/// out, and it says so.
std::string observed_page(const ObservedRun &run);

} // namespace tutor
