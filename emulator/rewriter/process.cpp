#include "process.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace rewriter {
namespace {

/// Our environment, in which compilers speak English, as what reads their words does.
std::vector<std::string> english_environment() {
  std::vector<std::string> environment{"LC_ALL=C.UTF-8"};
  for (char **variable = environ; *variable != nullptr; ++variable)
    if (const std::string_view text = *variable;
        !text.starts_with("LC_ALL=") && !text.starts_with("LANGUAGE="))
      environment.emplace_back(text);
  return environment;
}

/// As exec takes them.
std::vector<char *> pointers_to(const std::vector<std::string> &words) {
  std::vector<char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(const_cast<char *>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

} // namespace

Ended run(const std::vector<std::string> &command) {
  const std::vector<std::string> environment = english_environment();
  std::vector<char *> arguments = pointers_to(command), variables = pointers_to(environment);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    throw std::runtime_error("cannot start " + command[0] + ": " + std::strerror(error));
  }
  Ended result{0, ""};
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (got > 0)
      result.said.append(buffer, static_cast<size_t>(got));
    else if (errno != EINTR)
      break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

} // namespace rewriter
