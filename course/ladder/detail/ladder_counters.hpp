/// @file
/// Counted quantities: what the observed build of a chapter's program saw of each step.
#pragma once

#include "ladder/detail/ladder_options.hpp"
#include "ladder/detail/ladder_result.hpp"

#include <string>
#include <vector>

namespace lab::detail {

/// Runs `options.counted_by`, the observed build of this program, with the same size and block
/// size, and gives each right step its counters. What was counted is kept in a file beside that
/// program, until it is built anew.
/// @throws Error when that program fails or leaves no counts
void count_steps(const Options &options, RunResult &result);

/// Reads "STEP KEY VALUE" lines into the steps they name; what follows other names is left out.
/// @return how many hazards the line "hazards N" tells of
/// @throws Error when the text is something else
std::size_t read_counts(const std::string &text, RunResult &result);

/// Where a counter's column stands among the others.
int counter_rank(const std::string &key);
/// The head of a counter's column, of one or two words, for the table.
std::string counter_head(const std::string &key);
/// What the columns of these counters mean, in a sentence or two for each.
std::vector<std::string> counter_legend(const RunResult &result);

} // namespace lab::detail
