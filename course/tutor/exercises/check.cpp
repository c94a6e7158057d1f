#include "exercises/check.hpp"

#include "base/diff.hpp"
#include "base/environment.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "exercises/answers.hpp"
#include "exercises/check_build.hpp"
#include "exercises/check_run.hpp"
#include "exercises/limited_program.hpp"
#include "exercises/own_numbers.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <iterator>
#include <set>

namespace tutor {
namespace {

/// What NVIDIA's sanitizer says of a program that has passed. Its tools, and what each one finds.
struct SanitizerTool {
  const char *tool, *diagnosis;
};
constexpr SanitizerTool sanitizer_tools[] = {{"memcheck", "out_of_bounds"},
                                             {"racecheck", "shared_race"},
                                             {"synccheck", "divergent_barrier"}};

void sanitize(const CheckPrograms &programs, const CheckOptions &options, Result &result) {
  std::optional<fs::path> sanitizer = find_program("compute-sanitizer");
  if (!sanitizer) {
    return;
  }
  for (const SanitizerTool &tool : sanitizer_tools) {
    LimitedProgram run;
    run.command = {sanitizer->string(),
                   "--tool",
                   tool.tool,
                   "--error-exitcode",
                   "99",
                   programs.learner.string()};
    run.folder = programs.work;
    run.environment = program_environment(options);
    run.environment.push_back("CHECKER_UNTIMED=1");
    run.environment.push_back(fmt::format("CHECKER_SEED={}", options.seed));
    run.environment.push_back("CHECKER_OWN_NUMBERS=" + programs.own_numbers);
    run.limits = limits_for(options);
    run.limits.wall_seconds = run.limits.cpu_seconds = 300;
    run.limits.file_bytes = 1ull << 30;
    run.stop = options.stop;
    ProgramEnd end = run_limited(run);
    if (end.exit_code != 0 || end.signal != 0) {
      std::size_t first = end.output.find("=========", end.output.find('\n') + 1);
      std::size_t line = end.output.find('\n', first);
      result.judge(Verdict::hazard,
                   tool.diagnosis,
                   first == std::string::npos
                       ? fmt::format("compute-sanitizer's {} failed", tool.tool)
                       : end.output.substr(first + 10, line - first - 10));
      result.log = end.output.substr(0, 8000);
      return;
    }
  }
}

/// What hidden cases came to, behind what the public ones did: a verdict of these stays.
void add_hidden(Result &result, Result hidden) {
  for (CaseResult &one : hidden.cases) {
    one.hidden = true;
    result.cases.push_back(std::move(one));
  }
  result.counters.merge(hidden.counters);
  result.ended_from_outside |= hidden.ended_from_outside;
  if (result.verdict == Verdict::pass && hidden.verdict != Verdict::pass) {
    result.judge(hidden.verdict, hidden.diagnosis, hidden.message);
    result.by_hidden = true;
    result.where = std::move(hidden.where);
    result.log = std::move(hidden.log);
  }
}

} // namespace

void leave_out_given_lines(const Exercise &exercise, const std::string &text, Result &result) {
  const auto writes = [](const Place &place) { return place.what == "writes the results"; };
  if (std::ranges::none_of(result.where, writes)) {
    return;
  }
  const std::string stub = read_file(exercise.stub);
  const std::vector<std::string> lines = split_lines(stub), written = split_lines(text);
  const std::vector<TodoRegion> regions = todo_regions(stub, exercise.stub);
  std::set<std::string> given;
  for (std::size_t k = 1; k <= lines.size(); ++k) {
    if (std::ranges::none_of(
            regions, [&](const TodoRegion &one) { return one.first <= k && k <= one.last; })) {
      given.insert(lines[k - 1]);
    }
  }
  std::erase_if(result.where, [&](const Place &place) {
    const auto line = static_cast<std::size_t>(place.line);
    return writes(place) && 0 < line && line <= written.size() && given.contains(written[line - 1]);
  });
}

std::string check_target(const Exercise &exercise) {
  return fmt::format("exercise.{}.{}", exercise.chapter, exercise.name);
}

void prepare_checks(const std::vector<Exercise> &exercises, const CheckOptions &options) {
  if (!exercises.empty()) {
    Build(exercises.front().root, options.backend)
        .build_all(each(exercises, check_target), "building the checkers");
  }
}

std::vector<Result> check_with(const Exercise &exercise,
                               const fs::path &source,
                               const CheckOptions &options,
                               const std::vector<Inputs> &all) {
  auto start = std::chrono::steady_clock::now();
  const auto since_start = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto say = [&](std::string_view phase) {
    if (options.on_phase) {
      options.on_phase(phase);
    }
  };
  Result built;
  built.id = exercise.id();
  built.seed = all.front().seed;
  std::error_code error;
  if (!fs::is_regular_file(source, error) || fs::file_size(source, error) > (4u << 20)) {
    built.judge(Verdict::not_run,
                "missing_file",
                fmt::format("there is no file {} of a sensible size", source));
    return {built};
  }
  say("compiling");
  // Or the screen would not see what the first line is, nor what the others are: for g++ "\r" alone ends one.
  const std::string text =
      replaced(replaced(without_mark(read_file(source)), "\r\n", "\n"), "\r", "\n");
  if (text.find('\0') != std::string::npos) {
    built.judge(Verdict::build_error,
                "compile_error",
                fmt::format("{} is no plain text (UTF-16, perhaps): save it as UTF-8",
                            exercise.file_name()));
    return {built};
  }
  CheckTools tools(exercise.root, options.backend);
  // Hidden cases come last, in a process of their own: what a submission keeps of them reaches no case that is shown.
  std::vector<BuiltChecker> checkers{tools.checker(exercise)};
  if (!options.extra_check.empty()) {
    checkers.push_back(tools.extra_checker(options.extra_check));
  }
  WorkFolder work;
  const std::vector<fs::path> programs =
      build_programs(tools, exercise, checkers, text, work.path(), options, built);
  built.build_seconds = since_start();
  if (programs.empty()) {
    built.seconds = built.build_seconds;
    return {built};
  }
  const std::string named = own_numbers_text(text, read_file(exercise.stub));
  std::vector<Result> results;
  for (const auto &[seed, numbers] : all) {
    Result &result = results.emplace_back(built);
    result.build_seconds = results.size() == 1 ? built.build_seconds : 0;
    CheckOptions with_seed = options;
    with_seed.seed = result.seed = seed;
    say("running");
    const auto run = [&](std::size_t checker, Result &of_it) {
      const CheckPrograms both{
          programs[checker], checkers[checker].judge, work.path(), numbers.value_or(named)};
      run_cases(exercise, both, with_seed, of_it);
      if (options.backend == Backend::gpu && of_it.verdict == Verdict::pass) {
        sanitize(both, with_seed, of_it);
      }
    };
    run(0, result);
    if (checkers.size() > 1 &&
        result.verdict != Verdict::timeout) { // or it costs the time once more
      const double before = since_start();
      Result hidden = built;
      run(1, hidden);
      add_hidden(result, std::move(hidden));
      result.hidden_seconds = since_start() - before;
    }
    leave_out_given_lines(exercise, text, result);
    result.seconds = since_start();
    start = std::chrono::steady_clock::now();
  }
  return results;
}

Result check(const Exercise &exercise, const fs::path &source, const CheckOptions &options) {
  return check_with(exercise, source, options, {{options.seed}}).front();
}

} // namespace tutor
