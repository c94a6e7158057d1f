#include "commands/command_line.hpp"
#include "commands/exercises.hpp"

namespace tutor::commands {
namespace {

void define_check(CLI::App &check, CheckRequest &r) {
  check.add_option("ID", r.exercises, "05.2, block_sum, or a chapter: 05");
  check.add_flag("--all", r.all, "All exercises of the course");
  check.add_flag("--task", r.task, "Only say what is asked, and which file to edit");
  check.add_flag("--picture", r.picture, "Draw the request that costs too much: NAME.svg");
  check.add_option("--backend", r.backend, backend_help);
  check.add_option("--workspace", r.workspace, workspace_help);
  CLI::Option *file =
      check.add_option("--file", r.file, "Somebody's file, wherever it lies: behind walls");
  check.add_option("--extra-checks", r.extra_checks, "With --file: hidden checks, too")
      ->needs(file);
  check.add_option("--json", r.json, "Also write the results to this file; -: to stdout");
  check.add_option("--seed", r.seed, "Of the random inputs (default 2026)")->check(whole_number);
}

void define_author(CLI::App &author, AuthorRequest &r) {
  author.add_option(
      "ID", r.exercises, "05.2 or block_sum; with --prove or --time also chapters, or none: all");
  author.add_option("--from", r.from, "Store this solved file as the answer");
  CLI::Option *wrong =
      author.add_option("--wrong", r.wrong, "The name of a wrong answer; without: the solution");
  author.add_option("--right", r.right, "The name of a right answer in another style")
      ->excludes(wrong);
  author.add_option("--style", r.style, "Why somebody writes it so, in a line");
  author.add_option("--mistake", r.mistake, "Why a beginner writes it, in a line");
  author.add_option("--verdict", r.verdict, "What it must get: \"hazard shared_race\"");
  author.add_option("--clang", r.with_clang, "What it gets with clang, if that is another");
  author.add_option("--says", r.says, "Words that the message must have, if that matters");
  author.add_option("--gpu", r.gpu, "fail or passes: what it gets on a GPU");
  author.add_option(
      "--new", r.fresh, "Begin a chapter: --new 13_stencil, or an exercise: --new 01/any_shape");
  author.add_flag("--restub", r.restub, "The stub has changed: carry its answers over");
  author.add_flag("--prove", r.prove, "Prove that the exercises hold");
  author.add_option("--seeds", r.seeds, "Check what is right with seeds 1 to N")
      ->check(CLI::Range(1, 100'000));
  author.add_flag("--time", r.time, "Measure from saving a file to its verdict");
  author.add_flag("--built", r.built, "The checkers are built already");
  author.add_option("--backend", r.backend, "With --prove or --time: cpu (default) or gpu");
  author.add_option(
      "--messages", r.messages, "With --prove: write what learners read of each to this file");
  author.add_option(
      "--json",
      r.json,
      "With --prove: write what each variant got to this file; with --time the seconds");
}

} // namespace

void add_exercise_commands(CommandLine &line) {
  line.add("check", "Check your files of exercises: check 05.2", check, define_check);
  line.add("author",
           "For authors: answers of exercises (author --prove 05.2), and author lessons",
           author,
           define_author);
}

} // namespace tutor::commands
