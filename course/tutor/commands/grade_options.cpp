#include "commands/command_line.hpp"
#include "commands/grade.hpp"

namespace tutor::commands {
namespace {

void define_grade(CLI::App &grade, GradeRequest &r) {
  grade.add_option("DIR", r.folder, "The folder with a folder for each student")->required();
  grade.add_option("--out", r.out, "The report to write");
  grade
      .add_option("--class",
                  r.class_file,
                  "A TOML file with weights, due dates, what lateness costs, exceptions")
      ->check(CLI::ExistingFile);
  grade.add_option(
      "--own-lines",
      r.own_lines,
      "Grade nothing: write to this folder what students added to the stubs, to look for copies");
  grade.add_option("--format",
                   r.format,
                   "json, csv, junit or gradescope; default: by the ending of --out, else json");
  grade.add_option(
      "--extra-checks", r.extra_checks, "A folder with hidden checks, CHAPTER/NAME.extra.cu");
  grade.add_option("--exercise", r.exercises, "What to grade; default: what was handed in");
  grade
      .add_option("--seed",
                  r.seed,
                  "Students' seeds are derived from it and their names; default: drawn once, and "
                  "kept beside the report")
      ->check(whole_number);
  grade.add_option(
      "--regrade", r.regrade, "Students or exercises to grade anew; the others are kept");
  CLI::Option *shard = grade.add_option(
      "--shard", r.shard, "I/N: only the I-th of N parts of the class, on a cluster say");
  grade.add_flag("--merge", r.merge, "Write the report of what --shard has graded")
      ->excludes(shard);
  grade.add_option("--jobs", r.jobs, "How many to grade at a time; default: all processors")
      ->check(CLI::Range(1, 1024));
  grade.add_option("--backend", r.backend, "cpu (default) or gpu");
  grade.add_flag("--one-process",
                 r.one_process,
                 "With --backend gpu: accept that submissions share a process with their checker");
  grade.add_flag("--fresh,!--resume",
                 r.fresh,
                 "Grade anew what an earlier run has graded; --resume, the default, goes on");
}

} // namespace

void add_grade_command(CommandLine &line) {
  line.add("grade", "Grade a class: grade submissions --out grades.csv", grade, define_grade);
}

} // namespace tutor::commands
