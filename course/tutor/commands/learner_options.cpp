#include "base/text.hpp"
#include "commands/command_line.hpp"
#include "commands/learner.hpp"

namespace tutor::commands {

void add_learner_commands(CommandLine &line) {
  const auto add = [&](const char *name,
                       const char *what,
                       Exit (*command)(const Course &, const LearnerRequest &),
                       const auto &define) {
    line.add(name, what, command, [&](CLI::App &added, LearnerRequest &r) {
      added.add_option("--workspace", r.workspace, workspace_help);
      define(added, r);
    });
  };
  const auto exercise = [](CLI::App &added, LearnerRequest &r) {
    return added.add_option("ID", r.exercise, "05.2, block_sum or 05_reduction/block_sum");
  };
  const auto nothing = [](CLI::App &, LearnerRequest &) {};

  add("learn",
      "The loop: your next exercise, checked whenever you save",
      learn,
      [&](CLI::App &added, LearnerRequest &r) {
        exercise(added, r);
        added.add_option("--backend", r.backend, backend_help);
      });
  add("lesson",
      "A section of a lesson, in the terminal: lesson 05 v3; none: which there are",
      lesson,
      [](CLI::App &added, LearnerRequest &r) {
        added
            .add_option("WORDS",
                        r.words,
                        "A chapter, 05, and a section: its number, a step, an exercise, words of "
                        "its heading; or an exercise alone")
            ->required();
        added.add_flag("--all", r.all, "With what is folded: answers to predictions among it");
      });
  add("list",
      "The chapters, their exercises, and how far you are",
      list,
      [](CLI::App &added, LearnerRequest &r) { added.add_flag("--json", r.json, "As JSON"); });
  add("hint", "The next hint for an exercise", hint, [&](CLI::App &added, LearnerRequest &r) {
    exercise(added, r)->required();
    added.add_flag("--all", r.all, "All hints");
  });
  add("diff",
      "Your file against the course's solution",
      diff,
      [&](CLI::App &added, LearnerRequest &r) {
        exercise(added, r)->required();
        added.add_flag("--spoil", r.spoil, "Before you have passed, too");
      });
  add("predict",
      "Guess a count before you see it; of a chapter: the times on a GPU",
      predict,
      [](CLI::App &added, LearnerRequest &r) {
        added.add_option("ID", r.exercise, "An exercise (05.2), or a chapter (05)");
        added.add_option(
            "step", r.step, "Of a chapter: how many times as fast it is as the one before it (v3)");
        added.add_option("--on,--device", r.device, "Of a chapter: the device that times are for");
        added.add_option("--guess", r.guess, "The guess: 4, 0.5 or 1/32; default: you are asked");
      });
  add("reset",
      "Begin an exercise anew; your file is kept",
      reset,
      [&](CLI::App &added, LearnerRequest &r) { exercise(added, r)->required(); });
  add("update", "Bring what the course has changed into your files", update, nothing);
  add("editor", "Tell clangd, and so your editor, about the CUDA files", editor, nothing);
  line.add("completion",
           "Completion for bash, zsh or fish",
           completion,
           [&](CLI::App &added, LearnerRequest &r) {
             r.commands = [&line] {
               return each(line.app.get_subcommands([](const CLI::App *) { return true; }),
                           &CLI::App::get_name);
             };
             added.add_option("SHELL", r.shell, "bash, zsh or fish")->required();
           });
}

} // namespace tutor::commands
