#include "base/own_program.hpp"
#include "base/text.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/learner.hpp"
#include "commands/observe.hpp"
#include "commands/rest.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

/// \file
/// The tutor's command line. The words after `--` belong to the program or tool that is started.

namespace {

using tutor::Exit;
using tutor::Failure;
using tutor::wrong_usage;
using namespace tutor::commands;

constexpr const char *device_help =
    "A device that times are predicted for: h200, rtx4090 …, or a file of yours: DEVICE.json";

constexpr const char *what_to_run =
    "A chapter, or CUDA files of yours with nvcc's options: a.cu b.cu -I include -DN=8 -lm";

CLI::Option *add_chapter(CLI::App &command, ChapterRequest &r) {
  return command.add_option("CHAPTER", r.chapter, "05, reduction or 05_reduction")->required();
}

void define_observe(CLI::App &observe, ObserveRequest &r) {
  observe.add_option("TARGET", r.target, what_to_run)->required();
  observe.add_option("--json", r.json, "Also write the report to this file, as JSON");
  observe.add_option("--html", r.html, "A page about the run to step through, for your browser");
  observe.add_option("--picture", r.picture, "Draw the worst request of FILE:LINE");
  observe.add_option(
      "--svg", r.svg, "The picture as an image; without --picture, of the worst line");
  observe.add_option("--timeline", r.timeline, "What streams did when, as an image: FILE.svg");
  observe.add_option("--schedules", r.schedules, "Orders of the threads to try (default 1)")
      ->check(CLI::Range(1, 10000));
  observe
      .add_option(
          "--blocks",
          r.blocks,
          "Look at so many blocks of each launch only (default: count 8, look for hazards in all)")
      ->check(CLI::Range(1, 1 << 30));
  observe.add_flag("--legend", r.legend, "Explain the report's words, as the first time");
  observe.add_option("--on,--device", r.device, device_help);
}

void add_chapter_commands(CommandLine &line) {
  line.add("run",
           "Build and run a chapter's program, or your own: run 05 -- --n 33, run my.cu",
           tutor::commands::run,
           [&](CLI::App &run, ChapterRequest &r) {
             r.arguments = line.passed_on;
             run.add_option("TARGET", r.words, what_to_run)->required();
             run.add_option("--backend", r.backend, backend_help);
             run.add_flag("--legend", r.legend, "Explain the table's columns, as the first time");
             run.add_option("--on,--device", r.device, device_help);
             run.add_option("--times",
                            r.times,
                            "Only the predicted times, also to this file, as JSON; -: to none");
           });
  line.add("observe",
           "What the hardware would see of a program, and its hazards: observe 05 -- --only v1",
           observe,
           [&](CLI::App &observe, ObserveRequest &r) {
             r.arguments = line.passed_on;
             define_observe(observe, r);
           });
  line.add("steps",
           "The difference between two steps: steps 05 v2 v3",
           steps,
           [](CLI::App &steps, ChapterRequest &r) {
             add_chapter(steps, r);
             steps.add_option("STEPS", r.words, "Two steps; none: list them")->expected(0, 2);
           });
  line.add("export",
           "A step as one file that nvcc compiles alone: export 05 v3 -o v3.cu",
           export_step,
           [](CLI::App &one, ChapterRequest &r) {
             add_chapter(one, r);
             one.add_option("STEP", r.words, "A step of it: v3")->required()->expected(1);
             one.add_option(
                 "-o,--out", r.out, "The file to write, which is not there yet; none: print it");
           });
  line.add("bench",
           "Measure chapters on a GPU and record the results",
           bench,
           [](CLI::App &bench, ChapterRequest &r) {
             bench.add_option("CHAPTERS", r.words, "The chapters; none: all of them");
             bench.add_option("--out", r.out, "The JSON file to write");
             bench
                 .add_option("--compare",
                             r.recordings,
                             "Measure nothing: compare two recordings, OLD and NEW")
                 ->expected(2)
                 ->excludes("--out");
           });
}

void add_model_commands(CommandLine &line) {
  line.add("predictions",
           "How far the time model is off of what was measured on a GPU",
           predictions,
           [](CLI::App &predictions, ChapterRequest &r) {
             predictions.add_flag("--record", r.record, "Predict anew all that was measured");
             predictions.add_flag(
                 "--check", r.check, "Exit 1 where a small part comes out otherwise today");
             predictions.add_flag("--steps",
                                  r.steps,
                                  "Of these: times of steps as they stand, for who has no clang");
             predictions.add_option("--on,--device",
                                    r.device,
                                    fmt::format("A device that was measured (default {})",
                                                tutor::commands::usual_device));
           });
  line.add(
      "calibrate",
      "Make a device of the time model from what chapters measured on it",
      calibrate,
      [](CLI::App &calibrate, ChapterRequest &r) {
        calibrate.add_option("OUT", r.out, "The file to write: DEVICE.json")->required();
        calibrate.add_option("--like", r.device, "A device that has the rest: h200, rtx4090 …")
            ->required();
        calibrate.add_option("--from", r.results, "What results' names begin with: results/my-gpu")
            ->required();
      });
}

void add_course_commands(CommandLine &line) {
  line.add("test",
           "Run all tests, as CI does, or those of a name: test lessons, test 05.2",
           test,
           [&](CLI::App &test, TestRequest &r) {
             r.ctest = line.passed_on;
             test.add_option(
                 "NAMES", r.names, "Tests, or what their names begin or end with; none: all");
             test.add_flag(
                 "--changed", r.changed, "List what has not changed since it passed; run the rest");
             test.add_flag(
                 "--all", r.all, "With all seeds and orders, of which each run takes a few");
           });
  const auto nothing = [](CLI::App &, ChapterRequest &) {};
  line.add("doctor", "What this machine has and lacks", doctor, nothing);
  line.add("docs", "Build the site: lessons, API and results", docs, nothing);
  line.add(
      "lessons",
      "Regenerate the code and the figures that lessons show",
      lessons,
      [](CLI::App &lessons, ChapterRequest &r) {
        lessons.add_option("CHAPTERS", r.words, "The chapters; none: all lessons");
        lessons.add_flag("--check", r.check, "Change nothing; exit 1 when something is stale");
        lessons.add_flag("--record", r.record, "Run the programs anew for the outputs shown");
      },
      line.app.get_subcommand("author"));
}

/// An unknown command gets the list of those there are, rather than CLI11's complaint about a word.
void require_known_command(const CLI::App &app, const std::vector<std::string> &words) {
  auto word = std::ranges::find_if(words, [](const std::string &w) { return !w.starts_with('-'); });
  const std::vector<std::string> names =
      tutor::each(app.get_subcommands([](const CLI::App *) { return true; }), &CLI::App::get_name);
  if (word != words.end() && *word == "lessons") {
    throw wrong_usage(
        "lessons are read with ./tutor lesson 05, and filled with ./tutor author lessons");
  }
  if (word != words.end() && std::ranges::find(names, *word) == names.end()) {
    throw wrong_usage("no command '{}'; there are: {}", *word, fmt::join(names, ", "));
  }
}

/// Of a command about FILE.cu… what is not an option of the tutor's own is the compiler's: it is put behind a --.
void set_apart_compilers_words(CLI::App &app, std::vector<std::string> &words) {
  if (words.empty() || (words[0] != "run" && words[0] != "observe") || !tutor::is_own(words)) {
    return;
  }
  const CLI::App *command = app.get_subcommand(words[0]);
  std::vector<std::string> own{words[0]}, compilers{"--"};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const CLI::Option *option = words[i].starts_with('-')
                                    ? command->get_option_no_throw(words[i].substr(0, equals))
                                    : nullptr;
    (option != nullptr ? own : compilers).push_back(words[i]);
    if (option != nullptr && equals == std::string::npos && option->get_items_expected_min() > 0 &&
        i + 1 < words.size()) {
      own.push_back(words[++i]);
    }
  }
  words = std::move(own);
  words.insert(words.end(), compilers.begin(), compilers.end());
}

