#include "commands/observe.hpp"

#include "base/build.hpp"
#include "base/own_program.hpp"
#include "commands/exercises.hpp"
#include "times/time_model.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tutor::commands {
namespace {

/// A check observes the learner's file, and has the program that it lacks.
Exit observe_exercise(const Course &course, const ObserveRequest &request) {
  ObserveRequest plain;
  plain.target = request.target;
  if (request != plain) {
    throw wrong_usage("{} is an exercise, which its check observes: without options; those are for "
                      "chapters, and for .cu files with a main()",
                      request.target.front());
  }
  CheckRequest checked;
  checked.exercises = request.target;
  checked.backend = "cpu";
  return check(course, checked);
}

/// What the time model follows.
class Followed : public Follower {
public:
  Followed(const Course &course, const ObserveRequest &request, const fs::path &program)
      : model_(course,
               Build(course.root(), Backend::cpu).folder(),
               request.device,
               program.parent_path() / "model") {
    if (!is_own(request.target)) {
      model_.compile_chapter(course.find(request.target.front()));
      return;
    }
    std::vector<fs::path> sources, folders;
    for (std::size_t i = 0; i < request.target.size(); ++i) {
      const std::string &word = request.target[i];
      if (word.ends_with(".cu")) {
        sources.push_back(fs::absolute(word));
        folders.push_back(sources.back().parent_path());
      } else if (word == "-I" && i + 1 < request.target.size()) {
        folders.push_back(fs::absolute(request.target[++i]));
      } else if (word.starts_with("-I")) {
        folders.push_back(fs::absolute(word.substr(2)));
      }
    }
    model_.compile(sources, folders);
  }
  std::vector<std::string> variables() const override { return model_.environment(false); }
  std::string text() const override { return model_.kernels_text(); }
  void add_predictions(nlohmann::ordered_json &report) const override {
    model_.add_predictions(report);
  }

private:
  TimeModel model_;
};

} // namespace

Exit observe_in_full(const Course &course, const ObserveRequest &request) {
  if (!is_own(request.target) &&
      std::ranges::any_of(exercises_of(course), [&](const Exercise &exercise) {
        return exercise.is_meant_by(only_word(request.target));
      })) {
    return observe_exercise(course, request);
  }
  if (request.device.empty()) {
    return observe_program(course, request, nullptr); // which says that there is no such target
  }
  return observe_program(course, request, [&](const fs::path &program) {
    Build(course.root(), Backend::cpu).build("launch_collector", "building the time model");
    return std::make_unique<Followed>(course, request, program);
  });
}

} // namespace tutor::commands
