#include "grade/credit.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"
#include "grade/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutor::grading {
namespace {

double weight_of(const Assigned &assigned, const std::string &name) {
  const auto found = assigned.weights.find(name);
  return found == assigned.weights.end() ? 1 : found->second;
}

/// Days begun after the due date; 0 in time.
long days_late(Moment handed_in, Moment due, const LatePolicy &policy) {
  const auto late = handed_in - due;
  return late <= policy.grace ? 0 : std::chrono::ceil<std::chrono::days>(late).count();
}

void add_note(Grade &grade, const std::string &note) {
  grade.note += (grade.note.empty() ? "" : "; ") + note;
}

} // namespace

void apply_weights(std::vector<Assigned> &exercises, const ClassFile &rules) {
  for (Assigned &assigned : exercises) {
    const auto found = rules.exercises.find(assigned.exercise.id());
    if (found == rules.exercises.end()) {
      continue;
    }
    assigned.exercise.card.points = found->second.points.value_or(assigned.exercise.card.points);
    assigned.weights = found->second.weights;
    const auto names =
        each(assigned.cases, [](const Case &one) { return fmt::format("\"{}\"", one.name); });
    for (const auto &[name, weight] : assigned.weights) {
      if (!names.empty() &&
          std::ranges::find(assigned.cases, name, &Case::name) == assigned.cases.end()) {
        throw failure("the class file weighs a case \"{}\" of {}; there are: {}",
                      name,
                      assigned.exercise.id(),
                      fmt::join(names, ", "));
      }
    }
  }
}

std::set<std::string> passed_cases(const Result &result) {
  std::set<std::string> passed;
  for (const CaseResult &one : result.cases) {
    if (one.passed) {
      passed.insert(one.name);
    }
  }
  for (const CaseResult &one : result.cases) {
    if (!one.passed) {
      passed.erase(one.name);
    }
  }
  return passed;
}

double points_for(const Result &result, const Assigned &assigned) {
  const double all = assigned.exercise.card.points;
  if (result.verdict == Verdict::pass) {
    return all;
  }
  if (result.verdict == Verdict::build_error || result.verdict == Verdict::not_run) {
    return 0;
  }
  std::set<std::string> asked;
  for (const Case &one : assigned.cases) {
    asked.insert(one.name);
  }
  for (const CaseResult &one : result.cases) {
    if (assigned.cases.empty()) {
      asked.insert(one.name);
    }
  }
  const std::set<std::string> good = passed_cases(result);
  double whole = 0, passed = 0, lightest = std::numeric_limits<double>::infinity();
  for (const std::string &name : asked) {
    if (!assigned.stub_passes.contains(name)) {
      const double weight = weight_of(assigned, name);
      whole += weight;
      passed += good.contains(name) ? weight : 0;
      lightest = std::min(lightest, weight);
    }
  }
  // Something was wrong, so it is never all of them.
  return whole > 0 ? all * std::min(passed, whole - lightest) / whole : 0;
}

void demand_every_case(Result &result, const Assigned &assigned) {
  if (result.verdict != Verdict::pass) {
    return;
  }
  for (const Case &asked : assigned.cases) {
    const bool ran = std::ranges::any_of(
        result.cases, [&](const CaseResult &one) { return one.name == asked.name && one.passed; });
    if (!ran) {
      result.by_hidden = asked.hidden;
      result.judge(Verdict::not_run,
                   "missing_case",
                   fmt::format("the check \"{}\" did not run", asked.name));
      return;
    }
  }
}

void give_points(Grade &grade, const Report &report) {
  const Assigned &assigned = report.exercises[grade.exercise];
  demand_every_case(grade.result, assigned);
  grade.earned = grade.points = points_for(grade.result, assigned);
  const std::string id = assigned.exercise.id();
  const std::optional<Moment> due = report.rules.due_of(grade.student, id);
  if (!due || grade.file.empty()) {
    return;
  }
  if (const std::optional<Moment> noted = report.rules.handed_in(grade.student, id)) {
    grade.handed_in = *noted;
    grade.by_file = false;
  }
  const LatePolicy &policy = report.rules.late;
  if (const long days = days_late(grade.handed_in, *due, policy); days > 0) {
    const double share = std::min(policy.most, policy.per_day * static_cast<double>(days));
    grade.points = grade.earned * (1 - share);
    add_note(grade,
             fmt::format("{} late: {:g} % less",
                         counted(static_cast<std::size_t>(days), "day"),
                         100 * share));
  }
}

void note_dates_of_files(Report &report) {
  std::size_t dated = 0;
  for (const Grade &grade : report.grades) {
    const std::string id = report.exercises[grade.exercise].exercise.id();
    dated += !grade.file.empty() && grade.by_file && report.rules.due_of(grade.student, id);
  }
  if (dated > 0) {
    report.notes.push_back(
        fmt::format("{} in time or late by the date of the file, which its author can choose: give "
                    "the platform's dates with handed_in = \"FILE.csv\" in the class file",
                    dated == 1 ? "1 submission is" : counted(dated, "submission") + " are"));
  }
}

Grade settle(std::vector<Grade> attempts, const Report &report) {
  // They stand in the order of their dates, the last one first: of equals the first one counts.
  const auto best = std::ranges::max_element(
      attempts.rbegin(), attempts.rend(), {}, [](const Grade &grade) { return grade.points; });
  Grade grade = std::move(*best);
  if (attempts.size() > 1) {
    add_note(grade, fmt::format("the best of {} attempts", attempts.size()));
  }
  const std::string id = report.exercises[grade.exercise].exercise.id();
  if (const ExceptionLine *by_hand = report.rules.points_of(grade.student, id)) {
    grade.points = *by_hand->points;
    grade.note = fmt::format("{:g} points by hand{}{}",
                             grade.points,
                             by_hand->reason.empty() ? "" : ": ",
                             printable(by_hand->reason));
  }
  return grade;
}

} // namespace tutor::grading
