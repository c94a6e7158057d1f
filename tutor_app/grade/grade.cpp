#include "grade/grade.hpp"

#include "exercises/check_build.hpp"
#include "exercises/sha256.hpp"
#include "failure.hpp"
#include "grade/journal.hpp"
#include "grade/text.hpp"
#include "lessons/files.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <utility>

namespace fs = std::filesystem;

namespace tutor::grading {
namespace {

/// What a check says that could not be made because of this machine or the course.
constexpr const char *grader_error = "grader_error";

Result missing_file(const Exercise &exercise, std::uint64_t seed) {
  Result result;
  result.id = exercise.id();
  result.verdict = Verdict::not_run;
  result.diagnosis = "missing_file";
  result.message = fmt::format("no {} was handed in", exercise.file_name());
  result.seed = seed;
  return result;
}

/// The work of several threads that grade.
class Graders {
public:
  Graders(Report &report,
          const Class &all,
          const std::function<Receipt(const Assigned &)> &receipt,
          const Check &check,
          Journal &journal)
      : report_(report), all_(all), receipt_(receipt), check_(check), journal_(journal),
        done_(all.submissions.size()) {}

  void run(int jobs, std::stop_token stop, const std::function<void(const Grade &)> &on_grade) {
    alone_ = jobs == 1;
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < jobs; ++i) {
      threads.emplace_back([&] {
        for (std::size_t mine; !stop.stop_requested() && (mine = next++) < done_.size();) {
          grade_one(mine, stop, on_grade);
        }
      });
    }
    threads.clear(); // waits for them
    alone_ = true;
    for (const std::size_t index : std::exchange(late_, {})) {
      if (!stop.stop_requested()) {
        grade_one(index, stop, on_grade);
      }
    }
    for (std::optional<Grade> &grade : done_) {
      if (grade) {
        report_.grades.push_back(std::move(*grade));
      }
    }
  }

private:
  void grade_one(std::size_t index,
                 const std::stop_token &stop,
                 const std::function<void(const Grade &)> &on_grade) {
    const Submission &submission = all_.submissions[index];
    Grade grade;
    grade.student = submission.student;
    grade.exercise = index % report_.exercises.size();
    const Assigned &assigned = report_.exercises[grade.exercise];
    grade.receipt = receipt_(assigned);
    grade.receipt.seed = seed_of(report_.seed, submission.student);
    if (submission.file.empty()) {
      grade.result = missing_file(assigned.exercise, grade.receipt.seed);
    } else {
      grade.file = submission.file.lexically_relative(all_.folder);
      judge(grade, submission, assigned);
      if (grade.result.verdict == Verdict::timeout && !grade.from_before && !alone_) {
        const std::lock_guard lock(telling_);
        late_.push_back(index); // perhaps others took its time: once more, by itself
        return;
      }
      keep(grade);
    }
    if (stop.stop_requested() && grade.result.verdict == Verdict::not_run && !grade.from_before) {
      return; // perhaps cut off: better judged again
    }
    demand_every_case(grade.result, assigned);
    grade.points = points_for(grade.result, assigned);
    const std::lock_guard lock(telling_);
    on_grade(grade);
    done_[index] = std::move(grade);
  }

  /// Into the journal.
  void keep(Grade &grade) {
    const Result &result = grade.result;
    const bool found_out = result.diagnosis != "stopped" && result.diagnosis != grader_error;
    if (grade.from_before || (result.verdict == Verdict::not_run && !found_out)) {
      return;
    }
    try {
      journal_.add(grade.receipt.key(), result);
    } catch (const std::exception &error) {
      fail(grade, error);
    }
  }

  /// No fault of the student's, and no end of the class.
  void fail(Grade &grade, const std::exception &error) {
    const Exercise &exercise = report_.exercises[grade.exercise].exercise;
    grade.result = missing_file(exercise, grade.receipt.seed);
    grade.result.diagnosis = grader_error;
    grade.result.message = fmt::format("could not be checked: {}", first_line(error.what()));
  }

