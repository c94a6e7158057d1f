#include "base/build.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "commands/learner.hpp"
#include "loop/hints.hpp"
#include "loop/screens.hpp"
#include "loop/state.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutor::commands {
namespace {

bool built(const Course &course, const Chapter &chapter, Backend backend) {
  return fs::exists(Build(course.root(), backend).program(chapter));
}

/// What the listing is about.
struct Listing {
  const Course &course;
  std::vector<Exercise> exercises;
  Workspace workspace;
  LearnerState state;

  bool changed_since_pass(const Exercise &exercise) const {
    const ExerciseState &its = state.of(exercise.id());
    return its.passed && its.stub_sha256 != sha256(read_file(exercise.stub));
  }
};

nlohmann::ordered_json json_of(const Listing &listing, const Exercise &exercise) {
  const ExerciseState &its = listing.state.of(exercise.id());
  return {{"id", exercise.id()},
          {"number", exercise.short_id()},
          {"title", exercise.card.title},
          {"minutes", exercise.card.minutes},
          {"file", listing.workspace.file(exercise).string()},
          {"begun", !listing.workspace.untouched(exercise)},
          {"passed", its.passed},
          {"changed_since", listing.changed_since_pass(exercise)},
          {"verdict", name_of(its.verdict)},
          {"diagnosis", its.diagnosis},
          {"hints", {{"shown", its.hints.size()}, {"all", exercise.card.hints.size()}}},
          {"guesses",
           {{"right", its.score().right},
            {"made", its.score().made},
            {"all", exercise.card.predictions.size()}}}};
}

void print_json(const Listing &listing) {
  nlohmann::ordered_json chapters = nlohmann::ordered_json::array();
  for (const Chapter &chapter : listing.course.chapters()) {
    nlohmann::ordered_json exercises = nlohmann::ordered_json::array();
    for (const Exercise &exercise : listing.exercises) {
      if (exercise.chapter == chapter.id) {
        exercises.push_back(json_of(listing, exercise));
      }
    }
    chapters.push_back({
        {"id", chapter.id},
        {"number", chapter.number},
        {"title", chapter.title},
        {"folder", fs::relative(chapter.folder, listing.course.root()).generic_string()},
        {"steps", each(chapter.steps, &Step::name)},
        {"built",
         {{"cpu", built(listing.course, chapter, Backend::cpu)},
          {"gpu", built(listing.course, chapter, Backend::gpu)}}},
        {"exercises", exercises},
    });
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"version", 1}, {"chapters", chapters}}.dump(2));
}

void print_exercise(const Listing &listing, const Exercise &exercise, std::size_t width) {
  const ExerciseState &its = listing.state.of(exercise.id());
  const std::string padding(width - columns_of(exercise.card.title), ' ');
  const std::string state = state_text(its, exercise.card, listing.changed_since_pass(exercise));
  print_lines({Line({{its.passed ? "  x " : "    ", Style::green},
                     {exercise.short_id() + "  ", Style::faint},
                     {exercise.card.title + padding + "  "},
                     {state, its.passed ? Style::green : Style::plain}})});
}

void print_table(const Listing &listing) {
  std::size_t width = 0, title_width = 0;
  for (const Chapter &chapter : listing.course.chapters()) {
    width = std::max(width, chapter.id.size());
  }
  for (const Exercise &exercise : listing.exercises) {
    title_width = std::max(title_width, columns_of(exercise.card.title));
  }
  for (const Chapter &chapter : listing.course.chapters()) {
    const bool ready = built(listing.course, chapter, Backend::cpu) ||
                       built(listing.course, chapter, Backend::gpu);
    fmt::print("{}  {:>2} steps  {:<13}  {}\n",
               bold(fmt::format("{:<{}}", chapter.id, width)),
               chapter.steps.size(),
               ready ? "built" : "not built yet",
               chapter.title);
    for (const Exercise &exercise : listing.exercises) {
      if (exercise.chapter == chapter.id) {
        print_exercise(listing, exercise, title_width);
      }
    }
  }
}

/// What to do next: the first exercise that has not passed, or a chapter to run.
void print_next(const Listing &listing) {
  std::size_t passed = 0;
  const Exercise *next = nullptr;
  for (const Exercise &exercise : listing.exercises) {
    const bool done = listing.state.of(exercise.id()).passed;
    passed += done;
    next = next == nullptr && !done ? &exercise : next;
  }
  if (!listing.exercises.empty()) {
    fmt::print("\n{} of {} exercises passed.\n", passed, listing.exercises.size());
  }
  if (next != nullptr) {
    fmt::print("Next: ./tutor learn {}, {}\n", next->short_id(), next->card.title);
  } else if (listing.exercises.empty() && !listing.course.chapters().empty()) {
    fmt::print("\nNext: ./tutor run {}\n", listing.course.chapters().front().id);
  }
}

} // namespace

Exit list(const Course &course, const LearnerRequest &request) {
  const Workspace workspace = Workspace::of(course, request.workspace);
  StateFile file(workspace.folder());
  const Listing listing{course, exercises_of(course), workspace, file.load()};
  if (!file.notice().empty()) {
    fmt::print(stderr, "tutor: {}\n", file.notice());
  }
  if (request.json) {
    print_json(listing);
  } else {
    print_table(listing);
    print_next(listing);
  }
  return Exit::ok;
}

} // namespace tutor::commands
