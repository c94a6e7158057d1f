#include "base/process.hpp"

#include "base/descriptor.hpp"
#include "base/failure.hpp"
#include "base/text.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tutor {
namespace {

constexpr int cannot_start = 127;

/// Hands each line that comes out of a pipe to `on_line`, until nobody can write to it any more.
void read_lines(int end, const std::function<void(std::string_view)> &on_line) {
  std::string pending; // what came after the last line break
  char chunk[4096];
  ssize_t length;
  while ((length = read(end, chunk, sizeof chunk)) != 0) {
    if (length < 0) {
      if (errno == EINTR) {
        continue;
      }
      break;
    }
    pending.append(chunk, static_cast<std::size_t>(length));
    std::size_t begin = 0;
    for (std::size_t last; (last = pending.find('\n', begin)) != std::string::npos;
         begin = last + 1) {
      on_line(std::string_view(pending).substr(begin, last - begin));
    }
    pending.erase(0, begin);
  }
  if (!pending.empty()) {
    on_line(pending);
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

void append(Command &command, const Command &words) {
  command.insert(command.end(), words.begin(), words.end());
}

std::vector<char *> arguments_of(const Command &command) {
  std::vector<char *> arguments;
  for (const std::string &word : command) {
    arguments.push_back(const_cast<char *>(word.c_str())); // exec's signature, not its behaviour
  }
  arguments.push_back(nullptr);
  return arguments;
}

pid_t start(const Command &command, const Beginning &beginning) {
  std::fflush(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, beginning.folder.c_str());
  for (const auto &[ours, its] : {std::pair(beginning.input, STDIN_FILENO),
                                  {beginning.output, STDOUT_FILENO},
                                  {beginning.errors, STDERR_FILENO}}) {
    if (ours >= 0) {
      posix_spawn_file_actions_adddup2(&actions, ours, its);
    }
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (beginning.own_group) {
    // Ctrl-Z is not for such a child. One that comes before it has its group would stop it before its
    // program begins, and us with it, who wait for that.
    sigset_t mask;
    sigprocmask(SIG_SETMASK, nullptr, &mask);
    sigaddset(&mask, SIGTSTP);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  } else if (beginning.own_session) {
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  }
  pid_t child = -1;
  const std::vector<char *> arguments = arguments_of(command);
  const int error =
      posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

int run_by_line(const Command &command,
                const fs::path &folder,
                const std::function<void(std::string_view)> &on_line) {
  Ends pipe = make_pipe();
  const int output = pipe.second.get();
  const pid_t child = start(command, {.folder = folder, .output = output, .errors = output});
  pipe.second.close_now();
  if (child < 0) {
    return cannot_start;
  }
  read_lines(pipe.first.get(), on_line);
  return wait_for(child);
}

Captured capture(const Command &command, const fs::path &folder, const std::stop_token &stop) {
  Ends pipe = make_pipe();
  Captured result{cannot_start, ""};
  const int output = pipe.second.get();
  const pid_t child =
      start(command, {.folder = folder, .output = output, .errors = output, .own_group = true});
  pipe.second.close_now();
  if (child < 0) {
    return result;
  }
  {
    // Only while the child is surely there: its number may be another's once we have waited for it.
    std::stop_callback end(stop, [child] { kill(-child, SIGTERM); });
    read_lines(pipe.first.get(),
               [&](std::string_view line) { result.output.append(line).push_back('\n'); });
  }
  result.exit_code = wait_for(child);
  return result;
}

Captured capture(const Command &command, const fs::path &folder) {
  Captured result;
  result.exit_code = run_by_line(
      command, folder, [&](std::string_view line) { result.output.append(line).push_back('\n'); });
  return result;
}

int run(const Command &command, const fs::path &folder) {
  const pid_t child = start(command, {.folder = folder});
  return child < 0 ? cannot_start : wait_for(child);
}

namespace {

volatile pid_t told_of_end = -1;

} // namespace

int run_to_its_end(const Command &command) {
  constexpr std::array signals{SIGINT, SIGTERM};
  std::array<struct sigaction, signals.size()> before;
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    if (signal == SIGTERM && told_of_end > 0) {
      kill(told_of_end, signal);
    }
  };
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], &action, &before[i]);
    if (before[i].sa_handler == SIG_IGN) { // then it is nothing to the command either
      sigaction(signals[i], &before[i], nullptr);
    }
  }
  const pid_t child = start(command, {});
  told_of_end = child;
  const int exit_code = child < 0 ? cannot_start : wait_for(child);
  told_of_end = -1;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], &before[i], nullptr);
  }
  return exit_code;
}

void become(const Command &command) {
  std::fflush(nullptr);
  std::vector<char *> arguments = arguments_of(command);
  execvp(arguments[0], arguments.data());
  throw failure("cannot run {}: {}", command[0], std::strerror(errno));
}

std::string shell_text(const Command &command) {
  std::string text;
  for (const std::string &word : command) {
    text += text.empty() ? "" : " ";
    if (!word.empty() && word.find_first_of(" \t\n\"'\\$`*?[]()<>|&;#~!{}") == std::string::npos) {
      text += word;
      continue;
    }
    text += "'" + replaced(word, "'", "'\\''") + "'";
  }
  return text;
}

} // namespace tutor
