#include "base/text.hpp"
#include "grade/formats.hpp"
#include "grade/text.hpp"

#include <algorithm>
#include <fmt/format.h>

/// \file
/// JUnit's XML, as continuous integration reads it: the schema is Jenkins' junit-10.xsd.

namespace tutor::grading {
namespace {

/// Text between tags or quotes. Control characters, which XML cannot hold, are gone already.
std::string escaped(const std::string &text) {
  return replaced(replaced(html_escaped(text), "\n", "&#10;"), "\t", "&#9;");
}

std::string property(const std::string &name, const std::string &value) {
  return fmt::format(
      "      <property name=\"{}\" value=\"{}\"/>\n", name, escaped(printable(value)));
}

struct Suite {
  std::string text;
  double seconds = 0;
  std::size_t tests = 0, failures = 0, errors = 0;
};

Suite suite_of(const Report &report, const Grade &grade) {
  const Assigned &assigned = report.exercises[grade.exercise];
  const Result result = shown_result(grade.result);
  // What was not judged is an error, what was judged to be wrong a failure.
  const bool error = result.verdict == Verdict::build_error || result.verdict == Verdict::not_run;
  const std::string type =
      result.diagnosis.empty() ? std::string(name_of(result.verdict)) : result.diagnosis;
  const std::string student = escaped(shown_name(grade.student));

  Suite suite;
  std::string cases;
  for (const CaseOutcome &one : shown_outcomes(grade, assigned)) {
    ++suite.tests;
    cases += fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\"",
                         student,
                         assigned.exercise.name,
                         escaped(one.name));
    if (one.passed) {
      cases += "/>\n";
      continue;
    }
    ++(error ? suite.errors : suite.failures);
    cases += fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n",
                         error ? "error" : "failure",
                         escaped(printable(one.hidden ? hidden_diagnosis : type)),
                         escaped(first_line(one.message)),
                         escaped(one.message));
  }
  suite.seconds = result.seconds;
  suite.text = fmt::format(
      "  <testsuite name=\"{} {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n",
      student,
      assigned.exercise.id(),
      suite.tests,
      suite.failures,
      suite.errors,
      result.seconds);
  suite.text += "    <properties>\n";
  suite.text += property("points", fmt::format("{:g}", grade.points));
  suite.text += property("max_points", fmt::format("{:g}", assigned.exercise.card.points));
  if (!grade.note.empty()) {
    suite.text += property("note", grade.note);
  }
  suite.text += property("verdict", std::string(name_of(result.verdict)));
  suite.text += property("seed", std::to_string(grade.receipt.seed));
  suite.text += property("submission_sha256", grade.receipt.submission);
  suite.text += property("checker_sha256", grade.receipt.checker);
  suite.text += "    </properties>\n" + cases;
  if (!result.log.empty()) {
    suite.text +=
        fmt::format("    <system-out>{}</system-out>\n", escaped(printable(result.log, true)));
  }
  suite.text += "  </testsuite>\n";
  return suite;
}

} // namespace

std::string to_junit(const Report &report) {
  std::string suites;
  std::size_t tests = 0, failures = 0, errors = 0;
  double seconds = 0;
  for (const Grade &grade : report.grades) {
    const Suite suite = suite_of(report, grade);
    suites += suite.text;
    tests += suite.tests;
    failures += suite.failures;
    errors += suite.errors;
    seconds += suite.seconds;
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<testsuites name=\"grades\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
                     "time=\"{:.3f}\">\n{}</testsuites>\n",
                     tests,
                     failures,
                     errors,
                     seconds,
                     suites);
}

} // namespace tutor::grading
