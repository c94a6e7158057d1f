/// @file
/// For exercises in which ranks send each other messages: whoever waits for ever is told of.
#pragma once

#include "checker/ranks.hpp"

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
