#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// @file
/// The course's standard terms: each chapter's terms.toml, a line `"term" = "What it means."` for
/// each term that the chapter introduces. All functions throw LessonError.

namespace tutor::lessons {

struct Term {
  std::string name;
  std::string meaning; ///< one sentence
  std::string chapter; ///< the folder of the chapter that introduces it
};

/// The terms of all chapters, by chapter; refuses a term that two chapters introduce.
std::vector<Term> read_terms(const std::filesystem::path &root);

/// A table of all terms from A to Z; links lead from the folder of `page`.
std::string glossary(const std::filesystem::path &root, const std::filesystem::path &page);

/// Lower case, one space between words, no plural s: what two spellings of a term share.
std::string normal_form(const std::string &term);

} // namespace tutor::lessons
