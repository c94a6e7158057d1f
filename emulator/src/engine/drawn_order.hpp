/// \file
/// The order in which an observed program's blocks and threads take turns.
///
/// The emulator's own order is always the same, and kind to programs that forgot a barrier.
/// EMU_SCHEDULE=SEED draws another one, the same for every run with that seed: blocks run in
/// another order, a barrier's threads wake in any order, and a thread may have to let others go
/// first before any of its accesses. Every eighth seed draws the order of blocks only: threads go in step,
/// as lanes do, and all of them come to the same atomic before one goes on.
#pragma once

#include <cstdint>

namespace emu {

class DrawnOrder {
public:
  explicit DrawnOrder(uint64_t seed) : seed_(seed), state_(seed) {}

  /// 0: the emulator's own order.
  uint64_t seed() const { return seed_; }
  bool drawn() const { return seed_ != 0; }
  bool in_step() const { return drawn() && seed_ % 8 == 0; }
  /// A number in [0, n), the next of the seed's sequence.
  uint64_t below(uint64_t n) { return next() % n; } // of a constant it is no division
  bool one_in(uint64_t n) { return below(n) == 0; }
  /// The block that runs as number `i` of a launch: a permutation of [0, blocks).
  uint64_t block(uint64_t i, uint64_t blocks) const;

private:
  uint64_t next();

  uint64_t seed_;
  uint64_t state_;
};

/// The one that EMU_SCHEDULE asks for. Observed programs, which run on one host thread, draw the order
/// of blocks and threads from it; plain ones the order of what streams do (tasks.hpp).
DrawnOrder &drawn_order();

/// Where EMU_SCHEDULE says something else than before, draws anew by that. Observed programs ask at
/// each launch, so that a checker can try several orders.
void follow_environment();

} // namespace emu
