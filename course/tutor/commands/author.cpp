#include "commands/exercises.hpp"

#include "base/files.hpp"
#include "base/terminal.hpp"
#include "commands/python.hpp"
#include "exercises/proof.hpp"
#include "grade/credit.hpp"
#include "loop/screens.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tutor::commands {
namespace {

const Exercise &only_exercise(const std::vector<Exercise> &all, const AuthorRequest &request) {
  if (request.exercises.size() != 1) {
    throw wrong_usage("name one exercise: ./tutor author block_sum");
  }
  return find_exercise(all, request.exercises.front());
}

Judgement judgement(const char *option, const std::string &given) {
  const std::optional<Judgement> named = judgement_named(given);
  if (!named) {
    throw wrong_usage(
        "{} '{}' is no verdict with a diagnosis, as in \"hazard shared_race\"", option, given);
  }
  return *named;
}

/// Fills in what makes an answer a wrong one; what is not given stays as it was stored before.
void describe_mistake(StoredAnswer &answer, const AuthorRequest &request) {
  if (!request.mistake.empty()) {
    answer.why = request.mistake;
  }
  if (!request.verdict.empty()) {
    const Judgement meant = judgement("--verdict", request.verdict);
    answer.verdict = meant.verdict;
    answer.diagnosis = meant.diagnosis;
  }
  if (!request.with_clang.empty()) {
    answer.with_clang = judgement("--clang", request.with_clang);
  }
  if (!request.says.empty()) {
    answer.says = request.says;
  }
  if (!request.gpu.empty()) {
    if (request.gpu != "fail" && request.gpu != "passes") {
      throw wrong_usage("--gpu '{}': it is fail or passes", request.gpu);
    }
    answer.passes_on_gpu = request.gpu == "passes";
  }
  if (answer.why.empty() || answer.verdict == Verdict::pass) {
    throw wrong_usage("a new wrong answer needs --mistake TEXT, --verdict \"VERDICT DIAGNOSIS\" "
                      "and --gpu fail|passes");
  }
}

void describe_style(StoredAnswer &answer, const AuthorRequest &request) {
  answer.why = request.style.empty() ? answer.why : request.style;
  answer.says = request.says.empty() ? answer.says : request.says;
  if (answer.why.empty()) {
    throw wrong_usage("a new right answer needs --style TEXT");
  }
}

/// The answers of an exercise with the files that they stand for; none where there is no solution that fits the stub yet.
std::vector<std::pair<StoredAnswer, std::string>> written_answers(const Exercise &exercise) {
  std::vector<std::pair<StoredAnswer, std::string>> all;
  std::optional<Ground> ground;
  try {
    ground = ground_of(exercise);
  } catch (const Failure &) {
    return all;
  }
  for (const StoredAnswer &answer : read_answers(exercise.answers)) {
    all.emplace_back(answer, written_out(answer, *ground, exercise.answers));
  }
  return all;
}

/// Answers are edits of the solution: with another one they are written anew.
void store_solution(const Exercise &exercise, const std::string &stub, const std::string &solved) {
  const auto written = written_answers(exercise);
  const Ground ground{.stub = stub, .stub_file = exercise.stub, .solved = solved};
  std::vector<StoredAnswer> answers;
  for (const auto &[answer, text] : written) {
    answers.push_back(answer);
    take_from(answers.back(), ground, text);
  }
  write_file(exercise.solution, to_text(make_solution(exercise.id(), stub, solved)));
  fmt::print("{}\n", exercise.solution);
  if (!answers.empty()) {
    write_file(exercise.answers, to_toml(answers));
    fmt::print("{}\n", exercise.answers);
  }
}

/// Puts an answer among the others of its exercise.
void store_answer(const Exercise &exercise,
                  const AuthorRequest &request,
                  const std::string &written) {
  const bool wrong = !request.wrong.empty();
  const std::string &name = wrong ? request.wrong : request.right;
  std::vector<StoredAnswer> answers = read_answers(exercise.answers);
  const auto before = std::ranges::find_if(
      answers, [&](const StoredAnswer &one) { return one.name == name && one.wrong == wrong; });
  StoredAnswer answer = before == answers.end() ? StoredAnswer() : *before;
  answer.name = name;
  answer.wrong = wrong;
  (wrong ? describe_mistake : describe_style)(answer, request);
  take_from(answer, ground_of(exercise), written);
  put(answers, std::move(answer));
  write_file(exercise.answers, to_toml(answers));
  fmt::print("{}\n", exercise.answers);
}

Exit store(const Exercise &exercise, const AuthorRequest &request) {
  if (!fs::is_regular_file(request.from)) {
    throw wrong_usage("there is no file {}", request.from);
  }
  const std::string stub = read_file(exercise.stub), written = read_file(request.from);
  if (request.wrong.empty() && request.right.empty()) {
    store_solution(exercise, stub, written);
  } else {
    store_answer(exercise, request, written);
  }
  return Exit::ok;
}

void print(const Exercise &exercise, const Proof &proof) {
  double slowest = 0;
  for (const Variant &variant : proof.variants) {
    slowest = std::max(slowest, variant.result.seconds);
  }
  fmt::print("{} {} {}: {} variants, from saving to verdict at most {:.2f} s\n",
             proof.faults.empty() ? green("holds ") : red("broken"),
             exercise.short_id(),
             exercise.name,
             proof.variants.size(),
             slowest);
  for (const auto &[input, reason] : exercise.card.left_out) {
    fmt::print("  without {}: {}\n", input, reason);
  }
  for (const std::string &fault : proof.faults) {
    fmt::print("  {}\n", fault);
  }
  std::fflush(stdout);
}

/// Each variant as a result whose id says which one it is: 05_reduction/block_sum.wrong/tail.
void append_results(std::vector<Result> &results, const Proof &proof) {
  for (const Variant &variant : proof.variants) {
    results.push_back(variant.result);
    results.back().id += "." + variant.name;
  }
}

/// The middle one of an odd number of runs.
struct Waiting {
  double total = 0, build = 0; ///< seconds
};

Waiting median_of(std::vector<Waiting> runs) {
  std::ranges::sort(runs, {}, &Waiting::total);
  return runs[runs.size() / 2];
}

constexpr double longest_wait = 1.0, longest_median = 0.4; // seconds, on two quiet cores
constexpr int timed_runs = 5;

double thousandths(double seconds) { return std::round(1000 * seconds) / 1000; }

/// As /proc/cpuinfo calls it.
std::string processor() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("model name")) {
      return line.substr(line.find(':') + 2);
    }
  }
  return "unknown";
}

