#include "exercises/check_run.hpp"

#include "base/environment.hpp"
#include "base/failure.hpp"
#include "exercises/check_messages.hpp"
#include "exercises/limited_program.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <mutex>
#include <sys/random.h>
#include <sys/socket.h>
#include <thread>

namespace tutor {
namespace {

/// 32 hexadecimal digits that nobody can guess.
std::string new_nonce() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
    throw failure("the system gives no random numbers");
  }
  std::string nonce;
  for (unsigned char byte : bytes) {
    nonce += fmt::format("{:02x}", byte);
  }
  return nonce;
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
  case SIGKILL:
    return "it was killed, as the system does where memory runs out";
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
    result.judge(Verdict::fail,
                 "output_limit",
                 fmt::format("it wrote more than {} KiB{}", limits.output_bytes >> 10, where));
  } else if (end.time_limit) {
    result.judge(Verdict::timeout,
                 "time_limit",
                 fmt::format("not done after {:.0f} s{}: a loop without end?", end.seconds, where));
  } else if (end.signal != 0) {
    result.ended_from_outside = end.signal == SIGKILL;
    bool much = end.peak_bytes > limits.memory_bytes / 2;
    result.judge(Verdict::fail,
                 much ? "out_of_memory" : "crash",
                 fmt::format("the program ended{}: {}",
                             where,
                             much ? "it asked for more memory than a check may use"
                                  : signal_text(end.signal)));
  } else if (end.exit_code == 127 || end.exit_code == 126) {
    result.judge(Verdict::not_run, "cannot_start", "the program could not be started");
  } else {
    result.judge(
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
  if (!messages.lie().empty()) {
    result.judge(Verdict::not_run,
                 "protocol",
                 "the program's answers are none that the emulator gives: " + messages.lie());
    return;
  }
  if (end.stopped) {
    result.judge(Verdict::not_run, "stopped", "stopped");
  } else if (!messages.finished()) {
    judge_early_end(result, messages, end, limits);
  } else if (!messages.complete()) {
    result.judge(Verdict::not_run, "no_case", "no case of the checker has run");
  } else {
    result.judge(Verdict::pass, "", "");
    if (messages.failed_cases() > 0 && !messages.anything_wrong()) {
      result.judge(Verdict::fail, "wrong_result", "a case failed");
    }
  }
  bool stays = end.stopped || (messages.finished() && !messages.complete());
  Result told = result;
  messages.tell(told);
  if (stays) {
    told.judge(result.verdict, result.diagnosis, result.message);
  }
  if (!messages.finished() && !messages.running_case().empty()) {
    told.cases.push_back({messages.running_case(), false, result.message});
  }
  result = std::move(told);
}

/// The two ends of a connection between the processes.
struct Connection {
  int judge = -1, learner = -1;
  Connection() {
    int both[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) {
      throw failure("cannot make a socket: {}", std::strerror(errno));
    }
    judge = both[0];
    learner = both[1];
  }
};

/// The judge, which runs beside the learner's process and ends it when it has heard enough.
class JudgeRun {
public:
  JudgeRun(LimitedProgram program, std::stop_token stop)
      : program_(std::move(program)), stopped_(std::move(stop), [this] { stop_.request_stop(); }),
        thread_([this] { run(); }) {}

  /// When it is asked to stop, the learner's process is no longer needed.
  std::stop_token enough() const { return enough_.get_token(); }

  /// The learner's process has ended: waits for the judge to notice.
  ProgramEnd end() {
    {
      const std::lock_guard lock(mutex_);
      learner_ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    return end_;
  }

private:
  void run() {
    try {
      program_.stop = stop_.get_token();
      end_ = run_limited(program_);
    } catch (...) {
      failure_ = std::current_exception();
    }
    // It ends by itself when nobody asks any more; what it printed last is read then.
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(300), [this] { return learner_ended_; });
    enough_.request_stop();
  }

  LimitedProgram program_;
  std::stop_source stop_, enough_;
  std::stop_callback<std::function<void()>> stopped_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool learner_ended_ = false;
  ProgramEnd end_;
  std::exception_ptr failure_;
  std::jthread thread_;
};

/// What is freed is soon asked for again: the C library need not give it back to the system, page by page.
constexpr const char *keeps_what_is_freed =
    "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=1073741824";

/// The judge's own process: it has no code of the learner's, and its limits are the last resort.
LimitedProgram
judge_program(const CheckPrograms &programs, const CheckOptions &options, int connection) {
  LimitedProgram judge;
  judge.command = {programs.judge.string()};
  judge.folder = programs.work;
  judge.environment = {"LC_ALL=C.UTF-8", keeps_what_is_freed};
  if (options.picture) {
    judge.environment.push_back("CHECKER_PICTURE=1");
  }
  judge.limits.wall_seconds = options.limits.wall_seconds + 5;
  judge.limits.cpu_seconds = options.limits.cpu_seconds + 5;
  judge.lent = {{"BF_LEARNER", connection}};
  return judge;
}

} // namespace

