// What a switch between two stacks costs: by the emulator's own means, ucontext and Boost.Context.
#include <chrono>
#include <cstdio>
#include <ucontext.h>

#ifdef HAVE_BOOST_CONTEXT
#include <boost/context/fiber.hpp>
#endif

#include "../src/engine/stacks.hpp"

namespace {

constexpr int round_trips = 1'000'000;

template <class Work> double nanoseconds_per_switch(int switches, Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  return taken.count() / switches;
}

emu::Fiber here, there;
void bounce() {
  emu::entered_fiber();
  for (;;)
    emu::switch_fiber(there, here);
}

double own_switch() {
  emu::StackPool stacks(1, 64 << 10, 64 << 10);
  stacks.prepare(there, 0, bounce);
  return nanoseconds_per_switch(2 * round_trips, [] {
    for (int i = 0; i < round_trips; ++i)
      emu::switch_fiber(here, there);
  });
}

ucontext_t main_context, other_context;
void bounce_ucontext() {
  for (;;)
    swapcontext(&other_context, &main_context);
}

double ucontext_switch() {
  static char stack[64 << 10];
  getcontext(&other_context);
  other_context.uc_stack.ss_sp = stack;
  other_context.uc_stack.ss_size = sizeof stack;
  makecontext(&other_context, bounce_ucontext, 0);
  constexpr int fewer = round_trips / 10; // each one is two system calls
  return nanoseconds_per_switch(2 * fewer, [] {
    for (int i = 0; i < fewer; ++i)
      swapcontext(&main_context, &other_context);
  });
}

#ifdef HAVE_BOOST_CONTEXT
double boost_switch() {
  boost::context::fiber other([](boost::context::fiber &&back) {
    for (;;)
      back = std::move(back).resume();
    return std::move(back);
  });
  return nanoseconds_per_switch(2 * round_trips, [&] {
    for (int i = 0; i < round_trips; ++i)
      other = std::move(other).resume();
  });
}
#endif

} // namespace

int main() {
  std::printf("the emulator's %.1f ns\n", own_switch());
#ifdef HAVE_BOOST_CONTEXT
  std::printf("Boost.Context %.1f ns\n", boost_switch());
#endif
  std::printf("ucontext %.1f ns\n", ucontext_switch());
  return 0;
}
