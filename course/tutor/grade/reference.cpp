#include "grade/reference.hpp"
#include "grade/credit.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"
#include "exercises/proof.hpp"

#include <algorithm>

namespace tutor::grading {
namespace {

Result demand_pass(const Assigned &assigned, const CheckOptions &options, const fs::path &solved) {
  Result result = check(assigned.exercise, solved, options);
  if (result.verdict != Verdict::pass && !options.stop.stop_requested()) {
    throw failure("the solution of {} does not pass {} ({} {}): {}{}",
                  assigned.exercise.id(),
                  result.by_hidden ? assigned.extra_check.string() : "its own checks",
                  name_of(result.verdict),
                  result.diagnosis,
                  result.message,
                  result.log.empty() ? "" : "\n" + result.log);
  }
  return result;
}

} // namespace

void add_extra_checks(std::vector<Assigned> &assigned,
                      const Course &course,
                      const fs::path &folder) {
  constexpr std::string_view ending = ".extra.cu";
  if (!fs::is_directory(folder)) {
    throw wrong_usage("there is no folder {}", folder);
  }
  const std::vector<Exercise> all = exercises_of(course);
  bool found = false;
  fs::path misspelt;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name.starts_with(".")) {
      continue;
    }
    if (!name.ends_with(ending)) {
      misspelt = entry.path().extension() == ".cu" ? entry.path() : misspelt;
      continue;
    }
    found = true;
    const std::string id = entry.path().parent_path().filename().string() + "/" +
                           name.substr(0, name.size() - ending.size());
    if (std::ranges::find(all, id, &Exercise::id) == all.end()) {
      throw wrong_usage("{} belongs to no exercise; it has to be called CHAPTER/NAME.extra.cu",
                        entry.path());
    }
    auto mine =
        std::ranges::find(assigned, id, [](const Assigned &one) { return one.exercise.id(); });
    if (mine != assigned.end()) {
      if (!mine->extra_check.empty()) {
        throw wrong_usage("{} and {} are of the same exercise: put their cases into one file",
                          mine->extra_check,
                          entry.path());
      }
      mine->extra_check = fs::canonical(entry.path());
    }
  }
  if (!found) {
    throw wrong_usage("{} holds no hidden check (CHAPTER/NAME.extra.cu)", folder);
  }
  if (!misspelt.empty()) {
    throw wrong_usage(
        "{} is no hidden check: those are called CHAPTER/NAME.extra.cu, and what they "
        "include .hpp or .cuh",
        misspelt);
  }
}

CheckOptions options_for(const Assigned &assigned, const CheckOptions &options) {
  CheckOptions mine = options;
  mine.extra_check = assigned.extra_check;
  return mine;
}

void learn_cases(Assigned &assigned, const CheckOptions &options) {
  const Exercise &exercise = assigned.exercise;
  assigned.stub_passes = passed_cases(
      check(assigned.exercise, assigned.exercise.stub, options_for(assigned, options)));
  if (!fs::exists(exercise.solution)) {
    return;
  }
  const WorkFolder scratch;
  const fs::path solved = scratch.path() / exercise.file_name();
  write_file(solved, solved_text(exercise));

  const Result all = demand_pass(assigned, options_for(assigned, options), solved);
  for (const CaseResult &one : all.cases) {
    if (std::ranges::find(assigned.cases, one.name, &Case::name) == assigned.cases.end()) {
      assigned.cases.push_back({one.name, one.hidden});
    } else if (one.hidden) {
      throw failure("{} has a case \"{}\", and so has the exercise's checker or this file above: "
                    "give it another name",
                    assigned.extra_check,
                    one.name);
    }
  }
}

} // namespace tutor::grading
