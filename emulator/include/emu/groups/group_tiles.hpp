/// \file
/// Tiles: parts of a block of 1, 2, 4, … 1024 threads with neighbouring ranks.
#pragma once

#include "emu/language/letters_away.hpp"

#include "emu/groups/groups.hpp"

namespace emu {

/// Which part of its parent a tile is, and of how many.
struct TilePlace {
  unsigned rank;
  unsigned count;
};

/// A tile within one warp.
template <unsigned Size> class WarpTile : public LaneOperations<WarpTile<Size>> {
public:
  explicit WarpTile(TilePlace place) : place_(place) {}

  unsigned mask() const {
    const unsigned members = Size == 32 ? ~0u : (1u << Size % 32) - 1;
    return members << (static_cast<unsigned>(lane_id()) & ~(Size - 1));
  }
  static unsigned thread_rank() { return static_cast<unsigned>(lane_id()) & (Size - 1); }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  unsigned meta_group_rank() const { return place_.rank; }
  unsigned meta_group_size() const { return place_.count; }

  /// The value of the member whose rank differs in the bits of `rank_mask`.
  template <class T> T shfl_xor(T value, unsigned rank_mask, EMU_SITE) const {
    const unsigned other = thread_rank() ^ rank_mask;
    return this->shfl(
        value, static_cast<int>(other < Size ? other : thread_rank()), emu_file, emu_line);
  }

private:
  TilePlace place_;
};

/// A tile of several warps.
template <unsigned Size> class BlockTile {
public:
  explicit BlockTile(TilePlace place) : place_(place) {}

  static unsigned thread_rank() {
    return cooperative_groups::thread_block::thread_rank() & (Size - 1);
  }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  unsigned meta_group_rank() const { return place_.rank; }
  unsigned meta_group_size() const { return place_.count; }

  void sync(EMU_SITE) const { barrier_of(first_thread(), Size, EMU_HERE); }

  template <class T> T shfl(T value, int rank, EMU_SITE) const {
    return collect(
        value,
        [rank](const auto &value_of) { return value_of(static_cast<unsigned>(rank) % Size); },
        EMU_HERE);
  }
  int any(int predicate, EMU_SITE) const { return vote(predicate != 0, EMU_HERE); }
  int all(int predicate, EMU_SITE) const { return !vote(predicate == 0, EMU_HERE); }

  /// \param use  gets a function from ranks to the values that the members handed in
  template <class T> auto collect(const T &value, auto use, Site site) const {
    const void **slots = thread_slots() + first_thread();
    slots[thread_rank()] = &value;
    barrier_of(first_thread(), Size, site);
    const auto result =
        use([slots](unsigned rank) { return handed_over(static_cast<const T *>(slots[rank])); });
    barrier_of(first_thread(), Size, site); // until then the values stay
    return result;
  }

private:
  // On the stack of another thread, where a kernel's own code has nothing to look for.
  template <class T> EMU_UNOBSERVED static T handed_over(const T *value) { return *value; }
  static int first_thread() {
    return static_cast<int>(cooperative_groups::thread_block::thread_rank() & ~(Size - 1));
  }
  bool vote(bool mine, Site site) const {
    // One vote for each warp: its lanes have agreed before.
    const bool warps = __ballot_sync(~0u, mine, site.file, site.line) != 0;
    return collect(
        warps,
        [](const auto &value_of) {
          bool result = false;
          for (unsigned rank = 0; rank < Size; rank += 32)
            result |= value_of(rank);
          return result;
        },
        site);
  }

  TilePlace place_;
};

template <unsigned Size> struct TileOfSize {
  static_assert(Size >= 1 && Size <= 1024 && (Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, ... or 1024 threads");
  using type = BlockTile<Size>;
};
template <unsigned Size>
requires(Size <= 32) struct TileOfSize<Size> {
  using type = WarpTile<Size>;
};

} // namespace emu

namespace cooperative_groups {

/// \tparam Parent  the type of group that was partitioned
template <unsigned Size, class Parent = void>
class thread_block_tile : public emu::TileOfSize<Size>::type {
public:
  using Tile = typename emu::TileOfSize<Size>::type;
  explicit thread_block_tile(emu::TilePlace place) : Tile(place) {}
  /// A tile is one, wherever it comes from.
  template <class OtherParent>
  thread_block_tile(const thread_block_tile<Size, OtherParent> &tile) : Tile(tile) {}
};

/// The calling thread alone.
inline thread_block_tile<1> this_thread() { return thread_block_tile<1>(emu::TilePlace{0, 1}); }

} // namespace cooperative_groups

#include "emu/language/letters_back.hpp"
