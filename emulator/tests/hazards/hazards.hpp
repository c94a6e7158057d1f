/// \file
/// Seeded mistakes, each of which must be named for what it is, and correct kernels, which must
/// raise no alarm.
///
/// A mistake's lines are marked in the source, with `// here` and, where two sides take part,
/// `// other`. The marks that belong to a case stand in it or above it, below the one before.
#pragma once

#include <string>
#include <vector>

namespace hazards {

constexpr int elements = 4096; // ints in each buffer

/// Device memory, freshly allocated for each case.
struct Memory {
  int *in; // 0, 1, 2, …
  int *out; // zeros
  int *raw; // never written
};

/// A mistake of a kind (see emu::Hazard), or a correct program (no kind).
struct Case {
  std::string name, kind;
  std::string file; // where it stands
  void (*run)(const Memory &);
  bool warning = false; // no error, only suspicious
  std::string also = {}; // other kinds that the same mistake brings about
};

const std::vector<Case> &cases();
bool add(const Case &c); // true

Memory fresh_memory();
void release(const Memory &memory);

} // namespace hazards

#define HAZARDS_CASE(NAME, ...) \
  static void NAME##_run(const hazards::Memory &); \
  [[maybe_unused]] static const bool NAME##_added = hazards::add({#NAME, __VA_ARGS__}); \
  static void NAME##_run([[maybe_unused]] const hazards::Memory &m)
// HAZARD(missing_barrier, shared_race) { kernel<<<1, 64>>>(m.out); }
#define HAZARD(NAME, KIND) HAZARDS_CASE(NAME, #KIND, __FILE__, NAME##_run)
// One that is only warned of.
#define WARNING(NAME, KIND) HAZARDS_CASE(NAME, #KIND, __FILE__, NAME##_run, true)
// One that brings about another kind, or some.
#define HAZARD_WITH(NAME, KIND, ALSO) HAZARDS_CASE(NAME, #KIND, __FILE__, NAME##_run, false, #ALSO)
#define CORRECT(NAME) HAZARDS_CASE(NAME, "", __FILE__, NAME##_run)
