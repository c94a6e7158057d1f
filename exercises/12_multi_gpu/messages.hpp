/// @file
/// For exercises in which ranks send each other messages: whoever waits for ever is told of.
#pragma once

#include "checker/ranks.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

/// "rank 0 waits in send_to() for rank 1, which there is not, rank 1 …"; empty: nobody is stuck.
inline std::string who_is_stuck(const std::vector<int> &stuck) {
  std::string text;
  const int ranks = static_cast<int>(stuck.size());
  for (int rank = 0; rank < ranks; ++rank) {
    const int other = std::abs(stuck[rank]) - 2;
    if (stuck[rank] != 0)
      text += (text.empty() ? "rank " : ", rank ") + std::to_string(rank) + " waits in " +
              (stuck[rank] > 0 ? "send_to()" : "receive_from()") + " for " +
              (other == rank ? "itself" : "rank " + std::to_string(other)) +
              (other < 0 || other >= ranks ? ", which there is not" : "");
  }
  return text;
}

/// A row for each rank, a column for each round: from whom it has received a message then. ~: it has come from another
/// machine.
inline std::string who_told_whom(const std::vector<checker::Heard> &heard, size_t on_machine) {
  std::string text;
  for (size_t rank = 0; rank < heard.size(); ++rank) {
    std::string row = "  rank " + std::to_string(rank);
    for (const auto &[round, from] : heard[rank]) {
      row.resize(11 + 8 * static_cast<size_t>(std::clamp(round, 1, 7) - 1), ' ');
      row += (static_cast<size_t>(from) / on_machine == rank / on_machine ? "<- " : "<~ ") +
             std::to_string(from);
    }
    text += "\n" + row;
  }
  return text;
}
