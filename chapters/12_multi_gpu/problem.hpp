/// @file
/// The chapter's problem: each device has a vector, and all shall have the sum of them.
#pragma once

#include "steps/lanes.hpp"
#include "steps/team.hpp"

/// A rank's share of n elements: [first, first + length). Shares begin at multiples of 32 elements, so
/// that no sector has two owners; the last ones may be shorter, or empty.
struct Share {
  size_t first, length;
};
Share share_of(size_t n, int ranks, int rank);
/// Part k of a share, of `parts`, in the same way.
Share part_of(const Share &share, int parts, int k);

/// A vector of n floats on each rank's device, and room for the sum.
struct Vectors {
  explicit Vectors(const lab::Case &c);
  ~Vectors();

  /// Poisons what a step writes. On the emulator it also draws the order in which streams will work:
  /// another one for each run, of all that CUDA allows.
  void prepare();
  /// The sum must be right on every device, and the same to the bit on all of them.
  lab::Verdict check();

  int ranks() const { return team.size(); }
  size_t bytes() const { return n * sizeof(float); }

  /// Where, on the device of a share's owner, another rank's part of that share has its place.
  float *slot(int owner, int other, const Share &part) const;

  size_t n;
  Team team;
  Lanes lanes;
  std::vector<lab::DeviceBuffer<float>> in, out; // [rank]: on its device
  std::vector<lab::DeviceBuffer<float>>
      spare; // on its device, n floats each; on rank 0's a vector of every other rank
  std::vector<std::vector<float>> h_in; // [rank]: as new and malloc give it: pageable
  std::vector<float> h_sum, expected;
  lab::PinnedBuffer<float> pinned_in,
      pinned_sum; // page-locked; pinned_in: a vector after the other
};

/// All vectors and all places for the sum, as a kernel of any rank reaches them.
struct Everyone {
  const float *in[most_ranks];
  float *out[most_ranks];
  int ranks;
};
Everyone everyone(const Vectors &p);

/// Bytes that must leave each device, and reach it, for the sum of vectors of this size on all ranks:
/// 2 (ranks - 1) / ranks times its vector. (NVIDIA, nccl-tests, doc/PERFORMANCE.md: "bus bandwidth".)
double bus_bytes(double bytes, int ranks);

/// On the emulator: streams work in the order that `seed` draws, from here on (0: at once, in the order
/// of the calls). Elsewhere, and where the instruments look on, this does nothing.
void draw_order(unsigned seed);

/// Keeps device 0 busy until the host has asked for everything: before a run is timed.
void hold_long(Vectors &);

/// Adds the rival to the ladder, or the reason why it is not there.
void register_rival(lab::Ladder<Vectors> &ladder);

/// The rival's run; null where it is not there.
void (*nccl_all_reduce())(Vectors &);

/// NCCL's operations, on a few numbers that can be read.
void show_nccl_ops(lab::Demo &demo);

/// Adds the mistakes and what there is to see besides the table to the ladder.
void register_traps(lab::Ladder<Vectors> &ladder);
void register_demos(lab::Ladder<Vectors> &ladder);
