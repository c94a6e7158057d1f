#include "signals.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "block.hpp"
#include "grid.hpp"

namespace emu {

namespace {

// The handler never returns to the faulting instruction: it leaves the kernel by switching to the
// host thread's own stack, so the next fault finds the signal stack free again (SA_NODEFER).
void on_fault(int signal, siginfo_t *info, void *) {
  if (!in_kernel()) {
    std::signal(signal, SIG_DFL); // the same instruction faults again and ends the program
    return;
  }
  char text[160];
  if (signal == SIGFPE)
    std::snprintf(
        text, sizeof text, "an integer division by zero (a GPU gives an undefined result)");
  else
    std::snprintf(text,
                  sizeof text,
                  "no memory at address %p; try: ./tutor observe names the line",
                  info->si_addr);
  if (signal == SIGFPE)
    fail_launch(cudaErrorLaunchFailure, "division_by_zero", text, {});
  fail_launch(cudaErrorIllegalAddress, "out_of_bounds", text, {});
}

constexpr size_t stack_bytes = 64 << 10;
thread_local std::unique_ptr<char[]> signal_stack;
constexpr std::array faults{SIGSEGV, SIGBUS, SIGFPE};

} // namespace

void give_signal_stack() {
  signal_stack = std::make_unique<char[]>(stack_bytes);
  stack_t stack{};
  stack.ss_sp = signal_stack.get();
  stack.ss_size = stack_bytes;
  sigaltstack(&stack, nullptr);
}

FaultHandlers::FaultHandlers() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (size_t i = 0; i < faults.size(); ++i)
    sigaction(faults[i], &action, &before_[i]);
}

FaultHandlers::~FaultHandlers() {
  for (size_t i = 0; i < faults.size(); ++i)
    sigaction(faults[i], &before_[i], nullptr);
}

} // namespace emu

// The C library calls this when an assert() fails; inside a kernel it must end the launch only.
extern "C" [[noreturn]] void __assert_fail(const char *expression,
                                           const char *file,
                                           unsigned line,
                                           const char *function) noexcept(true) {
  if (emu::in_kernel()) {
    char text[512];
    std::snprintf(text, sizeof text, "`%s` failed in %s", expression, function);
    emu::fail_launch(cudaErrorAssert, "assert", text, {file, static_cast<int>(line)});
  }
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
  std::abort();
}
