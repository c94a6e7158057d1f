/// \file
/// Starts a compiler and reads what it says.
#pragma once

#include <string>
#include <vector>

namespace rewriter {

struct Ended {
  int status; // of its exit; 128 and more: the signal that ended it, as shells say it
  std::string said; // on stderr
};

/// \throws std::runtime_error if it cannot be started
Ended run(const std::vector<std::string> &command);

} // namespace rewriter
