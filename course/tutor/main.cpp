#include "base/course.hpp"
#include "base/failure.hpp"
#include "commands/commands.hpp"
#include "commands/exercises.hpp"
#include "commands/grade.hpp"
#include "commands/learner.hpp"
#include "commands/observe.hpp"
#include "commands/rest.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <string>
#include <vector>

/// \file
/// The tutor's command line. The words after `--` belong to the program or tool that is started.

namespace {

using tutor::Exit;
using tutor::Failure;

/// What the command line says, filled by CLI11; `command` runs it.
struct Request {
  std::string chapter;
  std::vector<std::string> words; ///< two steps, or the chapters to measure
  std::vector<std::string> passed_on; ///< what stood after --
  std::optional<std::string> backend;
  bool check = false;
  bool record = false;
  std::string out;
  std::vector<std::string> recordings; ///< two to compare
  std::string results; ///< what names of files begin with
  std::string device; ///< of the time model
  tutor::commands::TimesRequest times;
  tutor::commands::ObserveRequest observe;
  tutor::commands::TestRequest test;
  std::function<Exit(const tutor::Course &)> command;
};

constexpr const char *device_help =
    "A device that times are predicted for: h200, rtx4090 …, or a file of yours: DEVICE.json";

void add_observe_command(CLI::App &app, Request &r) {
  CLI::App *observe = app.add_subcommand(
      "observe",
      "What the hardware would see of a program, and its hazards: observe 05 -- --only v1");
  tutor::commands::ObserveRequest &o = r.observe;
  observe->add_option("TARGET", o.target, "A chapter, or any CUDA file of yours: FILE.cu")
      ->required();
  observe->add_option("--json", o.json, "Also write the report to this file, as JSON");
  observe->add_option("--html", o.html, "A page about the run to step through, for your browser");
  observe->add_option("--picture", o.picture, "Draw the worst request of FILE:LINE");
  observe->add_option(
      "--svg", o.svg, "The picture as an image; without --picture, of the worst line");
  observe->add_option("--schedules", o.schedules, "Orders of the threads to try (default 1)")
      ->check(CLI::Range(1, 10000));
  observe
      ->add_option(
          "--blocks",
          o.blocks,
          "Look at so many blocks of each launch only (default: count 8, look for hazards in all)")
      ->check(CLI::Range(1, 1 << 30));
  observe->add_option("--on,--device", o.device, device_help);
  observe->add_option("-I", o.include_dirs, "For FILE.cu: a folder with files it includes");
  observe->callback([&r] {
    r.command = [&r](const tutor::Course &course) {
      r.observe.arguments = r.passed_on;
      return tutor::commands::observe(course, r.observe);
    };
  });
}

void add_chapter_commands(CLI::App &app, Request &r) {
  CLI::App *run = app.add_subcommand("run", "Build and run a chapter's program: run 05 -- --n 33");
  run->add_option("CHAPTER", r.chapter, "05, reduction or 05_reduction")->required();
  run->add_option("--backend", r.backend, "cpu or gpu; default: the GPU where there is one");
  run->add_option("--on,--device", r.times.device, device_help);
  run->add_option(
      "--times", r.times.file, "Only the predicted times, also to this file, as JSON; -: to none");
  run->callback([&r] {
    r.command = [&r](const tutor::Course &course) {
      return tutor::commands::run(
          course, r.chapter, tutor::choose_backend(r.backend), r.times, r.passed_on);
    };
  });

  add_observe_command(app, r);

  CLI::App *steps = app.add_subcommand("steps", "The difference between two steps: steps 05 v2 v3");
  steps->add_option("CHAPTER", r.chapter, "05, reduction or 05_reduction")->required();
  steps->add_option("STEPS", r.words, "Two steps; none: list them")->expected(0, 2);
  steps->callback([&r] {
    r.command = [&r](const tutor::Course &course) {
      return tutor::commands::steps(course, r.chapter, r.words);
    };
  });

  CLI::App *one = app.add_subcommand(
      "export", "A step as one file that nvcc compiles alone: export 05 v3 -o v3.cu");
  one->add_option("CHAPTER", r.chapter, "05, reduction or 05_reduction")->required();
  one->add_option("STEP", r.words, "A step of it: v3")->required()->expected(1);
  one->add_option("-o,--out", r.out, "The file to write, which is not there yet; none: print it");
  one->callback([&r] {
    r.command = [&r](const tutor::Course &course) {
      return tutor::commands::export_step(course, r.chapter, r.words.front(), r.out);
    };
  });

  CLI::App *bench = app.add_subcommand("bench", "Measure chapters on a GPU and record the results");
  bench->add_option("CHAPTERS", r.words, "The chapters; none: all of them");
  bench->add_option("--out", r.out, "The JSON file to write");
  bench
      ->add_option(
          "--compare", r.recordings, "Measure nothing: compare two recordings, OLD and NEW")
      ->expected(2)
      ->excludes("--out");
  bench->callback([&r] {
    r.command = [&r](const tutor::Course &course) {
      if (!r.recordings.empty()) {
        return tutor::commands::compare_recordings(r.recordings[0], r.recordings[1]);
      }
      if (r.out.empty()) {
        throw Failure(Exit::usage, "--out is required: the file to write");
      }
      return tutor::commands::bench(course, r.words, r.out);
    };
  });
}

void add_model_commands(CLI::App &app, Request &r) {
  CLI::App *predictions = app.add_subcommand(
      "predictions", "How far the time model is off of what was measured on a GPU");
  predictions->add_flag("--record", r.record, "Predict anew all that was measured");
  predictions->add_flag("--check", r.check, "Exit 1 where a small part comes out otherwise today");
  predictions->add_option("--on,--device", r.device, "A device that was measured (default h200)");
  predictions->callback([&r] {
    r.command = [&r](const tutor::Course &course) {
      return tutor::commands::predictions(course, r.device, r.record, r.check);
    };
  });

  CLI::App *calibrate = app.add_subcommand(
      "calibrate", "Make a device of the time model from what chapters measured on it");
  calibrate->add_option("OUT", r.out, "The file to write: DEVICE.json")->required();
  calibrate->add_option("--like", r.device, "A device that has the rest: h200, rtx4090 …")
      ->required();
  calibrate->add_option("--from", r.results, "What results' names begin with: results/my-gpu")
      ->required();
  calibrate->callback([&r] {
    r.command = [&r](const tutor::Course &course) {
      return tutor::commands::calibrate(course, r.device, r.results, r.out);
    };
  });
}

void add_course_commands(CLI::App &app, Request &r) {
  CLI::App *test = app.add_subcommand(
      "test", "Run all tests, as CI does, or those of a name: test lessons, test 05.2");
  test->add_option(
      "NAMES", r.test.names, "Tests, or what their names begin or end with; none: all");
  test->add_flag(
      "--changed", r.test.changed, "List what has not changed since it passed; run the rest");
  test->callback([&r] {
    r.command = [&r](const tutor::Course &course) {
      r.test.ctest = r.passed_on;
      return tutor::commands::test(course, r.test);
    };
  });
  app.add_subcommand("doctor", "What this machine has and lacks")->callback([&r] {
    r.command = [](const tutor::Course &) { return tutor::commands::doctor(); };
  });
  app.add_subcommand("docs", "Build the site: lessons, API and results")->callback([&r] {
    r.command = [](const tutor::Course &course) { return tutor::commands::docs(course); };
  });

  CLI::App *lessons =
      app.add_subcommand("lessons", "Regenerate the code and the figures that lessons show");
  lessons->add_option("CHAPTERS", r.words, "The chapters; none: all lessons");
  lessons->add_flag("--check", r.check, "Change nothing; exit 1 when something is stale");
  lessons->add_flag("--record", r.record, "Run the programs anew for the outputs shown");
  lessons->callback([&r] {
    r.command = [&r](const tutor::Course &course) {
      return tutor::commands::lessons(course, r.words, r.check, r.record);
    };
  });
}

/// An unknown command gets the list of those there are, rather than CLI11's complaint about a word.
void require_known_command(const CLI::App &app, const std::vector<std::string> &words) {
  auto word = std::ranges::find_if(words, [](const std::string &w) { return !w.starts_with('-'); });
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; })) {
    names.push_back(command->get_name());
  }
  if (word != words.end() && std::ranges::find(names, *word) == names.end()) {
    throw Failure(Exit::usage,
                  fmt::format("no command '{}'; there are: {}", *word, fmt::join(names, ", ")));
  }
}

