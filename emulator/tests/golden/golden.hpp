/// \file
/// Golden kernels: small ones, of which theory says what the memory system must do for them.
///
/// A case is one launch and the report that it must get. The emulator's instruments are held
/// against the expected report (golden_test.cpp) and against the counters of a real GPU
/// (tools/record_counters.py, tools/compare_counters.py). Each number is worked out by hand from
/// the rules of the hardware; the comment beside a kernel says how.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace golden {

enum class What {
  global_load,
  global_store,
  global_atomic,
  shared_load,
  shared_store,
  shared_atomic
};

/// What all requests of one kind must sum up to.
struct Expected {
  What what;
  unsigned requests; // warp instructions
  unsigned lanes; // threads that took part, of all requests
  unsigned cost; // sectors of all requests; shared: wavefronts
  unsigned worst = 1; // shared: highest conflict degree; atomics: most lanes at one address
};

/// `requests` requests that are all alike: each of `lanes` lanes costs `cost`.
constexpr Expected
alike(What what, unsigned requests, unsigned lanes, unsigned cost, unsigned worst = 1) {
  return {what, requests, requests * lanes, requests * cost, worst};
}

/// One block of one warp writes its 32 results: 4 sectors.
constexpr Expected results = alike(What::global_store, 1, 32, 4);

constexpr unsigned elements = 1 << 16; // 4-byte words of each buffer

/// Device memory that the kernels share: words, zero at first. Aligned to 256 bytes.
struct Memory {
  float *in;
  float *out;

  template <class T> const T *in_as() const { return reinterpret_cast<const T *>(in); }
  template <class T> T *out_as() const { return reinterpret_cast<T *>(out); }
};

struct Case {
  const char *why;
  void (*launch)(const Memory &);
  std::vector<Expected> expected; // what is not listed must not happen
  unsigned barriers = 0; // passed by all blocks together
};

/// All cases, by name, so that every program runs them in the same order.
std::map<std::string, Case> &cases();

/// Memory as every case finds it. Ends the program if CUDA fails.
Memory fresh_memory();
void release(const Memory &memory);
/// Launches the case and waits for it. Ends the program if CUDA fails.
void run(const std::string &name, const Case &golden_case, const Memory &memory);

} // namespace golden

// GOLDEN(broadcast, "one word for all lanes", {alike(What::global_load, 1, 32, 1), results}) { kernel<<<1, 32>>>(m.in); }
// The number of barriers may follow.
#define GOLDEN(NAME, WHY, ...) \
  static void NAME##_launch(const golden::Memory &); \
  [[maybe_unused]] static const auto NAME##_added = \
      golden::cases().emplace(#NAME, golden::Case{WHY, NAME##_launch, __VA_ARGS__}); \
  static void NAME##_launch(const golden::Memory &m)
