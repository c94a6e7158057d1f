// What happens when the instruments themselves have a fault: one line, and an end.
#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "../../observe/recorder.hpp"
#include "hazards.hpp"
#include <observation/observe.hpp>

namespace {

struct End {
  int status;
  std::string said;
};

/// Runs a correct case in a process of its own, once `spoil` has spoilt the shadow of the memory that it writes.
End run_with(void (*spoil)(emu::Region &)) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (const int signal : {SIGSEGV, SIGABRT})
      std::signal(signal, SIG_DFL); // not doctest's
    dup2(ends[1], STDERR_FILENO);
    alarm(20);
    const hazards::Memory memory = hazards::fresh_memory();
    emu::start_observing();
    for (const hazards::Case &c : hazards::cases()) {
      if (c.name != "reversed_with_barrier")
        continue;
      c.run(memory);
      spoil(*emu::recorder()->shadow().find(reinterpret_cast<char *>(memory.raw)));
      c.run(memory);
    }
    _exit(0);
  }
  close(ends[1]);
  End end{};
  char text[512];
  for (ssize_t n; (n = read(ends[0], text, sizeof text)) > 0;)
    end.said.append(text, static_cast<size_t>(n));
  close(ends[0]);
  waitpid(child, &end.status, 0);
  return end;
}

} // namespace

TEST_CASE("a fault of the instruments is not taken for the kernel's, and ends the program") {
  const auto nothing = [](emu::Region &) {};
  const auto of_what_was_written = [](emu::Region &memory) { memory.written = nullptr; };
  const auto of_who_did = [](emu::Region &memory) { memory.cells = nullptr; };

  const End sound = run_with(nothing);
  CHECK(sound.said.empty());
  CHECK((WIFEXITED(sound.status) && WEXITSTATUS(sound.status) == 0));
  for (const auto spoil : {+of_what_was_written, +of_who_did}) {
    const End end = run_with(spoil);
    CHECK((WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGSEGV));
    const std::string line = "emulator: the instruments themselves have failed";
    CHECK(end.said.rfind(line, 0) == 0);
    CHECK(end.said.find('\n') == end.said.size() - 1);
  }
}
