/// \file
/// Seeded mistakes, each of which must be named for what it is, and correct kernels, which must
/// raise no alarm.
///
/// A mistake's lines are marked in the source, with `// here` and, where two sides take part,
/// `// other`. The marks that belong to a case stand above its registration, below the one before.
#pragma once

#include <vector>

namespace hazards {

constexpr int elements = 4096; // ints in each buffer

/// Device memory, freshly allocated for each case.
struct Memory {
  int *in; // 0, 1, 2, …
  int *out; // zeros
  int *raw; // never written
};

struct Case {
  /// A mistake of a kind (see emu::Hazard), or a correct program (kind: null).
  Case(const char *name,
       const char *kind,
       const char *file,
       void (*run)(const Memory &),
       bool warning = false,
       const char *also = "");

  const char *name;
  const char *kind;
  const char *file; // where it is registered
  void (*run)(const Memory &);
  bool warning; // no error, only suspicious
  const char *also; // another kind that the same mistake brings about
};

const std::vector<const Case *> &cases();

Memory fresh_memory();
void release(const Memory &memory);

} // namespace hazards

// HAZARD(missing_barrier, shared_race, { kernel<<<1, 64>>>(m.out); })
#define HAZARD(NAME, KIND, ...) \
  static const hazards::Case NAME( \
      #NAME, #KIND, __FILE__, []([[maybe_unused]] const hazards::Memory &m) __VA_ARGS__);
// One that is only warned of.
#define WARNING(NAME, KIND, ...) \
  static const hazards::Case NAME( \
      #NAME, #KIND, __FILE__, []([[maybe_unused]] const hazards::Memory &m) __VA_ARGS__, true);
// One that brings about a second kind.
#define HAZARD_WITH(NAME, KIND, ALSO, ...) \
  static const hazards::Case NAME(#NAME, \
                                  #KIND, \
                                  __FILE__, \
                                  []([[maybe_unused]] const hazards::Memory &m) __VA_ARGS__, \
                                  false, \
                                  #ALSO);
#define CORRECT(NAME, ...) \
  static const hazards::Case NAME( \
      #NAME, nullptr, __FILE__, []([[maybe_unused]] const hazards::Memory &m) __VA_ARGS__);
