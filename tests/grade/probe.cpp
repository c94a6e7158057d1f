// Tries what a submission must not be able to do, and tells what worked: "fork no", "read yes" …
// Behind it stands no checker: whatever refuses, it is the walls.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <map>
#include <string>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

bool can_fork() {
  const pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  return child > 0 && waitpid(child, nullptr, 0) == child;
}

bool can_write(const char *path) {
  const int file = open(path, O_CREAT | O_WRONLY, 0600);
  return file >= 0 && write(file, "x", 1) == 1;
}

bool can_read(const char *path) {
  char byte;
  const int file = open(path, O_RDONLY);
  return file >= 0 && read(file, &byte, 1) == 1;
}

bool can_start_thread() {
  bool ran = false;
  std::thread([&] { ran = true; }).join();
  return ran;
}

/// As a learner's program of another build begins: with eight bytes that mean nothing, behind their number.
bool greet() {
  const char *number = std::getenv("BF_JUDGE");
  const int judge = number ? std::atoi(number) : -1;
  const char greeting[12] = {8};
  char answer;
  return write(judge, greeting, sizeof greeting) > 0 && read(judge, &answer, 1) > 0;
}

void tell(const std::string &what, bool works) {
  std::printf("%s %s\n", what.c_str(), works ? "yes" : "no");
  std::fflush(stdout);
}

/// By name; each gets what stands behind the equals sign.
const std::map<std::string, std::function<bool(const char *)>> attempts{
    {"fork", [](const char *) { return can_fork(); }},
    {"thread", [](const char *) { return can_start_thread(); }},
    {"read", can_read},
    {"write", can_write},
    {"remove", [](const char *path) { return unlink(path) == 0; }},
    {"signal", [](const char *process) { return kill(std::atoi(process), 0) == 0; }}, // only asks
    {"socket", [](const char *) { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
    {"session", [](const char *) { return setsid() >= 0 || setpgid(0, 0) == 0; }},
    {"shared", [](const char *) { return shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0; }},
    {"memory", [](const char *) { return memfd_create("x", 0) >= 0; }}, // that can be handed on
    {"trace", [](const char *) { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0; }},
    {"limit",
     [](const char *) {
       const rlimit none{0, 0};
       return setrlimit(RLIMIT_CORE, &none) == 0;
     }},
    {"run", [](const char *) { return std::system("true") == 0; }},
    {"greet", [](const char *) { return greet(); }},
    {"abort", [](const char *) -> bool { std::abort(); }},
};

} // namespace

int main(int count, char **words) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t equals = word.find('=');
    const std::string what = word.substr(0, equals);
    tell(what, attempts.at(what)(equals == std::string::npos ? "" : words[i] + equals + 1));
  }
  return 0;
}
