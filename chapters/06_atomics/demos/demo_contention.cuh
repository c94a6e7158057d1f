// The same number of atomic additions, on more and more addresses.
#pragma once

#include "demos/atomic_rates.cuh"

namespace demo_contention {

inline void run(lab::Demo &demo) {
  using namespace atomic_rates;
  const auto show = [&](const char *key, unsigned addresses, double per_ns) {
    demo.say_timed(
        key + std::to_string(addresses), " %16.1f", [&] { return per_ns; }, "");
  };
  demo.say("%10s %14s%s\n",
           "addresses",
           "lanes at one",
           demo.timed() ? "   global, 10^9/s  32 bytes apart   shared, 10^9/s" : "");
  for (unsigned addresses = 1; addresses <= most; addresses *= 2) {
    demo.say("%10u %14u", addresses, addresses < 32 ? 32 / addresses : 1);
    show("global_", addresses, rate<AddOne>(demo, on_global<AddOne>, {addresses, 1}));
    show("sectors_", addresses, rate<AddOne>(demo, on_global<AddOne>, {addresses, 8}));
    show("shared_", addresses, rate<AddOne>(demo, on_shared<AddOne>, {addresses, 1}));
    demo.say("\n");
  }
  demo.say("\n%10s %14s%s\n", "words", "in one bank", demo.timed() ? "   shared, 10^9/s" : "");
  for (unsigned words = 1; words <= 32; words *= 2) { // 32 words apart: all in one bank
    demo.say("%10u %14u", words, words);
    show("bank_", words, rate<AddOne>(demo, on_shared<AddOne>, {words, 32}));
    demo.say("\n");
  }
}

} // namespace demo_contention
