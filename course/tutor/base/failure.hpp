#pragma once

#include "base/paths.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace tutor {

/// What the tutor tells its caller through its exit code.
enum class Exit {
  ok = 0, ///< everything asked for was done, and it passed
  failed = 1, ///< something was built or run and turned out wrong
  usage = 2, ///< the command line makes no sense
  environment = 3, ///< this machine lacks something; the message names what brings it
};

/// Ends the command: `what()` is the one line the user reads, `exit()` what the shell gets.
class Failure : public std::runtime_error {
public:
  Failure(Exit exit, const std::string &message) : std::runtime_error(message), exit_(exit) {}
  Exit exit() const { return exit_; }

private:
  Exit exit_;
};

/// What to throw, from a text and what stands for its {}.
template <class... Values> Failure failure(fmt::format_string<Values...> text, Values &&...values) {
  return {Exit::failed, fmt::format(text, std::forward<Values>(values)...)};
}
template <class... Values>
Failure wrong_usage(fmt::format_string<Values...> text, Values &&...values) {
  return {Exit::usage, fmt::format(text, std::forward<Values>(values)...)};
}
/// \param text  says what brings what this machine lacks
template <class... Values> Failure lacking(fmt::format_string<Values...> text, Values &&...values) {
  return {Exit::environment, fmt::format(text, std::forward<Values>(values)...)};
}

} // namespace tutor
