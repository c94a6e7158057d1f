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

#define HAND_OVER(COMMAND, Request) \
  [[gnu::weak]] Exit COMMAND(const Course &course, const Request &) { return hand_over(course); }
HAND_OVER(observe_in_full, ObserveRequest)
HAND_OVER(predictions, ChapterRequest)
HAND_OVER(calibrate, ChapterRequest)
HAND_OVER(export_step, ChapterRequest)
HAND_OVER(test, TestRequest)
HAND_OVER(learn, LearnerRequest)
HAND_OVER(lesson, LearnerRequest)
HAND_OVER(list, LearnerRequest)
HAND_OVER(hint, LearnerRequest)
HAND_OVER(diff, LearnerRequest)
HAND_OVER(reset, LearnerRequest)
HAND_OVER(update, LearnerRequest)
HAND_OVER(predict, LearnerRequest)
HAND_OVER(editor, LearnerRequest)
HAND_OVER(completion, LearnerRequest)
HAND_OVER(check, CheckRequest)
HAND_OVER(author, AuthorRequest)
HAND_OVER(grade, GradeRequest)
#undef HAND_OVER

} // namespace tutor::commands
