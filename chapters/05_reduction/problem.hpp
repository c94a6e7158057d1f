/// @file
/// The chapter's problem: the sum of n 32-bit integers, and what all steps share.
#pragma once

#include "ladder/chapter.hpp"

#include <cstddef>
#include <vector>

/// Unsigned, because its overflow is defined: sums are taken modulo 2^32, whatever the order of
/// the additions. So any two correct programs agree in every bit.
using Value = unsigned;

/// A sum in the upper half, in the lower half how many it is made of: one atomicAdd changes both. What
/// a sum modulo 2^32 carries falls off the upper end, and the count stays below 2^32.
using SumAndCount = unsigned long long;

using std::size_t;

/// One input, its sum as the host knows it, and the device memory the steps need.
struct Reduction {
  explicit Reduction(const lab::Case &c);

  void prepare();
  lab::Verdict check();

  size_t n;
  int block; // threads per block, a power of two from 32 to 1024
  std::vector<Value> h_in;
  Value expected; // from a plain loop that shares nothing with any kernel
  Value host_result = 0;
  std::vector<Value> h_scratch; // for the host's baseline that destroys its input

  lab::DeviceBuffer<Value> d_in;
  lab::DeviceBuffer<Value> d_out; // the result: one element
  lab::DeviceBuffer<Value> d_partials[2]; // one sum per block, of two levels in turn
  lab::DeviceBuffer<Value> d_scratch; // a copy of the input, for v0, which destroys it
  lab::DeviceBuffer<SumAndCount> d_word; // 0 before and after each launch that adds to it
  lab::DeviceBuffer<unsigned char> d_cub; // what CUB asks for
};

/// Gives v0, which destroys its input, a copy. Made before each run, not part of the time.
void copy_input_on_device(Reduction &p);

/// Makes warm runs comparable: of an input larger than the L2, what is found there depends on who ran
/// before. So before each run a plain loop reads it all, and every step finds the same end of it.
void read_input_once(Reduction &p);

/// Blocks that cover n elements with `per_block` each; one block for none, which writes the 0.
inline unsigned blocks_for(size_t n, size_t per_block) {
  const size_t blocks = (n + per_block - 1) / per_block;
  return static_cast<unsigned>(blocks > 0 ? blocks : 1);
}

/// Blocks that fill the device once, or fewer where threads would get less than 8 elements.
inline unsigned blocks_to_fill(size_t n, int block) {
  const unsigned fill = static_cast<unsigned>(lab::choose_device().resident_blocks(block));
  const unsigned useful = blocks_for(n, 8 * static_cast<size_t>(block));
  return useful < fill ? useful : fill;
}

/// Kernel decomposition. An ordinary launch has no barrier for all of its blocks but its end: so each
/// level is a launch, which leaves one sum per block, until a single block has summed them all.
///
/// `blocks(n)` says how many blocks a level of n elements takes, `launch(grid, in, n, out)`
/// launches them; block b writes out[b].
template <class Blocks, class Launch>
void reduce_by_levels(Reduction &p, Value *in, Blocks blocks, Launch launch) {
  size_t n = p.n;
  for (int turn = 0;; turn = 1 - turn) {
    const unsigned grid = blocks(n);
    Value *out = grid == 1 ? p.d_out.data() : p.d_partials[turn].data();
    launch(grid, in, n, out);
    LAB_CHECK_LAUNCH();
    if (grid == 1)
      return;
    in = out;
    n = grid;
  }
}

using Kernel = void (*)(const Value *, size_t, Value *);

/// Of the kernels made for 32, 64, 128, 256, 512 and 1024 threads, the one for `block` threads.
Kernel kernel_for(int block, const Kernel (&kernels)[6]);

/// The sum on the host: a plain loop, which everything is checked against.
Value sum_loop(const std::vector<Value> &values);

/// Adds the second half to the first, then does the same with the first half. Destroys `values`.
Value sum_by_halving(std::vector<Value> &values);

void run_cpu_loop(Reduction &p);
void run_cpu_halving(Reduction &p);
void copy_input_on_host(Reduction &p); ///< gives cpu_halving an input to destroy
lab::Verdict check_host(Reduction &p);

/// The vendor's reduction, to be measured against.
void run_cub(Reduction &p);
/// Allocates what CUB asks for, and reads the input, as before every step. Not timed.
void prepare_cub(Reduction &p);

/// Adds the mistakes and what there is to see besides the table to the ladder.
void register_traps(lab::Ladder<Reduction> &ladder);
void register_demos(lab::Ladder<Reduction> &ladder);
