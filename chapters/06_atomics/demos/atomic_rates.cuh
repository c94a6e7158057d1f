// How many atomics of a kind the device makes per nanosecond, on few addresses or many.
#pragma once

#include "problem.hpp"

#include <type_traits>

namespace atomic_rates {

constexpr unsigned most = 1024; // addresses
constexpr unsigned block = 256;

/// Which word a thread takes in a round: neighbouring lanes take neighbouring addresses, or, with
/// `spread` > 1, words that are so many apart. `addresses` is a power of two.
struct Pattern {
  unsigned addresses, spread;
  __device__ unsigned word(unsigned i) const { return (i & (addresses - 1)) * spread; }
};

// Op::apply(word, i) is the atomic; what it returns is used, so that it has to be returned.
template <class Op>
__global__ void
on_global(typename Op::Word *words, Pattern pattern, unsigned rounds, unsigned *rarely) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned seen = 0;
  for (unsigned round = 0; round < rounds; ++round)
    seen += Op::apply(&words[pattern.word(i + round)], i + round);
  if (seen == 0xCDCDCDCD)
    *rarely = seen;
}

// Each block has words of its own. Only the first thread's word is handed over, and by a plain store:
// what is timed are the atomics in shared memory and nothing else.
template <class Op>
__global__ void
on_shared(typename Op::Word *words, Pattern pattern, unsigned rounds, unsigned *rarely) {
  __shared__ typename Op::Word s_words[most];
  for (unsigned i = threadIdx.x; i < most; i += blockDim.x)
    s_words[i] = Op::start();
  __syncthreads();
  unsigned seen = 0;
  for (unsigned round = 0; round < rounds; ++round)
    seen += Op::apply(&s_words[pattern.word(threadIdx.x + round)], threadIdx.x + round);
  __syncthreads();
  if (threadIdx.x == 0)
    words[blockIdx.x] = s_words[0];
  if (seen == 0xCDCDCDCD)
    *rarely = seen;
}

template <class Op>
using Kernel = void (*)(typename Op::Word *, Pattern, unsigned rounds, unsigned *rarely);

/// Atomics per nanosecond over the whole device; 0 on the emulator and in quick runs.
template <class Op> double rate(lab::Demo &demo, Kernel<Op> kernel, Pattern pattern) {
  using Word = typename Op::Word;
  const unsigned grid =
      demo.timed() ? static_cast<unsigned>(lab::choose_device().resident_blocks(block)) : 2;
  const size_t words = size_t{most} * 32 > grid ? size_t{most} * 32 : grid;
  lab::DeviceBuffer<Word> d_words(std::vector<Word>(words, Op::start()));
  lab::DeviceBuffer<unsigned> d_rarely(1);
  const unsigned few = demo.timed() ? 64 : 4;
  kernel<<<1, block>>>(d_words.data(), {1, 1}, few, d_rarely.data());
  LAB_CHECK_LAUNCH();
  demo.expect(Op::is_right(d_words.at(0), block, few), Op::name());
  if (!demo.timed())
    return 0.0;
  const auto measure = [&](unsigned rounds) {
    return lab::measure(
               [&] { kernel<<<grid, block>>>(d_words.data(), pattern, rounds, d_rarely.data()); },
               {.reps = 5, .warm_up = 1})
        .median_ms;
  };
  // So many rounds that a launch takes half a millisecond or more: then its start does not count.
  const double once = measure(few);
  unsigned rounds = few;
  while (rounds < 16384 && once * rounds / few < 0.5)
    rounds *= 2;
  return static_cast<double>(grid) * block * rounds / (measure(rounds) * 1e6);
}

/// Adds 1 and does not ask what was there.
struct AddOne {
  using Word = unsigned;
  static const char *name() { return "atomicAdd(p, 1)"; }
  static __host__ __device__ Word start() { return 0; }
  static bool is_right(Word word, unsigned threads, unsigned rounds) {
    return word == threads * rounds;
  }
  static __device__ unsigned apply(Word *word, unsigned) {
    atomicAdd(word, 1u);
    return 0;
  }
};

} // namespace atomic_rates
