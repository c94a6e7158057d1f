#include "commands/grade.hpp"

#include <CLI/CLI.hpp>
#include <memory>

namespace tutor::commands {

void add_grade_command(CLI::App &app, std::function<Exit(const Course &)> &command) {
  auto request = std::make_shared<GradeRequest>();
  CLI::App *grade =
      app.add_subcommand("grade", "Grade a class: grade submissions --out grades.csv");
  grade->add_option("DIR", request->folder, "The folder with a folder for each student")
      ->required();
  grade->add_option("--out", request->out, "The report to write");
  grade
      ->add_option("--class",
                   request->class_file,
                   "A TOML file with weights, due dates, what lateness costs, exceptions")
      ->check(CLI::ExistingFile);
  grade->add_option(
      "--own-lines",
      request->own_lines,
      "Grade nothing: write to this folder what students added to the stubs, to look for copies");
  grade->add_option("--format",
                    request->format,
                    "json, csv, junit or gradescope; default: by the ending of --out, else json");
  grade->add_option("--extra-checks",
                    request->extra_checks,
                    "A folder with hidden checks, CHAPTER/NAME.extra.cu");
  grade->add_option("--exercise", request->exercises, "What to grade; default: what was handed in");
  grade->add_option("--seed",
                    request->seed,
                    "Students' seeds are derived from it and their names; default: drawn once, and "
                    "kept beside the report");
  grade->add_option(
      "--regrade", request->regrade, "Students or exercises to grade anew; the others are kept");
  CLI::Option *shard = grade->add_option(
      "--shard", request->shard, "I/N: only the I-th of N parts of the class, on a cluster say");
  grade->add_flag("--merge", request->merge, "Write the report of what --shard has graded")
      ->excludes(shard);
  grade->add_option("--jobs", request->jobs, "How many to grade at a time; default: all processors")
      ->check(CLI::Range(1, 1024));
  grade->add_option("--backend", request->backend, "cpu (default) or gpu");
  grade->add_flag("--one-process",
                  request->one_process,
                  "With --backend gpu: accept that submissions share a process with their checker");
  grade->add_flag("--fresh,!--resume",
                  request->fresh,
                  "Grade anew what an earlier run has graded; --resume, the default, goes on");
  grade->callback([request, &command] {
    command = [request](const Course &course) { return commands::grade(course, *request); };
  });
}

} // namespace tutor::commands
