#include "commands/exercises.hpp"
#include "commands/grade.hpp"
#include "commands/learner.hpp"

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/terminal.hpp"
#include "exercises/check.hpp"
#include "exercises/workspace.hpp"
#include "grade/reference.hpp"
#include "grade/text.hpp"
#include "grade/toolchain.hpp"
#include "loop/screens.hpp"
#include "loop/state.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace fs = std::filesystem;

namespace tutor::commands {
namespace {

void print(const Exercise &exercise, const Result &result, const std::string &source) {
  bool passed = result.verdict == Verdict::pass;
  std::string verdict(name_of(result.verdict));
  fmt::print("{} {} {:<24} {} of {} cases, {:.1f} s\n",
             passed ? green(fmt::format("{:<11}", verdict)) : red(fmt::format("{:<11}", verdict)),
             exercise.short_id(),
             exercise.name,
             result.passed_cases(),
             result.cases.size(),
             result.seconds);
  if (passed) {
    if (!result.message.empty()) {
      fmt::print("  {}\n", grading::printable(result.message, true));
    }
    return;
  }
  fmt::print("  {}: {}\n", bold(result.diagnosis), grading::printable(result.message, true));
  if (result.verdict == Verdict::hazard || result.verdict == Verdict::fail) {
    print_lines(place_lines(exercise, result, source, print_columns()));
  }
  if (result.verdict == Verdict::build_error || result.verdict == Verdict::not_run) {
    fmt::print("{}", faint(grading::printable(result.log, true)));
  }
  fmt::print(
      "  {}\n",
      faint(fmt::format("seed {}; a hint: ./tutor hint {}", result.seed, exercise.short_id())));
}

void print_task(const Course &course, const Exercise &exercise, const Workspace &workspace) {
  const fs::path lesson = course.root() / "chapters" / exercise.chapter / "README.md";
  print_lines({Line(fmt::format("{} {}", exercise.short_id(), exercise.card.title), Style::bold)});
  print_lines(task_lines(
      exercise, typed_path(workspace.file(exercise)), typed_path(lesson), print_columns()));
  print_lines({Line("")});
}

void write(const std::string &file, const std::vector<Result> &results) {
  if (file == "-") {
    fmt::print("{}", to_json(results));
  } else {
    write_file(std::filesystem::absolute(file), to_json(results));
  }
}

/// A stored submission, judged as `grade` does it.
Exit check_file(const Course &course,
                const Exercise &exercise,
                const CheckRequest &request,
                CheckOptions options) {
  if (request.extra_checks) {
    std::vector<grading::Assigned> one{{exercise, {}, {}}};
    grading::add_extra_checks(one, course, *request.extra_checks);
    options.extra_check = one.front().extra_check;
  }
  prepare_checks(course, {exercise}, options);
  put_up_walls(options, grading::Toolchain(course, options.backend));
  const Result result = tutor::check(course, exercise, *request.file, options);
  if (request.json != "-") {
    const std::string text = fs::exists(*request.file) ? read_file(*request.file) : "";
    print(exercise, result, grading::printable(text, true));
  }
  if (!request.json.empty()) {
    write(request.json, {result});
  }
  return result.verdict == Verdict::pass ? Exit::ok : Exit::failed;
}

} // namespace

Exit check(const Course &course, const CheckRequest &request) {
  if (request.exercises.empty() != request.all) {
    throw Failure(Exit::usage, "name the exercises to check, as 05.2 or block_sum, or say --all");
  }
  CheckOptions options;
  options.backend = choose_backend(request.backend);
  options.seed = request.seed;
  std::vector<Exercise> exercises = find_exercises(course, request.exercises);
  if (request.file) {
    if (exercises.size() != 1) {
      throw Failure(Exit::usage, "--file is one exercise's: name that one, as 05.2 or block_sum");
    }
    return check_file(course, exercises.front(), request, options);
  }
  Workspace workspace = Workspace::of(course, request.workspace);
  const bool quiet = request.json == "-";
  for (const Exercise &exercise : exercises) {
    const bool begins = !fs::exists(workspace.file(exercise));
    workspace.open(exercise);
    if (!quiet && (request.task || (begins && exercises.size() == 1))) {
      print_task(course, exercise, workspace);
    }
  }
  if (request.task) {
    return Exit::ok;
  }
  prepare_checks(course, exercises, options);

  std::vector<Result> results;
  bool all_passed = true;
  for (const Exercise &exercise : exercises) {
    results.push_back(tutor::check(course, exercise, workspace.file(exercise), options));
    const Result &result = results.back();
    all_passed &= result.verdict == Verdict::pass;
    if (!quiet) {
      print(exercise, result, read_file(workspace.file(exercise)));
      std::fflush(stdout);
    }
    StateFile(workspace.folder()).change([&](LearnerState &state) {
      record(state, result, sha256(read_file(exercise.stub)));
    });
  }
  if (!request.json.empty()) {
    write(request.json, results);
  }
  return all_passed ? Exit::ok : Exit::failed;
}

namespace {

void add_check(CLI::App &app, std::function<Exit(const Course &)> &command) {
  auto request = std::make_shared<CheckRequest>();
  CLI::App *check = app.add_subcommand("check", "Check your files of exercises: check 05.2");
  check->add_option("ID", request->exercises, "05.2, block_sum, or a chapter: 05");
  check->add_flag("--all", request->all, "All exercises of the course");
  check->add_flag("--task", request->task, "Only say what is asked, and which file to edit");
  check->add_option(
      "--backend", request->backend, "cpu or gpu; default: the GPU where there is one");
  check->add_option(
      "--workspace", request->workspace, "The folder with your files; default: workspace/");
  CLI::Option *file =
      check->add_option("--file", request->file, "Somebody's file, wherever it lies: behind walls");
  check->add_option("--extra-checks", request->extra_checks, "With --file: hidden checks, too")
      ->needs(file);
  check->add_option("--json", request->json, "Also write the results to this file; -: to stdout");
  check->add_option("--seed", request->seed, "Of the random inputs (default 2026)");
  check->callback([request, &command] {
    command = [request](const Course &course) { return commands::check(course, *request); };
  });
}

void add_author(CLI::App &app, std::function<Exit(const Course &)> &command) {
  auto request = std::make_shared<AuthorRequest>();
  AuthorRequest &r = *request;
  CLI::App *author = app.add_subcommand(
      "author", "For authors: print, store and prove answers of exercises: author --prove 05.2");
  author->add_option(
      "ID", r.exercises, "05.2 or block_sum; with --prove or --time also chapters, or none: all");
  author->add_option("--from", r.from, "Store this solved file as the answer");
  CLI::Option *wrong =
      author->add_option("--wrong", r.wrong, "The name of a wrong answer; without: the solution");
  author->add_option("--right", r.right, "The name of a right answer in another style")
      ->excludes(wrong);
  author->add_option("--style", r.style, "Why somebody writes it so, in a line");
  author->add_option("--mistake", r.mistake, "Why a beginner writes it, in a line");
  author->add_option("--verdict", r.verdict, "What it must get: \"hazard shared_race\"");
  author->add_option("--clang", r.with_clang, "What it gets with clang, if that is another");
  author->add_option("--says", r.says, "Words that the message must have, if that matters");
  author->add_option("--gpu", r.gpu, "fail or passes: what it gets on a GPU");
  author->add_option("--new", r.fresh_chapter, "Begin a chapter: --new 13_stencil");
  author->add_flag("--restub", r.restub, "The stub has changed: carry its answers over");
  author->add_flag("--prove", r.prove, "Prove that the exercises hold");
  author->add_option("--seeds", r.seeds, "Check what is right with seeds 1 to N")
      ->check(CLI::Range(1, 100'000));
  author->add_flag("--time", r.time, "Measure from saving a file to its verdict");
  author->add_flag("--built", r.built, "The checkers are built already");
  author->add_option("--backend", r.backend, "With --prove or --time: cpu (default) or gpu");
  author->add_option("--json", r.json, "With --prove: write what each variant got to this file");
  author->callback([request, &command] {
    command = [request](const Course &course) { return commands::author(course, *request); };
  });
}

} // namespace

void add_exercise_commands(CLI::App &app, std::function<Exit(const Course &)> &command) {
  add_check(app, command);
  add_author(app, command);
}

} // namespace tutor::commands
