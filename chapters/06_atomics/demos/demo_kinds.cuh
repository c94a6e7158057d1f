// Every atomic function there is, once: checked, and on a GPU timed on one address and on 1024.
#pragma once

#include "demos/atomic_rates.cuh"

namespace demo_kinds {

// An atomic on 32-bit words, as a type: what it starts from, what it does, and what must come out when
// threads * rounds of them, with i = thread + round, have met in one word.
#define ATOMIC_KIND(NAME, WORD, TEXT, START, RIGHT, APPLY) \
  struct NAME { \
    using Word = WORD; \
    static const char *name() { return TEXT; } \
    static __host__ __device__ Word start() { return START; } \
    static bool is_right(Word word, unsigned threads, unsigned rounds) { \
      const unsigned times = threads * rounds; \
      const unsigned last = threads + rounds - 2; /* the largest i */ \
      return times > 0 && last < times && (RIGHT); \
    } \
    static __device__ unsigned apply(Word *word, [[maybe_unused]] unsigned i) { \
      APPLY; \
      return 0; \
    } \
  }

ATOMIC_KIND(
    AddOneAndAsk, unsigned, "old = atomicAdd(p, 1)", 0, word == times, return atomicAdd(word, 1u));
ATOMIC_KIND(Sub, unsigned, "atomicSub(p, 1)", 0, word == 0u - times, atomicSub(word, 1u));
ATOMIC_KIND(Max, unsigned, "atomicMax(p, i)", 0, word == last, atomicMax(word, i));
ATOMIC_KIND(Min, unsigned, "atomicMin(p, i)", ~0u, word == 0, atomicMin(word, i));
ATOMIC_KIND(And, unsigned, "atomicAnd(p, i)", ~0u, word == 0, atomicAnd(word, i));
ATOMIC_KIND(Or, unsigned, "atomicOr(p, i)", 0, (word & 255u) == 255u, atomicOr(word, i));
ATOMIC_KIND(Xor, unsigned, "atomicXor(p, 1)", 0, word == times % 2, atomicXor(word, 1u));
ATOMIC_KIND(Inc, unsigned, "atomicInc(p, 9)", 0, word == times % 10, atomicInc(word, 9u));
ATOMIC_KIND(Dec, unsigned, "atomicDec(p, 9)", 9, word == 9 - times % 10, atomicDec(word, 9u));
ATOMIC_KIND(Exch, unsigned, "old = atomicExch(p, i)", 0, word <= last, return atomicExch(word, i));
ATOMIC_KIND(Cas,
            unsigned,
            "old = atomicCAS(p, i, i + 1)",
            0,
            word <= last + 1,
            return atomicCAS(word, i, i + 1));
ATOMIC_KIND(AddFloat,
            float,
            "atomicAdd(p, 1.0f)",
            0,
            word == static_cast<float>(times),
            atomicAdd(word, 1.0f));
ATOMIC_KIND(
    AddLong, unsigned long long, "atomicAdd(p, 1ull)", 0, word == times, atomicAdd(word, 1ull));
ATOMIC_KIND(AddDouble,
            double,
            "atomicAdd(p, 1.0)",
            0,
            word == static_cast<double>(times),
            atomicAdd(word, 1.0));

#undef ATOMIC_KIND

template <class Op> void show(lab::Demo &demo, const char *key) {
  using namespace atomic_rates;
  const double rates[4] = {rate<Op>(demo, on_global<Op>, {1, 1}),
                           rate<Op>(demo, on_global<Op>, {most, 1}),
                           rate<Op>(demo, on_shared<Op>, {1, 1}),
                           rate<Op>(demo, on_shared<Op>, {most, 1})};
  if (!demo.timed()) {
    demo.say("%-30s right\n", Op::name());
    return;
  }
  demo.say("%-30s %8.1f %8.1f %8.1f %8.1f\n", Op::name(), rates[0], rates[1], rates[2], rates[3]);
  const char *where[] = {"_global_1", "_global_1024", "_shared_1", "_shared_1024"};
  for (int i = 0; i < 4; ++i)
    demo.value(std::string(key) + where[i], rates[i]);
}

inline void run(lab::Demo &demo) {
  if (demo.timed())
    demo.say("10^9 per second on             global memory      shared memory\n"
             "addresses                             1     1024        1     1024\n\n");
  show<atomic_rates::AddOne>(demo, "add_one");
  show<AddOneAndAsk>(demo, "add_one_ask");
  show<Sub>(demo, "sub");
  show<Max>(demo, "max");
  show<Min>(demo, "min");
  show<And>(demo, "and");
  show<Or>(demo, "or");
  show<Xor>(demo, "xor");
  show<Inc>(demo, "inc");
  show<Dec>(demo, "dec");
  show<Exch>(demo, "exch");
  show<Cas>(demo, "cas");
  show<AddFloat>(demo, "float");
  show<AddLong>(demo, "long");
  show<AddDouble>(demo, "double");
}

} // namespace demo_kinds
