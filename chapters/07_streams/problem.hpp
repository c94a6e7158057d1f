/// @file
/// The chapter's problem: words go to the device, through a kernel that has work to do, and back.
#pragma once

#include "ladder/chapter.hpp"

#include <cstddef>
#include <vector>

using Word = unsigned long long;
using std::size_t;

constexpr int block = 256; // threads per block, in all steps

/// Each word is the state of a generator of random numbers, x = a x + c (mod 2^64): a kernel moves it
/// on step by step, and the host can check the result in a single one (see jump()).
constexpr Word multiplier = 6364136223846793005u, increment = 1442695040888963407u;

/// x moved on by `steps` steps, without making them: a^steps x + c (a^steps - 1) / (a - 1).
Word jump(Word x, Word steps);

/// n generators, on the host before and after. All memory is 64 words longer: see part_of().
struct Batch {
  explicit Batch(const lab::Case &c);
  ~Batch();
  Batch(const Batch &) = delete;
  Batch &operator=(const Batch &) = delete;

  /// Poisons what a step writes. On the emulator it also draws the order in which streams will
  /// work: another one for each run, of all that CUDA allows.
  void prepare();
  lab::Verdict check();
  /// Gives the kernel another amount of work.
  void set_steps(unsigned steps);

  size_t bytes() const { return n * sizeof(Word); }

  size_t n;
  unsigned steps; // that the kernel moves each word on by
  std::vector<Word> h_in, h_out; // as new and malloc give it: pageable
  std::vector<Word> expected;
  lab::PinnedBuffer<Word> pinned_in, pinned_out; // page-locked
  lab::DeviceBuffer<Word> d_in, d_out;
  const Word *result = nullptr; // where the last step left it, for the host to read
};

/// Words of a part when n words are cut into `parts`: a multiple of 32 words, so that each begins where
/// a warp's request does. The last part may be shorter. Of two parts or more, two fit into d_in, and into d_out.
size_t part_of(size_t n, size_t parts);

/// What is left for the part that begins at `first`: `part` words, or what remains.
inline size_t length_of(size_t first, size_t part, size_t n) {
  return n - first < part ? n - first : part;
}

/// On the emulator: streams work in the order that `seed` draws, from here on (0: at once, in the order
/// of the calls). Elsewhere, and where the instruments look on, this does nothing.
void draw_order(unsigned seed);

/// On the emulator a kernel's loop makes few steps, so that it does not take long; from here on its
/// model lets each of them last 24 times as long. Every Batch does so; done once, it stays so.
void make_steps_long();

/// Adds the mistakes to the ladder.
void register_traps(lab::Ladder<Batch> &ladder);
