#include "commands/exercises.hpp"

#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/merge.hpp"
#include "exercises/proof.hpp"
#include "exercises/solution.hpp"

#include <fmt/format.h>

namespace tutor::commands {
namespace {

/// The stub as git has it.
std::string committed_stub(const Course &course, const Exercise &exercise) {
  require_program("git", "git");
  const std::string file = fs::relative(exercise.stub, course.root()).generic_string();
  const Captured shown = capture({"git", "show", "HEAD:./" + file}, course.root());
  if (shown.exit_code != 0) {
    throw failure("git has no earlier {}: {}", file, shown.output);
  }
  return shown.output;
}

/// Answers stand where the TODO is, or where the solution's lines are. Written anew: a body may have become the shorter form.
Exit restore_answers(const Exercise &exercise) {
  const Ground ground = ground_of(exercise);
  std::vector<StoredAnswer> answers = read_answers(exercise.answers);
  std::size_t left = 0;
  for (StoredAnswer &answer : answers) {
    try {
      take_from(answer, ground, written_out(answer, ground, exercise.answers));
    } catch (const Failure &failure) {
      ++left;
      fmt::print("{}\n", failure.what());
    }
  }
  write_file(exercise.answers, to_toml(answers));
  fmt::print("{}\n", exercise.answers);
  return left == 0 ? Exit::ok : Exit::failed;
}

} // namespace

Exit restub(const Course &course, const Exercise &exercise) {
  const std::string before = committed_stub(course, exercise);
  const std::string now = read_file(exercise.stub);
  const std::string solved =
      apply_solution(read_solution(exercise.solution), before, exercise.solution);
  const Merge merge = merge_texts(before, solved, now);
  if (merge.conflicts > 0) {
    fmt::print("{}: it changes the same lines; store it anew with --from\n", exercise.solution);
    return Exit::failed;
  }
  write_file(exercise.solution, to_text(make_solution(exercise.id(), now, merge.text)));
  fmt::print("{}\n", exercise.solution);
  return restore_answers(exercise);
}

} // namespace tutor::commands