Exit do_what_is_said(std::vector<std::string> words) {
  CommandLine line;
  if (const auto separator = std::ranges::find(words, "--"); separator != words.end()) {
    line.passed_on.assign(separator + 1, words.end());
    words.erase(separator, words.end());
  }
  add_chapter_commands(line);
  add_learner_commands(line);
  add_exercise_commands(line);
  add_model_commands(line);
  add_course_commands(line);
  add_grade_command(line);
  CLI::App &app = line.app;
  app.require_subcommand(0, 1);

  // The bootstrap names the course it belongs to; tests name a course of their own.
  const char *root = std::getenv("BUILD_FIRST_ROOT");
  if (root == nullptr) {
    throw wrong_usage("start me with the script ./tutor at the top of the course");
  }
  require_known_command(app, words);
  set_apart_compilers_words(app, words);
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
    throw wrong_usage("{}{}", error.what(), hint);
  }
  const tutor::Course course(std::filesystem::canonical(root));
  if (line.chosen) {
    return line.chosen(course);
  }
  LearnerRequest bare;
  bare.help = app.help();
  return learn(course, bare);
}

} // namespace

int main(int argc, char **argv) {
  words_of_this_run.assign(argv + 1, argv + argc);
  try {
    return static_cast<int>(do_what_is_said(words_of_this_run));
  } catch (const Failure &failure) {
    fmt::print(stderr, "tutor: {}\n", failure.what());
    return static_cast<int>(failure.exit());
  } catch (const std::exception &error) {
    fmt::print(stderr, "tutor: {}\n", error.what());
    return static_cast<int>(Exit::failed);
  }
}
