#include "commands/learner.hpp"
#include "loop/state.hpp"

#include <fmt/format.h>

namespace tutor::commands {
namespace {

std::string text_of(const Update &update) {
  const std::string file = typed_path(update.file);
  const std::string before =
      update.backup.empty() ? "" : fmt::format(" (before: {})", typed_path(update.backup));
  switch (update.kind) {
  case Update::Kind::current:
    break;
  case Update::Kind::replaced:
    return fmt::format("{}: not begun yet; it is the new stub now", file);
  case Update::Kind::merged:
    return fmt::format("{}: the course's changes are in your file{}", file, before);
  case Update::Kind::conflict:
    return fmt::format("{}: you and the course changed the same lines in {} place{}: look for "
                       "<<<<<<< and keep what is right{}",
                       file,
                       update.conflicts,
                       update.conflicts == 1 ? "" : "s",
                       before);
  case Update::Kind::moved:
    return fmt::format("{}: was {} before", file, update.was);
  }
  return "";
}

/// Files of exercises that the course calls by another name now.
std::size_t adopt_renamed(const std::vector<Exercise> &exercises, const Workspace &workspace) {
  std::size_t adopted = 0;
  for (const std::string &was : workspace.orphans(exercises)) {
    for (const Exercise &exercise : exercises) {
      const std::optional<Update> update = workspace.adopt(was, exercise);
      if (!update) {
        continue;
      }
      StateFile(workspace.folder()).change([&](LearnerState &state) {
        if (auto known = state.exercises.extract(was); !known.empty()) {
          known.key() = exercise.id();
          state.exercises.insert(std::move(known));
        }
      });
      fmt::print("{}\n", text_of(*update));
      ++adopted;
      break;
    }
  }
  return adopted;
}

} // namespace

Exit update(const Course &course, const LearnerRequest &request) {
  const std::vector<Exercise> exercises = exercises_of(course);
  const Workspace workspace = Workspace::of(course, request.workspace);
  std::size_t changed = adopt_renamed(exercises, workspace);
  bool conflict = false;
  for (const Exercise &exercise : exercises) {
    const Update update = workspace.update(exercise);
    if (update.kind != Update::Kind::current) {
      fmt::print("{}\n", text_of(update));
      conflict = conflict || update.kind == Update::Kind::conflict;
      ++changed;
    }
  }
  if (changed == 0) {
    fmt::print("Your files are up to date with the course.\n");
  }
  return conflict ? Exit::failed : Exit::ok;
}

} // namespace tutor::commands
