#include "commands/grade.hpp"

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "exercises/isolation.hpp"
#include "grade/class_view.hpp"
#include "grade/credit.hpp"
#include "grade/formats.hpp"
#include "grade/grade.hpp"
#include "grade/journal.hpp"
#include "grade/reference.hpp"
#include "grade/seed.hpp"
#include "grade/text.hpp"
#include "grade/toolchain.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <set>
#include <thread>
#include <unistd.h>

namespace tutor::commands {
namespace {

using namespace grading;

/// While it lives, Ctrl-C and a request to end stop the work, so that what is done is written down.
/// A second one ends the tutor at once.
class StopOnSignal {
public:
  StopOnSignal() {
    struct sigaction action {};
    action.sa_handler = [](int) { seen_ = 1; };
    action.sa_flags = SA_RESETHAND;
    for (int number : {SIGINT, SIGTERM}) {
      sigaction(number, &action, nullptr);
    }
    watcher_ = std::jthread([this](std::stop_token end) {
      while (!end.stop_requested()) {
        if (seen_ != 0) {
          source_.request_stop();
          return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    });
  }
  ~StopOnSignal() {
    for (int number : {SIGINT, SIGTERM}) {
      std::signal(number, SIG_DFL);
    }
  }
  StopOnSignal(const StopOnSignal &) = delete;
  StopOnSignal &operator=(const StopOnSignal &) = delete;
  std::stop_token token() const { return source_.get_token(); }

private:
  static inline volatile std::sig_atomic_t seen_ = 0;
  std::stop_source source_;
  std::jthread watcher_;
};

/// The exercises to grade: those named here or in the class file, or those that somebody handed in.
Class find_class(const Course &course,
                 const GradeRequest &request,
                 const ClassFile &rules,
                 Format format) {
  std::vector<std::string> named = request.exercises;
  if (named.empty()) {
    named = each(rules.exercises, [](const auto &rule) { return rule.first; });
  }
  const std::vector<Exercise> exercises = find_exercises(course, named);
  // Of a student alone Gradescope wants a file, of a class a folder of them.
  const bool whole_is_one =
      format == Format::gradescope && fs::path(request.out).extension() == ".json";
  Class all = find_submissions(request.folder, exercises, whole_is_one, rules.attempts);
  std::set<const Exercise *> handed_in;
  for (const Submission &submission : all.submissions) {
    if (!submission.file.empty()) {
      handed_in.insert(submission.exercise);
    }
  }
  if (handed_in.empty() && exercises.empty()) {
    throw wrong_usage("the course has no exercises");
  }
  if (handed_in.empty() && named.empty()) {
    throw wrong_usage("nobody in {} handed in a file that is called like an exercise, {} say; name "
                      "the exercise with --exercise if that is right",
                      request.folder,
                      exercises.front().file_name());
  }
  for (const auto &[whom, line] : rules.exceptions) {
    if (!whole_is_one && std::ranges::find(all.students, whom.first) == all.students.end()) {
      const std::string nearest =
          *std::ranges::min_element(all.students, {}, [&whom = whom](const std::string &one) {
            return edit_distance(one, whom.first);
          });
      throw wrong_usage("the class file makes an exception for '{}', who has no folder in {}; the "
                        "nearest name is '{}', not the same letter by letter",
                        shown_name(whom.first),
                        request.folder,
                        shown_name(nearest));
    }
  }
  for (const auto &[whom, moment] : rules.times) {
    if (!whole_is_one && std::ranges::find(all.students, whom.first) == all.students.end()) {
      all.notes.push_back(
          fmt::format("a date is noted for '{}', who has no folder", shown_name(whom.first)));
    }
  }
  if (named.empty()) {
    for (const Exercise *exercise : handed_in) {
      const auto by = std::ranges::count_if(all.submissions, [&](const Submission &one) {
        return one.exercise == exercise && !one.file.empty();
      });
      if (2 * static_cast<std::size_t>(by) < all.students.size()) {
        all.notes.push_back(
            fmt::format("{} is graded, and lacking with the others, as {} of {} handed "
                        "it in: --exercise says what is asked",
                        exercise->file_name(),
                        by,
                        all.students.size()));
      }
    }
    std::erase_if(all.submissions, [&](const Submission &submission) {
      return !handed_in.contains(submission.exercise);
    });
  }
  return all;
}

std::vector<Assigned> assigned_of(const Class &all) {
  std::vector<Assigned> assigned;
  for (const Submission &submission : all.submissions) {
    if (submission.student != all.students.front()) {
      break;
    }
    if (assigned.empty() || assigned.back().exercise.id() != submission.exercise->id()) {
      assigned.push_back({*submission.exercise, {}, {}});
    }
  }
  return assigned;
}

/// Beside the report, whether that is a file or a folder.
fs::path beside_report(const std::string &out, const std::string &ending) {
  fs::path file = fs::absolute(out).lexically_normal();
  file = file.has_filename() ? file : file.parent_path();
  fs::create_directories(file.parent_path());
  return file += ending;
}

/// A part of the class, "2/4"; 1 of 1 where there are none.
struct Shard {
  int index = 1, count = 1;
  std::string ending() const {
    return count == 1 ? ".journal" : fmt::format(".{}-of-{}.journal", index, count);
  }
};

Shard shard_named(const std::optional<std::string> &text) {
  Shard shard;
  char rest = 0;
  if (text && (std::sscanf(text->c_str(), "%9d/%9d%c", &shard.index, &shard.count, &rest) != 2 ||
               shard.index < 1 || shard.index > shard.count)) {
    throw wrong_usage("--shard {}: write 2/4 for the second of four", *text);
  }
  return shard;
}

/// What the parts of the class have left.
void merge_shards(Journal &journal, const std::string &out) {
  const fs::path report = beside_report(out, "");
  std::size_t found = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(report.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(report.filename().string() + ".") && name.ends_with(".journal") &&
        name.find("-of-") != std::string::npos) {
      journal.merge(entry.path());
      ++found;
    }
  }
  if (found == 0) {
    throw wrong_usage("--merge: beside {} lies no journal of a --shard", report);
  }
}

/// What goes on while grades come in: a bar on a terminal, elsewhere a line for each.
class Told {
public:
  Told(std::size_t total) : total_(total), progress_("grading") {}
  void operator()(const Grade &grade, const Assigned &assigned) {
    ++done_;
    if (isatty(STDERR_FILENO) != 0) {
      progress_.update(static_cast<int>(done_), static_cast<int>(total_));
    } else if (!grade.from_before) {
      fmt::print(stderr,
                 "{}/{} {} {}: {} {}\n",
                 done_,
                 total_,
                 shown_name(grade.student),
                 assigned.exercise.id(),
                 name_of(grade.result.verdict),
                 grade.result.diagnosis);
    }
  }
  void end() { progress_.finish(); }

private:
  std::size_t total_, done_ = 0;
  Progress progress_;
};

void print_end(const Report &report, const std::string &written, const Journal &journal) {
  const auto before =
      static_cast<std::size_t>(std::ranges::count_if(report.grades, &Grade::from_before));
  for (const std::string &note : report.notes) {
    fmt::print("{}\n", printable(note));
  }
  if (journal.damaged_lines() > 0) {
    fmt::print("{} of the journal could not be read: what stood there is graded anew\n",
               counted(journal.damaged_lines(), "line"));
  }
  fmt::print("\nGraded {} of {} in {:.1f} s{}\n",
             counted(report.students.size(), "student"),
             counted(report.exercises.size(), "exercise"),
             report.seconds,
             before > 0 ? fmt::format("; {} of {} were graded before and have not changed",
                                      before,
                                      report.grades.size())
                        : std::string());
  fmt::print("{}\nWritten: {}\n", class_view(report), written);
}

Exit judge_run(const Report &report) {
  if (!report.complete()) {
    fmt::print(stderr,
               "tutor: stopped after {} of {}; the same command goes on from here\n",
               report.grades.size(),
               report.total);
    return Exit::failed;
  }
  std::size_t failed = 0;
  for (const Grade &grade : report.grades) {
    if (grade.result.diagnosis == "grader_error") {
      fmt::print(stderr, "tutor: {}: {}\n", shown_name(grade.student), grade.result.message);
      ++failed;
    }
  }
  return failed > 0 ? Exit::failed : Exit::ok;
}

/// For programs that look for copies; nothing is graded.
Exit write_own_lines(const Class &all, const std::string &folder) {
  const std::string written = export_own_lines(all, folder);
  for (const std::string &note : all.notes) {
    fmt::print("{}\n", printable(note));
  }
  fmt::print("Written: {}\n", written);
  return Exit::ok;
}

/// The emulator finds races that a GPU lets pass, and strangers' programs are better kept off a driver.
Backend choose_grading_backend(const GradeRequest &request) {
  const std::string backend = request.backend.value_or("cpu");
  if (backend == "gpu" && !request.one_process) {
    throw wrong_usage(
        "on a GPU a submission shares a process with its checker, and could forge what it says; "
        "grade on the emulator (--backend cpu), or accept that: --one-process");
  }
  return choose_backend(backend);
}

} // namespace

std::string put_up_walls(CheckOptions &options, const Course &course) {
  const fs::path fence = fs::read_symlink("/proc/self/exe").parent_path() / "tutor_fence";
  const Isolation isolation(fence, headers_for(course, options.backend));
  std::string walls = isolation.walls().text(), warning = isolation.walls().warning();
  options.isolate = isolation;
  if (options.backend == Backend::gpu) {
    options.isolate = [isolation](const IsolatedWork &work) {
      return work.runs_learners_code ? work.command : isolation(work);
    };
    walls = "limits; submission and checker in one process";
    warning = "on a GPU only limits stand between submissions and this machine, and nothing "
              "between them and their checker";
  }
  if (!warning.empty()) {
    fmt::print(stderr, "tutor: {}\n", warning);
  }
  return walls;
}

Exit grade(const Course &course, const GradeRequest &request) {
  const auto start = std::chrono::steady_clock::now();
  const Format format = format_for(request.format, request.out);
  const Shard shard = shard_named(request.shard);
  Report report;
  if (request.class_file) {
    report.rules = read_class_file(*request.class_file, exercises_of(course));
  }
  Class all = find_class(course, request, report.rules, format);
  if (request.own_lines) {
    return write_own_lines(all, *request.own_lines);
  }
  if (request.out.empty()) {
    throw wrong_usage("--out is missing: name the report to write, grades.csv say");
  }
  report.folder = all.folder;
  report.seed = request.seed ? *request.seed : stored_seed(beside_report(request.out, ".seed"));
  report.exercises = assigned_of(all);
  mark_anew(all, request.regrade);
  all = shard_of(all, shard.index, shard.count);
  if (request.extra_checks) {
    add_extra_checks(report.exercises, course, *request.extra_checks);
  }

  StopOnSignal signals;
  CheckOptions options;
  options.backend = choose_grading_backend(request);
  options.seed = report.seed;
  options.stop = signals.token();
  for (const Assigned &assigned : report.exercises) {
    prepare_checks({assigned.exercise}, options_for(assigned, options));
  }
  const Toolchain toolchain(course, options.backend);
  report.walls = put_up_walls(options, course);

  for (Assigned &assigned : report.exercises) {
    learn_cases(assigned, options);
    assigned.receipt = toolchain.receipt_for(assigned);
  }
  apply_weights(report.exercises, report.rules);
  Journal journal(beside_report(request.out, shard.ending()), request.fresh);
  if (request.merge) {
    merge_shards(journal, request.out);
  }
  Told told(all.submissions.size());
  const auto check_one = [&](const Assigned &assigned, const fs::path &file, std::uint64_t seed) {
    CheckOptions mine = options_for(assigned, options);
    mine.seed = seed;
    return tutor::check(assigned.exercise, file, mine);
  };
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  grading::grade(report,
                 all,
                 check_one,
                 journal,
                 request.jobs > 0 ? request.jobs : processors,
                 signals.token(),
                 [&](const Grade &one) { told(one, report.exercises[one.exercise]); });
  told.end();

  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string written =
      shard.count == 1
          ? grading::write(report, format, request.out)
          : fmt::format("a journal; when all parts are done: --merge instead of --shard {}",
                        *request.shard);
  print_end(report, written, journal);
  return judge_run(report);
}

} // namespace tutor::commands
