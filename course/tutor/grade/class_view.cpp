#include "grade/class_view.hpp"

#include "base/terminal.hpp"
#include "exercises/answers.hpp"
#include "grade/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace tutor::grading {
namespace {

constexpr std::size_t width = 96; ///< of a line of the view

/// The mistakes that the course knows to end in this verdict: its wrong answers.
std::vector<std::string> known_mistakes(const Exercise &exercise, const Cluster &cluster) {
  std::vector<std::string> mistakes;
  try {
    for (const StoredAnswer &answer : read_answers(exercise.answers)) {
      if (answer.wrong && answer.verdict == cluster.verdict &&
          answer.diagnosis == cluster.diagnosis) {
        mistakes.push_back(answer.why);
      }
    }
  } catch (const std::exception &) { // the course's authors hear of it elsewhere
  }
  return mistakes;
}

/// The words most of them were told.
std::string usual_message(const std::map<std::string, std::size_t> &messages) {
  auto most =
      std::ranges::max_element(messages, {}, [](const auto &entry) { return entry.second; });
  return most == messages.end() ? "" : most->first;
}

/// The one mistake that is known to end so. Verdicts that anything ends in tell of none.
std::string likely_mistake(const Exercise &exercise, const Cluster &cluster) {
  for (std::string_view vague :
       {"wrong_result", "crash", "compile_error", "link_error", "time_limit"}) {
    if (cluster.diagnosis == vague) {
      return "";
    }
  }
  const std::vector<std::string> mistakes = known_mistakes(exercise, cluster);
  return mistakes.size() == 1 ? mistakes.front() : "";
}

void add_names(std::string &text, const std::vector<std::string> &students) {
  constexpr std::size_t shown = 4;
  std::vector<std::string> names;
  for (const std::string &student : students) {
    if (names.size() < shown) {
      names.push_back(shortened(shown_name(student), 24));
    }
  }
  const std::size_t more = students.size() - names.size();
  text += faint(fmt::format(
      "        {}{}\n", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
}

struct Tally {
  std::size_t graded = 0, handed_in = 0, passed = 0;
  double points = 0;
};

Tally tally_of(const Report &report, std::size_t exercise) {
  Tally tally;
  for (const Grade &grade : report.grades) {
    if (grade.exercise == exercise) {
      ++tally.graded;
      tally.handed_in += !grade.file.empty();
      tally.passed += grade.result.verdict == Verdict::pass;
      tally.points += grade.points;
    }
  }
  return tally;
}

} // namespace

std::vector<Cluster> clusters_of(const Report &report) {
  std::map<std::tuple<std::size_t, Verdict, std::string>, Cluster> clusters;
  std::map<std::tuple<std::size_t, Verdict, std::string>, std::map<std::string, std::size_t>> told;
  for (const Grade &grade : report.grades) {
    if (grade.result.verdict == Verdict::pass) {
      continue;
    }
    const std::tuple key(grade.exercise, grade.result.verdict, grade.result.diagnosis);
    Cluster &cluster = clusters[key];
    cluster.exercise = grade.exercise;
    cluster.verdict = grade.result.verdict;
    cluster.diagnosis = grade.result.diagnosis;
    cluster.students.push_back(grade.student);
    ++told[key][printable(first_line(grade.result.message))];
  }
  std::vector<Cluster> list;
  for (auto &[key, cluster] : clusters) {
    const Exercise &exercise = report.exercises[cluster.exercise].exercise;
    cluster.meaning = usual_message(told[key]);
    cluster.perhaps = likely_mistake(exercise, cluster);
    list.push_back(std::move(cluster));
  }
  std::ranges::stable_sort(list, [](const Cluster &a, const Cluster &b) {
    return a.exercise != b.exercise ? a.exercise < b.exercise
                                    : a.students.size() > b.students.size();
  });
  return list;
}

std::string class_view(const Report &report) {
  std::string text;
  const std::vector<Cluster> clusters = clusters_of(report);
  for (std::size_t i = 0; i < report.exercises.size(); ++i) {
    const Exercise &exercise = report.exercises[i].exercise;
    const Tally tally = tally_of(report, i);
    if (tally.graded == 0) {
      continue;
    }
    text += fmt::format(
        "\n{}  {} of {} passed ({:.0f} %), {} handed in, {:.2f} of {:g} points on average\n",
        bold(fmt::format("{} {}", exercise.short_id(), exercise.name)),
        tally.passed,
        tally.graded,
        100.0 * static_cast<double>(tally.passed) / static_cast<double>(tally.graded),
        tally.handed_in,
        tally.points / static_cast<double>(tally.graded),
        exercise.card.points);
    for (const Cluster &cluster : clusters) {
      if (cluster.exercise != i) {
        continue;
      }
      const std::string verdict =
          cluster.diagnosis.empty()
              ? std::string(name_of(cluster.verdict))
              : fmt::format("{} {}", name_of(cluster.verdict), cluster.diagnosis);
      text += fmt::format("  {:>4}  {}: {}\n",
                          cluster.students.size(),
                          verdict,
                          shortened(cluster.meaning, width - std::min(width, verdict.size() + 10)));
      if (!cluster.perhaps.empty()) {
        text += fmt::format("        perhaps: {}\n", shortened(cluster.perhaps, width - 17));
      }
      add_names(text, cluster.students);
    }
  }
  return text;
}

} // namespace tutor::grading
