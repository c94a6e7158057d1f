#include "exercises/check.hpp"

#include "environment.hpp"
#include "exercises/check_build.hpp"
#include "exercises/check_messages.hpp"
#include "exercises/limited_program.hpp"
#include "failure.hpp"
#include "lessons/files.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/random.h>

namespace fs = std::filesystem;

namespace tutor {
namespace {

/// 32 hexadecimal digits that nobody can guess.
std::string new_nonce() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
    throw Failure(Exit::failed, "the system gives no random numbers");
  }
  std::string nonce;
  for (unsigned char byte : bytes) {
    nonce += fmt::format("{:02x}", byte);
  }
  return nonce;
}

std::vector<std::string> program_environment(const CheckOptions &options) {
  std::vector<std::string> environment{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "NO_COLOR=1"};
  if (options.backend == Backend::cpu) {
    // An endless loop is named with its line when it has run for about a second.
    environment.push_back("EMU_STEP_LIMIT=5000000");
    environment.push_back("EMU_TIMEOUT=0");
    return environment;
  }
  for (const char *name : {"HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"}) {
    if (const char *value = std::getenv(name)) {
      environment.push_back(fmt::format("{}={}", name, value));
    }
  }
  return environment;
}

Limits limits_for(const CheckOptions &options) {
  Limits limits = options.limits;
  if (options.backend == Backend::gpu) {
    limits.memory_bytes = ~0ull; // a CUDA program reserves more addresses than there is memory
    limits.wall_seconds = std::max(limits.wall_seconds, 60.0);
    limits.cpu_seconds = std::max(limits.cpu_seconds, 60.0);
  }
  return limits;
}

void set(Result &result, Verdict verdict, const std::string &diagnosis, std::string message) {
  result.verdict = verdict;
  result.diagnosis = diagnosis;
  result.message = std::move(message);
}

std::string in_case(const CheckMessages &messages) {
  return messages.running_case().empty()
             ? ""
             : fmt::format(" in the case '{}'", messages.running_case());
}

std::string signal_text(int signal) {
  switch (signal) {
  case SIGSEGV:
  case SIGBUS:
    return "it used memory that it does not have";
  case SIGFPE:
    return "it divided by zero";
  case SIGABRT:
    return "it was aborted";
  case SIGXFSZ:
    return "it wrote too much into a file";
  default:
    return strsignal(signal);
  }
}

/// What a program that did not finish its cases gets, if nothing that came before explains more.
void judge_early_end(Result &result,
                     const CheckMessages &messages,
                     const ProgramEnd &end,
                     const Limits &limits) {
  std::string where = in_case(messages);
  if (end.output_limit) {
    set(result,
        Verdict::fail,
        "output_limit",
        fmt::format("it wrote more than {} KiB{}", limits.output_bytes >> 10, where));
  } else if (end.time_limit) {
    set(result,
        Verdict::timeout,
        "time_limit",
        fmt::format("not done after {:.0f} s{}: a loop without end?", end.seconds, where));
  } else if (end.signal != 0) {
    bool much = end.peak_bytes > limits.memory_bytes / 2;
    set(result,
        Verdict::fail,
        much ? "out_of_memory" : "crash",
        fmt::format("the program ended{}: {}",
                    where,
                    much ? "it asked for more memory than a check may use"
                         : signal_text(end.signal)));
  } else if (end.exit_code == 127 || end.exit_code == 126) {
    set(result, Verdict::not_run, "cannot_start", "the program could not be started");
  } else {
    set(result,
        Verdict::not_run,
        "ended_early",
        fmt::format("the program ended{} with code {} before its checks were done: nothing but the "
                    "checker may end it",
                    where,
                    end.exit_code));
  }
}

void judge(Result &result,
           const CheckMessages &messages,
           const ProgramEnd &end,
           const Limits &limits) {
  result.log = end.output.substr(0, 8000);
  if (end.stopped) {
    set(result, Verdict::not_run, "stopped", "stopped");
  } else if (!messages.finished()) {
    judge_early_end(result, messages, end, limits);
  } else if (!messages.complete()) {
    set(result, Verdict::not_run, "no_case", "no case of the checker has run");
  } else {
    set(result, Verdict::pass, "", "");
    if (messages.failed_cases() > 0 && !messages.anything_wrong()) {
      set(result, Verdict::fail, "wrong_result", "a case failed");
    }
  }
  bool stays = end.stopped || (messages.finished() && !messages.complete());
  Result told = result;
  messages.tell(told);
  if (stays) {
    told.verdict = result.verdict;
    told.diagnosis = result.diagnosis;
    told.message = result.message;
  }
  if (!messages.finished() && !messages.running_case().empty()) {
    told.cases.push_back({messages.running_case(), false, result.message});
  }
  result = std::move(told);
}

