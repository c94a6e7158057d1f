/// @file
/// Inputs at which answers break that are right for ordinary ones. A checker says in one call what its
/// exercise's input is, and gets them all:
/// @code
/// TEST_CASE("every size, in any blocks") { checker::every_size(128, {32, 64, 1024}, check); }
/// @endcode
/// What an exercise leaves out its card says, under [left_out], with the reason; ./tutor author --prove holds
/// it to that. The names there are: nothing (n = 0), last_of_one (a single element in the last block),
/// other_blocks (than the usual ones), odd_blocks (that are no whole
/// warps), many_blocks (more than 1024, where blocks agree by atomics), many_streams (more than 32), contention (drawn
/// orders, where threads agree by atomics), extremes (both ends of the type), infinity, minus_zero, nan,
/// large_sums (past 2^31), tall_grids (past 65535 blocks in y), other_device and other_limits
/// (what EMU_DEVICE names: another number of threads and blocks of a multiprocessor, not only of these), own_numbers (that
/// the answer's code names: own_numbers.hpp).
#pragma once

#include "checker/checker.hpp"

#include <bit>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <initializer_list>

namespace checker {

/// Calls work(), launches and expectations, once a run: what would take its time again in another order tells no more there.
template <class Work> void once(Work &&work) {
  if (detail::runs_first())
    work();
}

/// Calls work() once and unobserved, where a size beyond 65536 tells who counts in 16 bits, or has a limit that no other
/// size comes to.
template <class Work> void at_large_size(Work &&work) {
  once([&] { unobserved(work); });
}

/// Calls work(n, block) for each of sizes() in blocks of `block` threads, in each of the other blocks for
/// three of them and a single element more, and for a large size: what it compares with should take about n steps. Sizes
/// and blocks beside the answer's own numbers are among them.
template <class Work>
void every_size(int block, std::initializer_list<int> other_blocks, Work &&work) {
  for (int n : sizes())
    work(n, block);
  for (int other : other_blocks)
    work(3 * other + 1, other);
  for (int other : detail::own_blocks(other_blocks))
    work(3 * other + 1, other);
  at_large_size([&] {
    work(70001, block);
    for (int n : own_sizes(4100, 70001, 20'000))
      work(n, block);
  });
}

/// Calls work(rows, cols) for shapes that square tiles of this edge fit, and then for those that they do not:
/// one row or column too many, long and narrow, a single one, none; and for a large shape. With rows, columns and elements
/// beside the answer's own numbers, too.
template <class Work> void every_shape(int edge, Work &&work) {
  const int shapes[][2] = {{edge, edge},
                           {2 * edge, 2 * edge},
                           {3 * edge, 2 * edge},
                           {2 * edge, 3 * edge},
                           {edge + 1, edge + 1},
                           {edge - 1, edge - 1},
                           {2 * edge + 1, edge / 2 + 1},
                           {5, 3 * edge + 4},
                           {3 * edge + 4, 5},
                           {1, 1},
                           {1, 2 * edge + 6},
                           {2 * edge + 6, 1},
                           {0, 5},
                           {5, 0}};
  for (const auto &[rows, cols] : shapes)
    work(rows, cols);
  for (int n : own_sizes(0, 1025, 2000)) {
    work(n, 5);
    work(5, n);
  }
  at_large_size([&] {
    work(259, 267);
    for (int n : own_sizes(1026, 14'000, 20'000)) {
      work(n, 5);
      work(5, n);
    }
    for (int n : own_sizes(1026, 70'000, 100'000))
      work((n + 28) / 29, 29);
  });
}

/// n values of every kind: random bits, and among them both ends of T, zero, -1; of floats zeros of
/// either sign, infinities, the largest, the smallest and denormal ones, and a NaN unless n is a multiple of 32:
/// with plain sizes results can be told from each other by ==. What only moves values, or works on each for
/// itself, has to be right for all of them.
/// T is float, int or unsigned.
template <class T> std::vector<T> extreme_values(std::size_t n);

/// The same for two vectors of floats, bit by bit: -0 is not 0.
void expect_same_bits(const std::string &what,
                      const std::vector<float> &actual,
                      const std::vector<float> &expected,
                      std::size_t width = 0);

/// Has the emulator play another device while it lives: so many multiprocessors, and so many KiB of
/// shared memory for a block that asks for them. An answer that holds only on one device is wrong on
/// another one. On a GPU there is the one that there is.
class PlayedDevice {
public:
  /// @param of_first  multiprocessors of device 0; 0: as of all others
  explicit PlayedDevice(int multiprocessors, int shared_kib = 227, int of_first = 0)
      : multiprocessors_("EMU_SMS", std::to_string(multiprocessors)),
        of_first_("EMU_SMS_0", of_first > 0 ? std::to_string(of_first) : ""),
        shared_kib_("EMU_SHARED_KB", std::to_string(shared_kib)) {}
  /// @param device          as emulator/devices names it, with all its limits
  /// @param multiprocessors  as if it had so many; 0: as many as it has
  explicit PlayedDevice(const char *device, int multiprocessors = 0)
      : device_("EMU_DEVICE", device),
        multiprocessors_("EMU_SMS", multiprocessors > 0 ? std::to_string(multiprocessors) : ""),
        shared_kib_("EMU_SHARED_KB", "") {}

private:
  detail::Variable device_, multiprocessors_, of_first_, shared_kib_;
};

/// Has the emulator's devices have no more than so many bytes while it lives: of their memory, or of shared memory for a
/// block that asks for them. On a GPU there is what there is.
class FewBytes {
public:
  enum Memory { global, shared };
  FewBytes(Memory memory, std::size_t bytes)
      : bytes_(
            memory == global ? "EMU_MEMORY_GB" : "EMU_SHARED_KB",
            detail::written(std::ldexp(static_cast<double>(bytes), memory == global ? -30 : -10))) {
  }

private:
  detail::Variable bytes_;
};

} // namespace checker
