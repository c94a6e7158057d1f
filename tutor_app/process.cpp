#include "process.hpp"

#include "failure.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tutor {
namespace {

constexpr int cannot_start = 127;

std::vector<char *> arguments_of(const Command &command) {
  std::vector<char *> arguments;
  for (const std::string &word : command) {
    arguments.push_back(const_cast<char *>(word.c_str())); // exec's signature, not its behaviour
  }
  arguments.push_back(nullptr);
  return arguments;
}

/// Starts a command; its stdout and stderr go to `output` unless that is -1. Returns -1 on failure.
pid_t start(const Command &command, const std::filesystem::path &folder, int output) {
  std::fflush(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  if (output >= 0) {
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  }
  pid_t child = -1;
  std::vector<char *> arguments = arguments_of(command);
  int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

int run_by_line(const Command &command,
                const std::filesystem::path &folder,
                const std::function<void(std::string_view)> &on_line) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw Failure(Exit::failed, std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  pid_t child = start(command, folder, ends[1]);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return cannot_start;
  }

  std::string pending; // what came after the last line break
  char chunk[4096];
  ssize_t length;
  while ((length = read(ends[0], chunk, sizeof chunk)) != 0) {
    if (length < 0) {
      if (errno == EINTR) {
        continue;
      }
      break;
    }
    pending.append(chunk, static_cast<std::size_t>(length));
    std::size_t begin = 0;
    for (std::size_t end; (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1) {
      on_line(std::string_view(pending).substr(begin, end - begin));
    }
    pending.erase(0, begin);
  }
  close(ends[0]);
  if (!pending.empty()) {
    on_line(pending);
  }
  return wait_for(child);
}

Captured capture(const Command &command, const std::filesystem::path &folder) {
  Captured result;
  result.exit_code = run_by_line(
      command, folder, [&](std::string_view line) { result.output.append(line).push_back('\n'); });
  return result;
}

int run(const Command &command, const std::filesystem::path &folder) {
  pid_t child = start(command, folder, -1);
  return child < 0 ? cannot_start : wait_for(child);
}

void become(const Command &command) {
  std::fflush(nullptr);
  std::vector<char *> arguments = arguments_of(command);
  execvp(arguments[0], arguments.data());
  throw Failure(Exit::failed, "cannot run " + command[0] + ": " + std::strerror(errno));
}

std::string shell_text(const Command &command) {
  std::string text;
  for (const std::string &word : command) {
    text += text.empty() ? "" : " ";
    if (!word.empty() && word.find_first_of(" \t\n\"'\\$`*?[]()<>|&;#~!{}") == std::string::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (char c : word) {
      text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    text += '\'';
  }
  return text;
}

} // namespace tutor
