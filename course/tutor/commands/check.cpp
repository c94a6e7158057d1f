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
#include "loop/screens.hpp"
#include "loop/state.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace tutor::commands {
namespace {

/// The line with the verdict.
void print_head(const Exercise &exercise, const Result &result) {
  bool passed = result.verdict == Verdict::pass;
  std::string verdict(name_of(result.verdict));
  fmt::print("{} {} {:<24} {} of {} cases passed, {:.1f} s\n",
             passed ? green(fmt::format("{:<11}", verdict)) : red(fmt::format("{:<11}", verdict)),
             exercise.short_id(),
             exercise.name,
             result.passed_cases(),
             result.cases.size(),
             result.seconds);
}

/// What the tool has said, without its first line where the message has repeated that.
std::string unsaid_log(const Result &result) {
  const std::string first = result.log.substr(0, result.log.find('\n'));
  const std::string what = result.message.substr(result.message.find(": ") + 1);
  const bool said = first.ends_with("error:" + what);
  return said ? result.log.substr(std::min(first.size() + 1, result.log.size())) : result.log;
}

void print(const Exercise &exercise, const Result &result, const std::string &source) {
  print_head(exercise, result);
  const std::string message = grading::printable(result.message, true);
  const std::size_t columns = std::min<std::size_t>(print_columns(), 88);
  if (result.verdict == Verdict::pass) {
    print_lines(message.empty() ? Lines() : paragraph(message, columns, 2));
    return;
  }
  if (isatty(STDOUT_FILENO) != 0) {
    fmt::print("  {}\n", bold(result.diagnosis));
    print_lines(paragraph(message, columns, 2));
  } else {
    fmt::print("  {}: {}\n", result.diagnosis, message);
  }
  if (result.verdict == Verdict::hazard || result.verdict == Verdict::fail) {
    print_lines(place_lines(exercise, result, source, print_columns()));
    print_lines(other_failures(result, print_columns()));
  }
  if (result.verdict == Verdict::build_error || result.verdict == Verdict::not_run) {
    fmt::print("{}", faint(grading::printable(unsaid_log(result), true)));
  }
  fmt::print(
      "  {}\n",
      faint(fmt::format("seed {}; a hint: ./tutor hint {}", result.seed, exercise.short_id())));
}

/// A file as it came: what is wrong with it is said once the learner has thought about it.
void print_first_look(const Exercise &exercise, const Result &result, const fs::path &file) {
  print_head(exercise, result);
  print_lines(paragraph(
      fmt::format("{}: {} is untouched. Fill in what its TODO asks for (./tutor check {} --task); "
                  "from the next check on you read what is wrong, and where.",
                  result.diagnosis,
                  typed_path(file),
                  exercise.short_id()),
      std::min<std::size_t>(print_columns(), 88),
      2));
}

void print_task(const Exercise &exercise, const Workspace &workspace) {
  print_lines({Line(fmt::format("{} {}", exercise.short_id(), exercise.card.title), Style::bold)});
  print_lines(task_lines(exercise, typed_path(workspace.file(exercise)), print_columns()));
  print_lines({Line("")});
}

void write(const std::string &file, const std::vector<Result> &results) {
  if (file == "-") {
    fmt::print("{}", to_json(results));
  } else {
    write_file(fs::absolute(file), to_json(results));
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
  prepare_checks({exercise}, options);
  put_up_walls(options, course);
  const Result result = tutor::check(exercise, *request.file, options);
  if (request.json != "-") {
    const std::string text = fs::is_regular_file(*request.file) ? read_file(*request.file) : "";
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
    throw wrong_usage("name the exercises to check, as 05.2 or block_sum, or say --all");
  }
  CheckOptions options;
  options.backend = choose_backend(request.backend);
  options.seed = request.seed;
  options.picture = request.picture;
  std::vector<Exercise> exercises = find_exercises(course, request.exercises);
  if (request.file) {
    if (exercises.size() != 1) {
      throw wrong_usage("--file is one exercise's: name that one, as 05.2 or block_sum");
    }
    return check_file(course, exercises.front(), request, options);
  }
  Workspace workspace = Workspace::of(course, request.workspace);
  const bool quiet = request.json == "-";
  for (const Exercise &exercise : exercises) {
    const bool begins = !fs::exists(workspace.file(exercise));
    workspace.open(exercise);
    if (!quiet && (request.task || (begins && exercises.size() == 1))) {
      print_task(exercise, workspace);
    }
  }
  if (request.task) {
    return Exit::ok;
  }
  prepare_checks(exercises, options);

  std::vector<Result> results;
  bool all_passed = true;
  const LearnerState before = StateFile(workspace.folder()).load();
  for (const Exercise &exercise : exercises) {
    results.push_back(tutor::check(exercise, workspace.file(exercise), options));
    const Result &result = results.back();
    if (!result.picture_svg.empty()) {
      const fs::path svg = fs::path(workspace.file(exercise)).replace_extension(".svg");
      write_file(svg, result.picture_svg);
      fmt::print("{}\n", typed_path(svg));
    } else if (request.picture && result.verdict != Verdict::pass && !quiet) {
      fmt::print("nothing to draw: only a line whose requests cost too much has a picture\n");
    }
    all_passed &= result.verdict == Verdict::pass;
    if (!quiet) {
      if (is_first_look(workspace, exercise, before, result)) {
        print_first_look(exercise, result, workspace.file(exercise));
      } else {
        print(exercise, result, read_file(workspace.file(exercise)));
      }
      if (result.verdict != Verdict::pass && workspace.outdated(exercise)) {
        fmt::print(
            "  The course has changed this exercise since you began it: ./tutor update brings "
            "that into your file, and keeps the old one.\n");
      }
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

} // namespace tutor::commands
