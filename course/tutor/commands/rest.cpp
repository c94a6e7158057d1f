#include "commands/rest.hpp"

#include "base/process.hpp"
#include "commands/commands.hpp"
#include "commands/exercises.hpp"
#include "commands/grade.hpp"
#include "commands/learner.hpp"
#include "commands/observe.hpp"

/// \file
/// In the place of the commands that the small tutor lacks: the whole one does them, and is built where it is not there yet.
/// Weak, as the whole one has this beside its own.

namespace tutor::commands {
namespace {

fs::path beside_this() { return fs::canonical("/proc/self/exe").parent_path() / "tutor_whole"; }

fs::path whole_tutor(const Course &course) {
  const fs::path program = beside_this();
  if (!fs::exists(program)) {
    Build(course.root(), Backend::cpu).build("tutor_whole", "building the rest of the tutor");
  }
  return program;
}

Exit hand_over(const Course &course) {
  Command command{whole_tutor(course).string()};
  append(command, words_of_this_run);
  become(command);
}

} // namespace

[[gnu::weak]] bool time_model_is_built(const Build &build) {
  return fs::exists(beside_this()) &&
         fs::exists(build.folder() / "course/time_model/liblaunch_collector.so");
}

[[gnu::weak]] Exit
predict_times(const Course &course, const Chapter &chapter, const ChapterRequest &request) {
  Command command{whole_tutor(course).string(),
                  "run",
                  chapter.id,
                  "--times",
                  request.times.empty() ? "-" : request.times};
  if (!request.device.empty()) {
    append(command, {"--on", request.device});
  }
  command.emplace_back("--");
  append(command, request.arguments);
  return static_cast<Exit>(tutor::run(command));
}

[[gnu::weak]] Exit observe_in_full(const Course &course, const ObserveRequest &) {
  return hand_over(course);
}
[[gnu::weak]] Exit predictions(const Course &course, const ChapterRequest &) {
  return hand_over(course);
}
[[gnu::weak]] Exit calibrate(const Course &course, const ChapterRequest &) {
  return hand_over(course);
}
[[gnu::weak]] Exit learn(const Course &course, const LearnerRequest &) { return hand_over(course); }
[[gnu::weak]] Exit test(const Course &course, const TestRequest &) { return hand_over(course); }
[[gnu::weak]] Exit export_step(const Course &course, const ChapterRequest &) {
  return hand_over(course);
}
[[gnu::weak]] Exit lesson(const Course &course, const LearnerRequest &) {
  return hand_over(course);
}
[[gnu::weak]] Exit list(const Course &course, const LearnerRequest &) { return hand_over(course); }
[[gnu::weak]] Exit hint(const Course &course, const LearnerRequest &) { return hand_over(course); }
[[gnu::weak]] Exit diff(const Course &course, const LearnerRequest &) { return hand_over(course); }
[[gnu::weak]] Exit reset(const Course &course, const LearnerRequest &) { return hand_over(course); }
[[gnu::weak]] Exit update(const Course &course, const LearnerRequest &) {
  return hand_over(course);
}
[[gnu::weak]] Exit predict(const Course &course, const LearnerRequest &) {
  return hand_over(course);
}
[[gnu::weak]] Exit editor(const Course &course, const LearnerRequest &) {
  return hand_over(course);
}
[[gnu::weak]] Exit completion(const Course &course, const LearnerRequest &) {
  return hand_over(course);
}
[[gnu::weak]] Exit check(const Course &course, const CheckRequest &) { return hand_over(course); }
[[gnu::weak]] Exit author(const Course &course, const AuthorRequest &) { return hand_over(course); }
[[gnu::weak]] Exit grade(const Course &course, const GradeRequest &) { return hand_over(course); }

} // namespace tutor::commands
