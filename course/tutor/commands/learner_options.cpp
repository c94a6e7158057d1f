#include "commands/learner.hpp"

#include <CLI/CLI.hpp>
#include <memory>

namespace tutor::commands {
namespace {

using Function = Exit (*)(const Course &, const LearnerRequest &);

/// Where commands are added, and what they share.
struct Table {
  CLI::App &app;
  std::shared_ptr<LearnerRequest> request; ///< lives as long as the callbacks
  std::function<Exit(const Course &)> &command;

  CLI::App *add(const char *name, const char *what, Function function) {
    CLI::App *added = app.add_subcommand(name, what);
    added->add_option(
        "--workspace", request->workspace, "The folder with your files; default: workspace/");
    added->callback([request = request, &command = command, function] {
      command = [request, function](const Course &course) { return function(course, *request); };
    });
    return added;
  }

  void add_exercise(CLI::App *added, bool required) {
    added->add_option("ID", request->exercise, "05.2, block_sum or 05_reduction/block_sum")
        ->required(required);
  }
};

} // namespace

void add_learner_commands(CLI::App &app, std::function<Exit(const Course &)> &command) {
  Table table{app, std::make_shared<LearnerRequest>(), command};
  LearnerRequest &r = *table.request;

  CLI::App *added = table.add("learn",
                              "The loop: your next exercise, checked whenever you save",
                              [](auto &course, auto &request) { return learn(course, request); });
  table.add_exercise(added, false);
  added->add_option("--backend", r.backend, "cpu or gpu; default: the GPU where there is one");

  added = table.add("list", "The chapters, their exercises, and how far you are", list);
  added->add_flag("--json", r.json, "As JSON");

  added = table.add("hint", "The next hint for an exercise", hint);
  table.add_exercise(added, true);
  added->add_flag("--all", r.all, "All hints");

  added = table.add("diff", "Your file against the course's solution", diff);
  table.add_exercise(added, true);
  added->add_flag("--spoil", r.spoil, "Before you have passed, too");

  added = table.add(
      "predict", "Guess a count before you see it; of a chapter: the times on a GPU", predict);
  added->add_option("ID", r.exercise, "An exercise (05.2), or a chapter (05)");
  added->add_option(
      "step", r.step, "Of a chapter: how many times as fast it is as the one before it (v3)");
  added->add_option("--on,--device", r.device, "Of a chapter: the device that times are for");
  added->add_option("--guess", r.guess, "The guess: 4, 0.5 or 1/32; default: you are asked");

  added = table.add("reset", "Begin an exercise anew; your file is kept", reset);
  table.add_exercise(added, true);

  table.add("update", "Bring what the course has changed into your files", update);
  table.add("editor", "Tell clangd, and so your editor, about the CUDA files", editor);

  CLI::App *shells = app.add_subcommand("completion", "Completion for bash, zsh or fish");
  shells->add_option("SHELL", r.shell, "bash, zsh or fish")->required();
  shells->callback([request = table.request, &command, &app] {
    command = [request, &app](const Course &course) {
      return completion(course, app, request->shell);
    };
  });
}

} // namespace tutor::commands