std::vector<std::string> program_environment(const CheckOptions &options) {
  std::vector<std::string> environment{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "NO_COLOR=1"};
  if (options.backend == Backend::cpu) {
    // An endless loop is named with its line when it has run for about a second.
    environment.push_back("EMU_STEP_LIMIT=10000000");
    environment.push_back("EMU_TIMEOUT=0");
    environment.push_back(keeps_what_is_freed);
  } else {
    append(environment, inherited({"HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"}));
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

void run_cases(const Exercise &exercise,
               const CheckPrograms &programs,
               const CheckOptions &options,
               Result &result) {
  const fs::path &program = programs.learner, &work = programs.work;
  CheckMessages messages(new_nonce(), exercise.file_name(), exercise.chapter_number);
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
  const std::string greeting =
      fmt::format("{}\t{}\t{}", messages.nonce(), options.seed, programs.own_numbers);
  const auto take = [&](std::string_view packet) { return messages.take(packet); };
  if (programs.judge.empty()) {
    run.greeting = greeting;
    run.on_packet = take;
    judge(result, messages, run_limited(run), run.limits);
    return;
  }
  const Connection connection;
  LimitedProgram judging = judge_program(programs, options, connection.judge);
  judging.greeting = greeting;
  judging.on_packet = take;
  run.lent = {{"BF_JUDGE", connection.learner}};
  // One of the two always waits for the other: on another processor that one would have to be woken first, at each of
  // thousands of questions. Where we run now there is room, as we shall wait for both.
  run.processor = judging.processor = sched_getcpu();
  JudgeRun judge_run(judging, options.stop);
  run.stop = judge_run.enough();
  ProgramEnd end = run_limited(run);
  const ProgramEnd end_of_judge = judge_run.end();
  end.stopped = options.stop.stop_requested();
  if (end_of_judge.signal != 0 && !messages.finished() && !end.stopped) {
    throw failure("the checker of {} {}, or a hidden check of it",
                  exercise.id(),
                  end_of_judge.time_limit
                      ? "does not come to an end"
                      : fmt::format("crashes (signal {})", end_of_judge.signal));
  }
  if (!messages.too_much().empty()) {
    throw failure(
        "the checker of {}, or a hidden check of it, hands over more than {} MiB in one call "
        "or copy{}: that is the limit; make the case smaller",
        exercise.id(),
        messages.too_much(),
        in_case(messages));
  }
  if (messages.other_build()) {
    throw failure("the judge of {0} and the program that it judges are of different builds of the "
                  "course: build them "
                  "again (cmake --build {1} --target {2})",
                  exercise.id(),
                  Build(exercise.root, options.backend).folder(),
                  check_target(exercise));
  }
  judge(result, messages, end, run.limits);
}

} // namespace tutor
