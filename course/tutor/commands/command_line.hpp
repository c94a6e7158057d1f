#pragma once

#include "base/course.hpp"
#include "base/failure.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutor::commands {

constexpr const char *backend_help = "cpu or gpu; default: the GPU where there is one";
constexpr const char *workspace_help = "The folder with your files; default: workspace/";

/// From 0 on, in digits: a minus, or more than 64 bits, would be read as another number.
inline const CLI::Validator whole_number(
    [](const std::string &text) -> std::string {
      constexpr std::size_t most_digits = 19;
      const bool is_one = !text.empty() && text.size() <= most_digits &&
                          text.find_first_not_of("0123456789") == std::string::npos;
      return is_one ? "" : text + ": write a whole number from 0 on, of 19 digits at the most";
    },
    "");

/// The command line while it is put together.
struct CommandLine {
  CLI::App app{"Build First: a course in CUDA C++ that you run before you read", "./tutor"};
  std::vector<std::string>
      passed_on; ///< what stood after --: for the program or tool that is started
  std::function<Exit(const Course &)> chosen; ///< by the words that were parsed

  /// Adds a command. \param define  adds its options, which fill the request that it gets
  /// \param to  the command that it belongs to; none: the tutor
  template <class Request, class Define>
  void add(const char *name,
           const char *what,
           Exit (*command)(const Course &, const Request &),
           const Define &define,
           CLI::App *to = nullptr) {
    const auto request = std::make_shared<Request>(); // lives as long as the callback
    CLI::App *added = (to == nullptr ? &app : to)->add_subcommand(name, what);
    define(*added, *request);
    when_parsed(*added,
                [command, request](const Course &course) { return command(course, *request); });
  }

private:
  void when_parsed(CLI::App &added, std::function<Exit(const Course &)> command) {
    added.callback([this, &added, command = std::move(command)] {
      if (added.get_subcommands().empty()) { // else one of them was chosen
        chosen = command;
      }
    });
  }
};

void add_learner_commands(CommandLine &line);
/// check and author.
void add_exercise_commands(CommandLine &line);
void add_grade_command(CommandLine &line);

} // namespace tutor::commands
