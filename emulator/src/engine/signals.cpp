#include "engine/signals.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <ucontext.h>
#include <unistd.h>

#include "emu/runtime/errors.hpp"
#include "engine/block.hpp"
#include "engine/thread_object.hpp"
#include "engine/watcher.hpp"

namespace emu {

namespace {

// x86 does not say at which address an instruction that wants a multiple of 16 bytes was given another
// one. The same goes for addresses too large for any memory; those are rare next to a float4 read
// at an odd index.
bool without_address([[maybe_unused]] const siginfo_t *info) {
#if defined(__x86_64__) && defined(SI_KERNEL)
  return info->si_code == SI_KERNEL && info->si_addr == nullptr;
#else
  return false;
#endif
}

/// Of the instruction that a signal came at.
const char *instruction_of(const void *context) {
  const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const char *>(machine.gregs[REG_RIP]);
#else
  return reinterpret_cast<const char *>(machine.pc);
#endif
}

constexpr std::array faults{SIGSEGV, SIGBUS, SIGFPE};
std::array<struct sigaction, faults.size()> handlers_before; // the launch that runs

// A fault of the host's own goes where it went before the launch.
void hand_on(int signal, siginfo_t *info, void *context) {
  const auto place = std::find(faults.begin(), faults.end(), signal) - faults.begin();
  const struct sigaction &before = handlers_before[static_cast<size_t>(place)];
  if ((before.sa_flags & SA_SIGINFO) != 0)
    before.sa_sigaction(signal, info, context);
  else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    before.sa_handler(signal);
  else
    std::signal(signal, SIG_DFL); // the same instruction faults again and ends the program
}

// Only what a handler may do: it takes no lock and no memory, notes what happened, and leaves. It never
// returns to the faulting instruction but switches to the host thread's own stack, so the next fault
// finds the signal stack free again (SA_NODEFER). What is to be said is said there (tell_fault).
void on_fault(int signal, siginfo_t *info, void *context) {
  const bool watching = kernel_watcher && kernel_watcher->is_looking();
  if (watching) {
    constexpr char text[] =
        "emulator: the instruments themselves have failed: this is a fault of the "
        "emulator; the program without instruments runs\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  }
  if (watching)
    std::signal(signal, SIG_DFL); // the same instruction faults again and ends the program
  else if (!in_kernel())
    hand_on(signal, info, context);
  if (watching || !in_kernel())
    return;
  this_block->abandon({signal,
                       static_cast<const char *>(info->si_addr),
                       !without_address(info),
                       instruction_of(context)});
}

/// This host thread's stack for handlers. Whoever had given it another one before (a sanitizer does)
/// finds that one again when the thread ends.
class SignalStack {
public:
  SignalStack() {
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = bytes;
    sigaltstack(&stack, &before_);
  }
  ~SignalStack() { sigaltstack(&before_, nullptr); }
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

private:
  static constexpr size_t bytes = 64 << 10;
  std::unique_ptr<char[]> memory_ = std::make_unique<char[]>(bytes);
  stack_t before_{};
};

/// A function as __PRETTY_FUNCTION__ has it, and of a kernel's body, a lambda as the rewriter has it, the kernel. g++
/// says `add(int)::<lambda()>`, clang `auto add(int)::(anonymous class)::operator()() const`, later `(lambda at FILE:…`.
std::string_view without_body(std::string_view function) {
  for (const char *body : {"::<lambda(", "::(anonymous class)::", "::(lambda at "})
    if (const size_t end = function.find(body); end != function.npos) {
      const size_t begin = function.starts_with("auto ") ? std::strlen("auto ") : 0;
      return function.substr(begin, end - begin);
    }
  return function;
}

} // namespace

void give_signal_stack() { of_this_thread<SignalStack>(); }

FaultHandlers::FaultHandlers() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (size_t i = 0; i < faults.size(); ++i)
    sigaction(faults[i], &action, &handlers_before[i]);
}

FaultHandlers::~FaultHandlers() {
  for (size_t i = 0; i < faults.size(); ++i)
    sigaction(faults[i], &handlers_before[i], nullptr);
}

} // namespace emu

// The C library calls this when an assert() fails; inside a kernel it must end the launch only.
extern "C" [[noreturn]] void __assert_fail(const char *expression,
                                           const char *file,
                                           unsigned line,
                                           const char *function) noexcept(true) {
  if (emu::in_kernel()) {
    char text[512];
    const std::string_view name = emu::without_body(function);
    const auto length = static_cast<int>(name.size());
    std::snprintf(text, sizeof text, "`%s` failed in %.*s", expression, length, name.data());
    emu::fail_launch(cudaErrorAssert, "assert", text, {file, static_cast<int>(line)});
  }
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
  std::abort();
}
