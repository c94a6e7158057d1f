/// @file
/// More streams for each rank, for copies beside its kernels, and events for parts of a vector.
#pragma once

#include "steps/team.hpp"

constexpr size_t most_parts = 16;

/// Two more streams for each rank of a team, and two events for each part.
class Lanes {
public:
  explicit Lanes(const Team &team);
  ~Lanes();
  Lanes(const Lanes &) = delete;
  Lanes &operator=(const Lanes &) = delete;

  /// They begin when the ranks' own streams get there.
  void fork(const Team &team) const;
  /// The ranks' own streams wait for them.
  void join(const Team &team) const;

  struct Rank {
    cudaStream_t send, tell; // parts to be added, and finished ones
    cudaEvent_t sent[most_parts], added[most_parts], ready; // events of this rank's device
  };
  const Rank &of(int rank) const { return ranks_[static_cast<size_t>(rank)]; }

private:
  std::vector<Rank> ranks_;
};
