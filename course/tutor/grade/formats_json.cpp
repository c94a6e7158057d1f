#include "base/sha256.hpp"
#include "base/text.hpp"
#include "grade/class_view.hpp"
#include "grade/formats.hpp"
#include "grade/text.hpp"

#include <algorithm>
#include <fmt/chrono.h>
#include <nlohmann/json.hpp>

/// \file
/// The whole report as JSON, and Gradescope's results.json as it is described at
/// https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format.

namespace tutor::grading {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string text_of(const OrderedJson &json) {
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

OrderedJson receipt_of(const Receipt &receipt) {
  return {{"submission_sha256", receipt.submission},
          {"stub_sha256", receipt.stub},
          {"checker_sha256", receipt.checker},
          {"extra_check_sha256", receipt.extra_check},
          {"compiler", receipt.compiler},
          {"course_sha256", receipt.course},
          {"commit", receipt.commit},
          {"backend", receipt.backend},
          {"seed", receipt.seed}};
}

OrderedJson grade_of(const Report &report, const Grade &grade) {
  const Assigned &assigned = report.exercises[grade.exercise];
  const Result &result = grade.result;
  const auto cases = each(outcomes(grade, assigned), [](const CaseOutcome &one) {
    return OrderedJson{{"name", one.name},
                       {"hidden", one.hidden},
                       {"passed", one.passed},
                       {"message", one.message}};
  });
  return {{"student", shown_name(grade.student)},
          {"id", assigned.exercise.id()},
          {"file", shown_name(grade.file.generic_string())},
          {"handed_in", grade.file.empty() ? "" : fmt::format("{:%FT%TZ}", grade.handed_in)},
          {"handed_in_by",
           grade.file.empty() ? ""
           : grade.by_file    ? "file"
                              : "noted"},
          {"verdict", name_of(result.verdict)},
          {"diagnosis", result.diagnosis},
          {"message", printable(result.message, true)},
          {"points", grade.points},
          {"max_points", assigned.exercise.card.points},
          {"earned", grade.earned},
          {"note", grade.note},
          {"where", json_of(result.where)},
          {"cases", cases},
          {"counters", result.counters},
          {"seconds", result.seconds},
          {"log", printable(result.log, true)},
          {"replay", printable(replay_command(report, grade))},
          {"receipt", receipt_of(grade.receipt)}};
}

/// What a student may read about the whole of an exercise.
std::string public_message(const Result &result) {
  const std::string log = result.log.empty() ? "" : "\n\n" + result.log;
  return printable(result.message + log, true);
}

std::string with_note(const std::string &message, const std::string &note) {
  return message + (message.empty() || note.empty() ? "" : "\n\n") + note;
}

} // namespace

std::string to_json(const Report &report) {
  const auto exercises = each(report.exercises, [](const Assigned &assigned) {
    const auto cases = each(assigned.cases, [](const Case &one) {
      return OrderedJson{{"name", printable(one.name)}, {"hidden", one.hidden}};
    });
    return OrderedJson{{"id", assigned.exercise.id()},
                       {"title", assigned.exercise.card.title},
                       {"points", assigned.exercise.card.points},
                       {"cases", cases}};
  });
  const auto students = each(report.students, [&](const std::string &student) {
    return OrderedJson{{"student", shown_name(student)},
                       {"points", report.points_of(student)},
                       {"max_points", report.most_points()},
                       {"seed", seed_of(report.seed, student)}};
  });
  const auto grades =
      each(report.grades, [&](const Grade &grade) { return grade_of(report, grade); });
  const auto clusters = each(clusters_of(report), [&](const Cluster &cluster) {
    return OrderedJson{{"id", report.exercises[cluster.exercise].exercise.id()},
                       {"verdict", name_of(cluster.verdict)},
                       {"diagnosis", cluster.diagnosis},
                       {"meaning", printable(cluster.meaning)},
                       {"perhaps", printable(cluster.perhaps)},
                       {"students", each(cluster.students, shown_name)}};
  });
  return text_of(
      {{"version", 1},
       {"seed", report.seed},
       {"isolation", report.walls},
       {"class_file_sha256", report.rules.text.empty() ? "" : sha256(report.rules.text)},
       {"complete", report.complete()},
       {"seconds", report.seconds},
       {"exercises", exercises},
       {"students", students},
       {"clusters", clusters},
       {"notes", each(report.notes, [](const std::string &note) { return printable(note); })},
       {"grades", grades}});
}

std::string to_gradescope(const Report &report, const std::string &student) {
  OrderedJson tests = OrderedJson::array();
  double seconds = 0;
  for (const Grade &grade : report.grades) {
    if (grade.student != student) {
      continue;
    }
    const Assigned &assigned = report.exercises[grade.exercise];
    const Exercise &exercise = assigned.exercise;
    const Result shown = shown_result(grade.result);
    seconds += shown.seconds;
    tests.push_back({{"name", exercise.card.title},
                     {"number", exercise.short_id()},
                     {"score", grade.points},
                     {"max_score", exercise.card.points},
                     {"status", shown.verdict == Verdict::pass ? "passed" : "failed"},
                     {"output", with_note(public_message(shown), grade.note)},
                     {"output_format", "text"},
                     {"visibility", "visible"}});
    int number = 0;
    for (const CaseOutcome &one : outcomes(grade, assigned)) {
      tests.push_back({{"name", exercise.name + ": " + one.name},
                       {"number", exercise.short_id() + "." + std::to_string(++number)},
                       {"status", one.passed ? "passed" : "failed"},
                       {"output", one.message},
                       {"output_format", "text"},
                       {"visibility", one.hidden ? "hidden" : "visible"}});
    }
  }
  return text_of({{"score", report.points_of(student)},
                  {"execution_time", static_cast<int>(seconds + 0.5)},
                  {"visibility", "visible"},
                  {"stdout_visibility", "hidden"},
                  {"extra_data", {{"seed", seed_of(report.seed, student)}}},
                  {"tests", std::move(tests)}});
}

} // namespace tutor::grading