Exit run(std::vector<std::string> words) {
  Request request;
  CLI::App app("Build First: a course in CUDA C++ that you run before you read", "./tutor");
  add_chapter_commands(app, request);
  tutor::commands::add_learner_commands(app, request.command);
  tutor::commands::add_exercise_commands(app, request.command);
  add_model_commands(app, request);
  add_course_commands(app, request);
  tutor::commands::add_grade_command(app, request.command);
  app.require_subcommand(0, 1);

  auto separator = std::ranges::find(words, "--");
  if (separator != words.end()) {
    request.passed_on.assign(separator + 1, words.end());
    words.erase(separator, words.end());
  }

  // The bootstrap names the course it belongs to; tests name a course of their own.
  const char *root = std::getenv("BUILD_FIRST_ROOT");
  if (root == nullptr) {
    throw Failure(Exit::usage, "start me with the script ./tutor at the top of the course");
  }
  require_known_command(app, words);
  std::string first = words.empty() ? "" : words.front();
  bool for_program = words.size() > 2 && (first == "run" || first == "observe");
  try {
    std::ranges::reverse(words); // CLI11 takes them from the back
    app.parse(words);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) {
      return static_cast<Exit>(app.exit(error)); // --help
    }
    std::string hint =
        for_program
            ? fmt::format("; what the program shall get goes after --: ./tutor {} 05 -- --n 33",
                          first)
            : "";
    throw Failure(Exit::usage, error.what() + hint);
  }
  tutor::Course course(std::filesystem::canonical(root));
  return request.command ? request.command(course) : tutor::commands::learn(course, {}, app.help());
}

} // namespace

int main(int argc, char **argv) {
  tutor::commands::words_of_this_run.assign(argv + 1, argv + argc);
  try {
    return static_cast<int>(run(tutor::commands::words_of_this_run));
  } catch (const Failure &failure) {
    fmt::print(stderr, "tutor: {}\n", failure.what());
    return static_cast<int>(failure.exit());
  } catch (const std::exception &error) {
    fmt::print(stderr, "tutor: {}\n", error.what());
    return static_cast<int>(Exit::failed);
  }
}
