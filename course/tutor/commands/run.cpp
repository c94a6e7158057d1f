#include "commands/commands.hpp"

#include "base/process.hpp"
#include "base/result_file.hpp"
#include "base/terminal.hpp"
#include "observe/time_model.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutor::commands {
namespace {

/// Options that choose what is run, and at which size; others ask for something else than times.
struct Chosen {
  std::vector<std::string> arguments;
  bool times = true;
  bool cold = false;
};

Chosen chosen_of(const std::vector<std::string> &arguments) {
  Chosen chosen;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string &word = arguments[i];
    const std::string name = word.substr(0, word.find('='));
    const bool alone = name != word || i + 1 == arguments.size();
    if (name == "--n" || name == "--only" || name == "--block" || name == "--seed") {
      chosen.arguments.push_back(word);
      if (!alone) {
        chosen.arguments.push_back(arguments[++i]);
      }
    } else if (name == "--l2") {
      chosen.cold = (alone ? word : arguments[++i]).ends_with("cold");
    } else if (name == "--reps" || name == "--json") {
      i += alone ? 0 : 1;
    } else {
      chosen.times = false;
    }
  }
  return chosen;
}

/// Follows the launches of every step at the size of a GPU, and prints what they would take there.
Exit print_times(const Course &course,
                 const Chapter &chapter,
                 const Build &build,
                 const TimesRequest &asked,
                 const Chosen &chosen) {
  build.build("launch_collector", "building the time model");
  TimeModel times(course,
                  build.folder(),
                  asked.device.empty() ? "h200" : asked.device,
                  build.folder() / "model" / chapter.id);
  times.compile_steps(chapter);
  const Captured followed = times.follow(build.program(chapter), chosen.arguments);
  if (followed.exit_code == 0) {
    fmt::print("{}", times.steps_text(chosen.cold));
    if (!asked.file.empty()) {
      write_result(asked.file, times.steps_json(chosen.cold).dump(1) + "\n");
    }
  } else if (!asked.file.empty()) {
    fmt::print(stderr, "{}", followed.output);
  }
  return static_cast<Exit>(followed.exit_code);
}

/// Nothing but the times, to a file.
Exit write_times(const Course &course,
                 const Chapter &chapter,
                 const TimesRequest &asked,
                 const Chosen &chosen) {
  if (!chosen.times) {
    throw Failure(Exit::usage, "--times goes with --n, --only, --block, --seed and --l2 alone");
  }
  expect_writable(asked.file);
  Build build(course.root(), Backend::cpu);
  build.build(chapter.id, fmt::format("building {}", chapter.id));
  return print_times(course, chapter, build, asked, chosen);
}

} // namespace

Exit run(const Course &course,
         const std::string &word,
         Backend backend,
         const TimesRequest &times,
         const std::vector<std::string> &arguments) {
  const Chapter &chapter = course.find(word);
  const Chosen chosen = chosen_of(arguments);
  if (!times.file.empty()) {
    return write_times(course, chapter, times, chosen);
  }
  Build build(course.root(), backend);
  Command command{build.program(chapter).string()};
  std::vector<std::string> targets{chapter.id};
  if (backend == Backend::cpu) {
    // On the emulator a step is known by what is counted, and the observed program counts.
    targets.push_back(Build::observed_target(chapter));
    command.insert(command.end(), {"--counted-by", build.observed_program(chapter).string()});
  }
  build.build_all(targets, fmt::format("building {}", chapter.id));
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (backend == Backend::gpu || !chosen.times || known_devices(course).empty()) {
    become(command);
  }
  std::fflush(stdout);
  const int exit_code = tutor::run(command);
  if (exit_code == 0) {
    print_times(course, chapter, build, times, chosen);
  }
  return static_cast<Exit>(exit_code);
}

} // namespace tutor::commands