/// Builds what the request is about. \throws Failure where there is nothing
struct Prepared {
  std::vector<Exercise> exercises;
  CheckOptions options;

  Prepared(const Course &course, const AuthorRequest &request)
      : exercises(find_exercises(course, request.exercises)) {
    options.backend = choose_backend(request.backend.value_or("cpu"));
    if (exercises.empty()) {
      throw failure("there is no exercise to prove");
    }
    if (!request.built) {
      prepare_checks(exercises, options);
    }
    // Several proofs may run at a time, beside other tests; what is endless stays so.
    options.limits.wall_seconds = request.time ? options.limits.wall_seconds : 30;
  }
};

Exit time_all(const Course &course, const AuthorRequest &request) {
  const auto [exercises, options] = Prepared(course, request);
  fmt::print("seconds from saving to verdict, median of {} checks of the solution\n", timed_runs);
  fmt::print("{:<36} {:>6} {:>9} {:>9}\n", "exercise", "total", "building", "running");
  std::size_t slow = 0;
  WorkFolder folder;
  std::vector<double> totals;
  nlohmann::ordered_json records = nlohmann::ordered_json::array();
  for (const Exercise &exercise : exercises) {
    fs::path source = folder.path() / exercise.file_name();
    write_file(source, solved_text(exercise));
    std::vector<Waiting> runs;
    for (int run = 0; run < timed_runs; ++run) {
      Result result = tutor::check(exercise, source, options);
      runs.push_back({result.seconds, result.build_seconds});
    }
    Waiting median = median_of(runs);
    bool too_slow = !(median.total <= longest_wait);
    slow += too_slow;
    totals.push_back(median.total);
    records.push_back({{"id", exercise.id()},
                       {"total_s", thousandths(median.total)},
                       {"building_s", thousandths(median.build)}});
    fmt::print("{:<36} {:>6.2f} {:>9.2f} {:>9.2f}{}\n",
               exercise.short_id() + " " + exercise.name,
               median.total,
               median.build,
               median.total - median.build,
               too_slow ? red("  too long") : "");
    std::fflush(stdout);
  }
  if (slow > 0) {
    fmt::print("{} exercises keep a learner waiting for more than {} s\n", slow, longest_wait);
  }
  std::ranges::sort(totals);
  const double middle = totals[totals.size() / 2];
  const bool all_slow = request.exercises.empty() && !(middle <= longest_median);
  fmt::print("median of {}: {:.2f} s, at most {} is wanted; the longest: {:.2f} s\n",
             totals.size(),
             middle,
             longest_median,
             totals.back());
  if (!request.json.empty()) {
    write_records(
        course,
        fs::absolute(request.json),
        {{"version", 1},
         {"how",
          fmt::format("./tutor author --time: seconds from saving to verdict, median of {} "
                      "checks of the solution",
                      timed_runs)},
         {"processor", processor()},
         {"median_s", thousandths(middle)},
         {"longest_s", thousandths(totals.back())},
         {"exercises", records}});
  }
  return slow == 0 && !all_slow ? Exit::ok : Exit::failed;
}

