#include "commands/exercises.hpp"

#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/merge.hpp"
#include "exercises/diff.hpp"

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace tutor::commands {
namespace {

/// The stub as git has it.
std::string committed_stub(const Course &course, const Exercise &exercise) {
  require_program("git", "git");
  const std::string file = fs::relative(exercise.stub, course.root()).generic_string();
  const Captured shown = capture({"git", "show", "HEAD:./" + file}, course.root());
  if (shown.exit_code != 0) {
    throw Failure(Exit::failed, fmt::format("git has no earlier {}: {}", file, shown.output));
  }
  return shown.output;
}

} // namespace

Exit restub(const Course &course, const Exercise &exercise) {
  const std::string before = committed_stub(course, exercise);
  const std::string now = read_file(exercise.stub);
  std::size_t left = 0;
  const auto carry = [&](const fs::path &file,
                         const std::string &name,
                         const std::string &written,
                         const auto &store) {
    const Merge merge = merge_texts(before, written, now);
    if (merge.conflicts > 0) {
      ++left;
      fmt::print(
          "{}{}: it changes the same lines; store it anew with --from\n", file.string(), name);
    } else {
      store(merge.text);
    }
  };
  Solution solution = read_solution(exercise.solution);
  carry(exercise.solution,
        "",
        apply_solution(solution, before, exercise.solution),
        [&](const std::string &text) {
          make_changes(solution, exercise.file_name(), now, text);
          write_file(exercise.solution, to_text(solution));
          fmt::print("{}\n", exercise.solution.string());
        });
  std::vector<StoredAnswer> answers = read_answers(exercise.answers);
  for (StoredAnswer &answer : answers) {
    if (answer.bodies.empty()) { // bodies stand in the place of the TODO, wherever that is
      carry(exercise.answers,
            ": " + answer.name,
            written_out(answer, before, exercise.stub, exercise.answers),
            [&](const std::string &text) { take_from(answer, now, exercise.stub, text); });
    }
  }
  write_file(exercise.answers, to_toml(answers));
  fmt::print("{}\n", exercise.answers.string());
  return left == 0 ? Exit::ok : Exit::failed;
}

} // namespace tutor::commands