  void judge(Grade &grade, const Submission &submission, const Assigned &assigned) {
    const fs::path &file = submission.file;
    try {
      // Read once: what is hashed is what is checked, whatever becomes of the file meanwhile.
      const std::string text = lessons::read_file(file);
      grade.receipt.submission = sha256(text);
      const std::string key = grade.receipt.key();
      if (std::optional<Result> kept = journal_.find(key); kept && !submission.anew) {
        grade.result = std::move(*kept);
        grade.from_before = true;
        return;
      }
      const WorkFolder folder;
      const fs::path copy = folder.path() / assigned.exercise.file_name();
      lessons::write_file(copy, text);
      grade.result = check_(assigned.exercise, copy, assigned, grade.receipt.seed);
    } catch (const std::exception &error) {
      fail(grade, error);
    }
  }

  Report &report_;
  const Class &all_;
  const std::function<Receipt(const Assigned &)> &receipt_;
  const Check &check_;
  Journal &journal_;
  std::vector<std::optional<Grade>> done_;
  std::mutex telling_;
  std::atomic<bool> alone_ = false; ///< one at a time
  std::vector<std::size_t> late_;
};

} // namespace

std::string Receipt::key() const {
  return sha256(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}",
                            submission,
                            stub,
                            checker,
                            extra_check,
                            compiler,
                            course,
                            backend,
                            seed));
}

double Report::points_of(const std::string &student) const {
  double points = 0;
  for (const Grade &grade : grades) {
    points += grade.student == student ? grade.points : 0;
  }
  return points;
}

double Report::most_points() const {
  double points = 0;
  for (const Assigned &assigned : exercises) {
    points += assigned.exercise.card.points;
  }
  return points;
}

std::uint64_t seed_of(std::uint64_t class_seed, const std::string &student) {
  const std::string hash = sha256(fmt::format("{}\n{}", class_seed, student));
  return std::stoull(hash.substr(0, 8), nullptr, 16) & 0x7fffffff;
}

double points_for(const Result &result, const Assigned &assigned) {
  const double all = assigned.exercise.card.points;
  if (result.verdict == Verdict::pass) {
    return all;
  }
  if (result.verdict == Verdict::build_error || result.verdict == Verdict::not_run) {
    return 0;
  }
  std::set<std::string> asked, passed;
  const auto ask = [&](const std::string &name) {
    if (!assigned.stub_passes.contains(name)) {
      asked.insert(name);
    }
  };
  for (const Case &one : assigned.cases) {
    ask(one.name);
  }
  for (const CaseResult &one : result.cases) {
    if (assigned.cases.empty()) {
      ask(one.name);
    }
    if (one.passed && asked.contains(one.name)) {
      passed.insert(one.name);
    }
  }
  for (const CaseResult &one : result.cases) {
    if (!one.passed) {
      passed.erase(one.name); // two cases of one name: both have to pass
    }
  }
  if (asked.empty()) {
    return 0;
  }
  // Something was wrong, so it is never all of them.
  const std::size_t credited = std::min(passed.size(), asked.size() - 1);
  return all * static_cast<double>(credited) / static_cast<double>(asked.size());
}

void demand_every_case(Result &result, const Assigned &assigned) {
  if (result.verdict != Verdict::pass) {
    return;
  }
  for (const Case &asked : assigned.cases) {
    const bool ran = std::ranges::any_of(
        result.cases, [&](const CaseResult &one) { return one.name == asked.name && one.passed; });
    if (!ran) {
      result.verdict = Verdict::not_run;
      result.diagnosis = "missing_case";
      result.message = fmt::format("the check \"{}\" did not run", asked.name);
      return;
    }
  }
}

void grade(Report &report,
           const Class &all,
           const std::function<Receipt(const Assigned &)> &receipt,
           const Check &check,
           Journal &journal,
           int jobs,
           std::stop_token stop,
           const std::function<void(const Grade &)> &on_grade) {
  report.students = all.students;
  report.notes.insert(report.notes.end(), all.notes.begin(), all.notes.end());
  report.total = all.submissions.size();
  Graders(report, all, receipt, check, journal).run(std::max(1, jobs), stop, on_grade);
}

} // namespace tutor::grading