/// Whoever hands in an untouched stub earns nothing, whatever it passes.
void demand_no_credit(const Exercise &exercise, Proof &proof) {
  if (proof.variants.size() < 2) {
    return; // its files have faults
  }
  const Result &stub = proof.variants[0].result, &solution = proof.variants[1].result;
  grading::Assigned assigned{exercise, {}, {}};
  assigned.cases =
      each(solution.cases, [](const CaseResult &one) { return grading::Case{one.name}; });
  assigned.stub_passes = grading::passed_cases(stub);
  if (const double points = grading::points_for(stub, assigned); points != 0) {
    proof.faults.push_back(
        fmt::format("{}: the untouched stub earns {:g} points", exercise.card_file, points));
  }
}

/// What learners read of wrong answers, in 80 columns: a page to be read whole.
std::string page_of_messages(const Exercise &exercise, const Proof &proof) {
  std::string page;
  for (const Variant &variant : proof.variants) {
    if (variant.result.verdict == Verdict::pass && variant.result.message.empty()) {
      continue;
    }
    page += fmt::format("{0} {1} {2}\n", exercise.short_id(), exercise.name, variant.name);
    for (const Line &line : result_lines(exercise, {}, variant.result, variant.text, 80)) {
      page += "  " + to_terminal(line, 80, false) + "\n";
    }
    page += "\n";
  }
  return page;
}

Exit prove_all(const Course &course, const AuthorRequest &request) {
  const auto [exercises, options] = Prepared(course, request);
  std::size_t broken = 0;
  std::vector<Result> results;
  std::string messages;
  for (const Exercise &exercise : exercises) {
    Proof proof = tutor::prove(exercise, options);
    demand_no_credit(exercise, proof);
    broken += !proof.faults.empty();
    print(exercise, proof);
    append_results(results, proof);
    messages += page_of_messages(exercise, proof);
  }
  if (!request.messages.empty()) {
    write_file(fs::absolute(request.messages), messages);
  }
  if (!request.json.empty()) {
    write_file(fs::absolute(request.json), to_json(results));
  }
  if (broken > 0) {
    fmt::print("{} of {} exercises are broken\n", broken, exercises.size());
  }
  return broken == 0 ? Exit::ok : Exit::failed;
}

Exit try_seeds(const Course &course, const AuthorRequest &request) {
  const auto [exercises, options] = Prepared(course, request);
  std::size_t answers = 0, runs = 0, failed = 0;
  for (const Exercise &exercise : exercises) {
    for (const SeedProof &proof : prove_seeds(exercise, options, *request.seeds)) {
      ++answers;
      runs += proof.runs;
      failed += proof.failed.size();
      fmt::print("{} {} {:<44} {} of {} seeds pass\n",
                 proof.failed.empty() ? green("pass") : red("FAIL"),
                 exercise.short_id(),
                 exercise.name + " " + proof.answer.name,
                 proof.runs - proof.failed.size(),
                 proof.runs);
      const std::string name =
          proof.answer.name.starts_with("right/") ? " --right " + proof.answer.name.substr(6) : "";
      for (const Result &result : proof.failed) {
        fmt::print(
            "  {} {}: {}\n    ./tutor author {}{} >{} && ./tutor check {} --file {} --seed {}\n",
            name_of(result.verdict),
            result.diagnosis,
            result.message,
            exercise.short_id(),
            name,
            exercise.file_name(),
            exercise.short_id(),
            exercise.file_name(),
            result.seed);
      }
      std::fflush(stdout);
    }
  }
  fmt::print("{} answers, {} runs, {} failed\n", answers, runs, failed);
  return failed == 0 ? Exit::ok : Exit::failed;
}

} // namespace

Exit author(const Course &course, const AuthorRequest &request) {
  if (!request.fresh.empty()) {
    const bool exercise = request.fresh.find('/') != std::string::npos;
    return exercise ? new_exercise(course, request.fresh) : new_chapter(course, request.fresh);
  }
  if (request.time) {
    return time_all(course, request);
  }
  if (request.seeds) {
    return try_seeds(course, request);
  }
  if (request.prove) {
    return prove_all(course, request);
  }
  std::vector<Exercise> all = exercises_of(course);
  const Exercise &exercise = only_exercise(all, request);
  if (request.restub) {
    return restub(course, exercise);
  }
  if (!request.from.empty()) {
    return store(exercise, request);
  }
  fmt::print("{}", solved_text(exercise, request.wrong.empty() ? request.right : request.wrong));
  return Exit::ok;
}

} // namespace tutor::commands
