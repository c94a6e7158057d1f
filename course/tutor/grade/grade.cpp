#include "grade/grade.hpp"

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "grade/credit.hpp"
#include "grade/journal.hpp"
#include "grade/text.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <utility>

namespace tutor::grading {
namespace {

/// What a check says that could not be made because of this machine or the course.
constexpr const char *grader_error = "grader_error";

Result missing_file(const Exercise &exercise, std::uint64_t seed) {
  Result result;
  result.id = exercise.id();
  result.judge(
      Verdict::not_run, "missing_file", fmt::format("no {} was handed in", exercise.file_name()));
  result.seed = seed;
  return result;
}

/// The work of several threads that grade.
class Graders {
public:
  Graders(Report &report, const Class &all, const Check &check, Journal &journal)
      : report_(report), all_(all), check_(check), journal_(journal),
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
    settle_all();
  }

private:
  /// Of each student at each exercise one grade, once all attempts are judged: they stand side by side.
  void settle_all() {
    for (std::size_t first = 0, end; first < done_.size(); first = end) {
      std::vector<Grade> attempts;
      for (end = first; end < done_.size() && same(first, end); ++end) {
        if (done_[end]) {
          attempts.push_back(std::move(*done_[end]));
        }
      }
      if (attempts.size() == end - first) {
        report_.grades.push_back(settle(std::move(attempts), report_));
      }
    }
  }

  bool same(std::size_t one, std::size_t other) const {
    const Submission &a = all_.submissions[one], &b = all_.submissions[other];
    return a.student == b.student && a.exercise == b.exercise;
  }

  std::size_t number_of(const Exercise &exercise) const {
    const auto found = std::ranges::find(
        report_.exercises, exercise.id(), [](const Assigned &one) { return one.exercise.id(); });
    return static_cast<std::size_t>(found - report_.exercises.begin());
  }

  void grade_one(std::size_t index,
                 const std::stop_token &stop,
                 const std::function<void(const Grade &)> &on_grade) {
    const Submission &submission = all_.submissions[index];
    Grade grade;
    grade.student = submission.student;
    grade.exercise = number_of(*submission.exercise);
    const Assigned &assigned = report_.exercises[grade.exercise];
    grade.receipt = assigned.receipt;
    grade.receipt.seed = seed_of(report_.seed, submission.student);
    if (submission.file.empty()) {
      grade.result = missing_file(assigned.exercise, grade.receipt.seed);
    } else {
      grade.file = submission.file.lexically_relative(all_.folder);
      grade.handed_in = submission.handed_in;
      grade.by_file = submission.by_file;
      judge(grade, submission, assigned);
      if (grade.result.ended_from_outside && !grade.from_before && !alone_) {
        const std::lock_guard lock(telling_);
        late_.push_back(index); // perhaps others took its memory: once more, by itself
        return;
      }
      keep(grade);
    }
    if (stop.stop_requested() && grade.result.verdict == Verdict::not_run && !grade.from_before) {
      return; // perhaps cut off: better judged again
    }
    give_points(grade, report_);
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
      const std::string text = read_file(file);
      grade.receipt.submission = sha256(text);
      const std::string key = grade.receipt.key();
      if (std::optional<Result> kept = journal_.find(key); kept && !submission.anew) {
        grade.result = std::move(*kept);
        grade.from_before = true;
        return;
      }
      const WorkFolder folder;
      const fs::path copy = folder.path() / assigned.exercise.file_name();
      write_file(copy, text);
      grade.result = check_(assigned, copy, grade.receipt.seed);
    } catch (const std::exception &error) {
      fail(grade, error);
    }
  }

  Report &report_;
  const Class &all_;
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

void grade(Report &report,
           const Class &all,
           const Check &check,
           Journal &journal,
           int jobs,
           std::stop_token stop,
           const std::function<void(const Grade &)> &on_grade) {
  report.students = all.students;
  report.notes.insert(report.notes.end(), all.notes.begin(), all.notes.end());
  report.total = all.students.size() * report.exercises.size();
  Graders(report, all, check, journal).run(std::max(1, jobs), stop, on_grade);
  note_dates_of_files(report);
}

} // namespace tutor::grading
