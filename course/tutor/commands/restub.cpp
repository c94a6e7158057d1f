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
  std::vector<fs::path> answers = exercise.wrong_answers;
  answers.insert(answers.end(), exercise.right_answers.begin(), exercise.right_answers.end());
  answers.push_back(exercise.solution);
  for (const fs::path &file : answers) {
    Answer answer = read_answer(file);
    const Merge merge = merge_texts(before, apply_answer(answer, before, file), now);
    if (merge.conflicts > 0) {
      ++left;
      fmt::print("{}: it changes the same lines; store it anew with --from\n", file.string());
      continue;
    }
    make_changes(answer, exercise.file_name(), now, merge.text);
    write_file(file, to_text(answer));
    fmt::print("{}\n", file.string());
  }
  return left == 0 ? Exit::ok : Exit::failed;
}

} // namespace tutor::commands
