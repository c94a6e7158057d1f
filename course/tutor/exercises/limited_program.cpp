#include "exercises/limited_program.hpp"

#include "base/descriptor.hpp"
#include "base/failure.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace tutor {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char *what) {
  throw failure("cannot {}: {}", what, std::strerror(errno));
}

Ends make_channel() {
  int both[2];
  // Packets, so that what somebody else writes into the channel cannot run into ours.
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both) != 0) {
    fail("make a socket");
  }
  return {Descriptor(both[0]), Descriptor(both[1])};
}

void limit(int resource, rlim_t most) {
  rlimit now{};
  getrlimit(static_cast<__rlimit_resource_t>(resource), &now);
  now.rlim_max = std::min(now.rlim_max, most);
  now.rlim_cur = now.rlim_max;
  setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

void run_on(int processor, pid_t process) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  sched_setaffinity(process, sizeof one, &one); // it would run elsewhere, too
}

/// What the child does between vfork and exec: system calls only, for it works in its parent's memory,
/// where other threads may hold any lock.
class Child {
public:
  explicit Child(const LimitedProgram &program)
      : limits_(program.limits), processor_(program.greeting.empty() ? program.processor : -1),
        folder_(program.folder.string()), words_(program.command),
        environment_(program.environment) {}

  /// To be open in the program, under the numbers they have.
  void keep(int descriptor) { kept_.push_back(descriptor); }
  void add_environment(std::string entry) { environment_.push_back(std::move(entry)); }
  void prepare() {
    arguments_ = arguments_of(words_);
    variables_ = arguments_of(environment_);
  }

  [[noreturn]] void become(int output, pid_t parent) {
    setsid(); // a group to kill, and no terminal
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
      _exit(126); // it has died already
    }
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) != 0) {
      for (int number = 3; number < 1024; ++number) { // Linux before 5.11
        fcntl(number, F_SETFD, FD_CLOEXEC);
      }
    }
    for (int number : kept_) {
      fcntl(number, F_SETFD, 0);
    }
    signal(SIGPIPE, SIG_DFL);
    if (processor_ >= 0) {
      run_on(processor_, 0);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    auto seconds = static_cast<rlim_t>(limits_.cpu_seconds);
    limit(RLIMIT_CPU, seconds > 0 ? seconds : 1);
    limit(RLIMIT_AS, limits_.memory_bytes);
    limit(RLIMIT_FSIZE, limits_.file_bytes);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NPROC, static_cast<rlim_t>(limits_.processes));
    if (chdir(folder_.c_str()) == 0) {
      execve(arguments_[0], arguments_.data(), variables_.data());
    }
    _exit(127);
  }

private:
  Limits limits_;
  int processor_;
  std::string folder_;
  std::vector<std::string> words_, environment_;
  std::vector<char *> arguments_, variables_;
  std::vector<int> kept_;
};

/// Watches a program that runs, and ends it when it must.
class Watch {
public:
  Watch(const LimitedProgram &program, pid_t child, int output, int channel)
      : program_(program), child_(child), output_(output), channel_(channel) {}

  ProgramEnd until_end() {
    int status = 0;
    rusage used{};
    while (wait4(child_, &status, WNOHANG, &used) != child_) {
      read_for_a_while();
      check_limits();
    }
    kill(-child_, SIGKILL); // whoever is left of its group
    drain();
    end_.seconds = seconds();
    end_.peak_bytes = static_cast<std::size_t>(used.ru_maxrss) * 1024;
    end_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (program_.runs_another && end_.exit_code > 128) {
      end_.signal = end_.exit_code - 128;
      end_.exit_code = 0;
    }
    double cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    end_.time_limit |=
        !killed_ && (end_.signal == SIGXCPU ||
                     (end_.signal == SIGKILL && cpu + 1 >= program_.limits.cpu_seconds));
    return std::move(end_);
  }

private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// Whether it had a processor for half of the time that it may take. Where others keep it from that, or it
  /// waits, or runs behind bubblewrap, where its own time is not seen, it gets more.
  bool had_its_turn() const {
    clockid_t clock{};
    timespec used{};
    return clock_getcpuclockid(child_, &clock) == 0 && clock_gettime(clock, &used) == 0 &&
           static_cast<double>(used.tv_sec) >= program_.limits.wall_seconds / 2;
  }