void run_cases(const Exercise &exercise,
               const fs::path &program,
               const fs::path &work,
               const CheckOptions &options,
               Result &result) {
  CheckMessages messages(new_nonce(), exercise.file_name());
  LimitedProgram run;
  run.command = {program.string()};
  if (options.isolate) {
    run.command = options.isolate({run.command, work, true});
    run.runs_another = true;
    if (std::optional<fs::path> wrapper = find_program(run.command[0])) {
      run.command[0] = wrapper->string();
    }
  }
  run.folder = work;
  run.environment = program_environment(options);
  run.limits = limits_for(options);
  run.stop = options.stop;
  run.greeting = fmt::format("{}\t{}", messages.nonce(), options.seed);
  run.on_packet = [&](std::string_view packet) { return messages.take(packet); };
  run.addresses_of = options.backend == Backend::cpu ? program : fs::path();
  ProgramEnd end = run_limited(run);
  judge(result, messages, end, run.limits);
}

/// What NVIDIA's sanitizer says of a program that has passed. Its tools, and what each one finds.
struct SanitizerTool {
  const char *tool, *diagnosis;
};
constexpr SanitizerTool sanitizer_tools[] = {{"memcheck", "out_of_bounds"},
                                             {"racecheck", "shared_race"},
                                             {"synccheck", "divergent_barrier"}};

void sanitize(const fs::path &program,
              const fs::path &work,
              const CheckOptions &options,
              Result &result) {
  std::optional<fs::path> sanitizer = find_program("compute-sanitizer");
  if (!sanitizer) {
    return;
  }
  for (const SanitizerTool &tool : sanitizer_tools) {
    LimitedProgram run;
    run.command = {
        sanitizer->string(), "--tool", tool.tool, "--error-exitcode", "99", program.string()};
    run.folder = work;
    run.environment = program_environment(options);
    run.environment.push_back("CHECKER_UNTIMED=1");
    run.environment.push_back(fmt::format("CHECKER_SEED={}", options.seed));
    run.limits = limits_for(options);
    run.limits.wall_seconds = run.limits.cpu_seconds = 300;
    run.limits.file_bytes = 1ull << 30;
    run.stop = options.stop;
    ProgramEnd end = run_limited(run);
    if (end.exit_code != 0 || end.signal != 0) {
      std::size_t first = end.output.find("=========", end.output.find('\n') + 1);
      std::size_t line = end.output.find('\n', first);
      set(result,
          Verdict::hazard,
          tool.diagnosis,
          first == std::string::npos ? fmt::format("compute-sanitizer's {} failed", tool.tool)
                                     : end.output.substr(first + 10, line - first - 10));
      result.log = end.output.substr(0, 8000);
      return;
    }
  }
}

} // namespace

std::string check_target(const Exercise &exercise) {
  return fmt::format("exercise.{}.{}", exercise.chapter, exercise.name);
}

void prepare_checks(const Course &course,
                    const std::vector<Exercise> &exercises,
                    const CheckOptions &options) {
  std::vector<std::string> targets;
  for (const Exercise &exercise : exercises) {
    targets.push_back(check_target(exercise));
  }
  if (!targets.empty()) {
    Build(course.root(), options.backend).build_all(targets, "building the checkers");
  }
}

Result check(const Course &course,
             const Exercise &exercise,
             const fs::path &source,
             const CheckOptions &options) {
  const auto start = std::chrono::steady_clock::now();
  const auto since_start = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto say = [&](std::string_view phase) {
    if (options.on_phase) {
      options.on_phase(phase);
    }
  };
  Result result;
  result.id = exercise.id();
  result.seed = options.seed;
  std::error_code error;
  if (!fs::is_regular_file(source, error) || fs::file_size(source, error) > (4u << 20)) {
    set(result,
        Verdict::not_run,
        "missing_file",
        fmt::format("there is no file {} of a sensible size", source.string()));
    return result;
  }
  say("compiling");
  std::string text = lessons::read_file(source);
  if (text.starts_with("\xef\xbb\xbf")) { // or the screen would not see what the first line is
    text.erase(0, 3);
  }
  CheckTools tools(course.root(), options.backend);
  WorkFolder work;
  fs::path program = build_program(tools, exercise, text, work.path(), options, result);
  result.build_seconds = since_start();
  if (!program.empty()) {
    say("running");
    run_cases(exercise, program, work.path(), options, result);
    if (options.backend == Backend::gpu && result.verdict == Verdict::pass) {
      sanitize(program, work.path(), options, result);
    }
  }
  result.seconds = since_start();
  return result;
}

} // namespace tutor
