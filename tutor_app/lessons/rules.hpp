#pragma once

#include "markers.hpp"

#include <filesystem>
#include <string>
#include <vector>

/// @file
/// What every lesson of a chapter owes its reader, beyond blocks that are up to date.

namespace tutor::lessons {

/// A rule that a lesson breaks, and where.
struct Breach {
  std::size_t line;
  std::string message;
};

/// The breaches of one lesson (a .md file in a chapter's folder; others owe nothing):
/// - the paragraph after each table of results begins with "**What this shows.**";
/// - evidence is recorded, or `<!-- note: evidence is not recorded, because … -->` says why not;
/// - each term in *italics* is one that this chapter or an earlier one introduces (terms.toml);
/// - figures in its own words are proven (figures.hpp);
/// - the text of a link stands on one line;
/// - it has at most 1200 lines, or as many as `<!-- note: at most N lines -->` grants.
std::vector<Breach> breaches_of(const std::filesystem::path &root,
                                const std::filesystem::path &lesson,
                                const std::string &text,
                                const std::vector<Block> &blocks);

/// The breaches of a chapter, whose lessons are given with their texts: each step (a file
/// vN_name.cuh) has its evidence, and each term that the chapter introduces stands in italics.
std::vector<Breach> breaches_of_chapter(const std::filesystem::path &folder,
                                        const std::vector<std::string> &texts);

} // namespace tutor::lessons