  void end_it() {
    killed_ = true;
    kill(-child_, SIGKILL);
    kill(child_, SIGKILL); // in case it is not yet in its own group
  }

  void check_limits() {
    if (killed_) {
      return;
    }
    if (program_.stop.stop_requested()) {
      end_.stopped = true;
      end_it();
    } else if (seconds() > program_.limits.wall_seconds * (had_its_turn() ? 1 : 4)) {
      end_.time_limit = true;
      end_it();
    } else if (end_.output_limit || end_.finished) {
      end_it();
    }
  }

  void read_for_a_while() {
    // A descriptor of -1 is left out. The end of the child shows as a hang-up of both.
    pollfd sources[3] = {
        {output_open_ ? output_ : -1, POLLIN, 0}, {channel_, POLLIN, 0}, {ended_.get(), POLLIN, 0}};
    bool none = !output_open_ && channel_ < 0;
    if (poll(sources, 3, none || killed_ ? 1 : 20) <= 0) {
      return;
    }
    if (sources[0].revents != 0) {
      read_output();
    }
    if (sources[1].revents != 0) {
      read_packet();
    }
  }

  void read_output() {
    char chunk[65536];
    ssize_t length = read(output_, chunk, sizeof chunk);
    if (length <= 0) {
      output_open_ = length < 0 && errno == EINTR;
      return;
    }
    std::size_t room = program_.limits.output_bytes - end_.output.size();
    end_.output.append(chunk, std::min(room, static_cast<std::size_t>(length)));
    end_.output_limit |= static_cast<std::size_t>(length) > room;
  }

  bool read_packet() {
    char packet[65536];
    ssize_t length = recv(channel_, packet, sizeof packet, MSG_DONTWAIT);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
      return false;
    }
    if (length <= 0) {
      channel_ = -1;
      return false;
    }
    if (!std::exchange(heard_, true) && program_.processor >= 0) {
      run_on(program_.processor, child_);
    }
    if (!end_.finished && program_.on_packet) {
      end_.finished = program_.on_packet({packet, static_cast<std::size_t>(length)});
    }
    return true;
  }

  /// What was written before the end and not yet read.
  void drain() {
    while (channel_ >= 0 && read_packet()) {
    }
    for (int rounds = 0; rounds < 64 && output_open_; ++rounds) {
      pollfd source{output_, POLLIN, 0};
      if (poll(&source, 1, 0) <= 0) {
        break;
      }
      read_output();
    }
  }

  const LimitedProgram &program_;
  pid_t child_;
  int output_;
  int channel_;
  Descriptor ended_{static_cast<int>(syscall(SYS_pidfd_open, child_, 0))}; // none before Linux 5.3
  bool output_open_ = true;
  bool killed_ = false;
  bool heard_ = false;
  Clock::time_point start_ = Clock::now();
  ProgramEnd end_;
};

} // namespace

std::vector<std::string> inherited(std::initializer_list<const char *> names) {
  std::vector<std::string> variables;
  for (const char *name : names) {
    if (const char *value = std::getenv(name)) {
      variables.push_back(fmt::format("{}={}", name, value));
    }
  }
  return variables;
}

ProgramEnd run_limited(const LimitedProgram &program) {
  Ends output = make_pipe(), channel;
  Child child(program);
  if (!program.greeting.empty()) {
    channel = make_channel();
    if (send(channel.first.get(), program.greeting.data(), program.greeting.size(), MSG_NOSIGNAL) <
        0) {
      fail("write to a socket");
    }
    child.keep(channel.second.get());
    child.add_environment(fmt::format("BF_CHANNEL={}", channel.second.get()));
  }
  for (const LentDescriptor &lent : program.lent) {
    child.keep(lent.number);
    child.add_environment(fmt::format("{}={}", lent.variable, lent.number));
  }
  child.prepare();

  pid_t parent = getpid();
  pid_t started = vfork(); // until exec it has this memory, whose pages fork would copy
  if (started < 0) {
    fail("start a process");
  }
  if (started == 0) {
    child.become(output.second.get(), parent);
  }
  output.second.close_now();
  channel.second.close_now();
  for (const LentDescriptor &lent : program.lent) {
    close(lent.number);
  }
  return Watch(program, started, output.first.get(), channel.first.get()).until_end();
}

} // namespace tutor
