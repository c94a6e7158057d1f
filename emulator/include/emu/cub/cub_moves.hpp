/// \file
/// CUB's ways to bring the items of a block's, or a warp's, threads from and to memory, and to trade them.
#pragma once

#include "emu/language/letters_away.hpp"

#include "emu/cub/cub_block.hpp"
#include "emu/cub/cub_sort.hpp"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

/// \name Item i of a thread lies at `first[thread * items + i]` (blocked), or at `first[thread + i * threads]` (striped)
/// \param valid  items of the block that are there; others become `other`, or keep what they had
/// @{
namespace detail {
constexpr int all_items = std::numeric_limits<int>::max();
template <int threads, int items> constexpr int place_of(int thread, int item) {
  return threads == 0 ? thread * items + item : thread + item * threads;
}
template <int threads, int items, class T>
EMU_INLINE void load(int thread, auto first, T (&to)[items], int valid, auto... other) {
  for (int i = 0; i < items; ++i)
    if (place_of<threads, items>(thread, i) < valid)
      to[i] = first[place_of<threads, items>(thread, i)];
    else
      ((to[i] = other), ...);
}
template <int threads, int items, class T>
EMU_INLINE void store(int thread, auto first, T (&from)[items], int valid) {
  for (int i = 0; i < items; ++i)
    if (place_of<threads, items>(thread, i) < valid)
      first[place_of<threads, items>(thread, i)] = from[i];
}
} // namespace detail

template <class T, int items>
EMU_INLINE void LoadDirectBlocked(
    int thread, auto first, T (&to)[items], int valid = detail::all_items, auto... other) {
  detail::load<0>(thread, first, to, valid, other...);
}
template <int threads, class T, int items>
EMU_INLINE void LoadDirectStriped(
    int thread, auto first, T (&to)[items], int valid = detail::all_items, auto... other) {
  detail::load<threads>(thread, first, to, valid, other...);
}
/// Striped among the lanes of each warp, whose items lie together.
template <class T, int items>
EMU_INLINE void LoadDirectWarpStriped(
    int thread, auto first, T (&to)[items], int valid = detail::all_items, auto... other) {
  const int before = thread / 32 * 32 * items;
  detail::load<32>(thread % 32, first + before, to, valid - before, other...);
}
template <class T, int items>
EMU_INLINE void
StoreDirectWarpStriped(int thread, auto first, T (&from)[items], int valid = detail::all_items) {
  const int before = thread / 32 * 32 * items;
  detail::store<32>(thread % 32, first + before, from, valid - before);
}
template <class T, int items>
EMU_INLINE void
StoreDirectBlocked(int thread, auto first, T (&from)[items], int valid = detail::all_items) {
  detail::store<0>(thread, first, from, valid);
}
template <int threads, class T, int items>
EMU_INLINE void
StoreDirectStriped(int thread, auto first, T (&from)[items], int valid = detail::all_items) {
  detail::store<threads>(thread, first, from, valid);
}
/// @}

template <class T, int items, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int threads = 32>
class WarpLoad {
public:
  struct TempStorage {};
  explicit WarpLoad(TempStorage &) {}
  void Load(auto first, T (&to)[items], int valid = detail::all_items) {
    detail::load<algorithm == BLOCK_LOAD_STRIPED ? threads : 0>(
        emu::lane_id() % threads, first, to, valid);
  }
};
template <class T, int items, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT, int threads = 32>
class WarpStore {
public:
  struct TempStorage {};
  explicit WarpStore(TempStorage &) {}
  void Store(auto first, T (&from)[items], int valid = detail::all_items) {
    detail::store<algorithm == BLOCK_STORE_STRIPED ? threads : 0>(
        emu::lane_id() % threads, first, from, valid);
  }
};

namespace detail {
/// Trades items of `threads` threads through memory that they share.
template <class T, int threads, int items, class Barrier> class Exchange {
public:
  using TempStorage = Places<T, threads * items>;
  Exchange(TempStorage &storage, int thread) : storage_(storage), thread_(thread) {}

  void StripedToBlocked(T (&in)[items], T (&out)[items]) { trade<threads, 0>(in, out); }
  void BlockedToStriped(T (&in)[items], T (&out)[items]) { trade<0, threads>(in, out); }
  void StripedToBlocked(T (&both)[items]) { StripedToBlocked(both, both); }
  void BlockedToStriped(T (&both)[items]) { BlockedToStriped(both, both); }
  template <class Rank> void ScatterToBlocked(T (&both)[items], const Rank (&ranks)[items]) {
    scatter(both, ranks);
    load<0>(thread_, storage_.values, both, all_items);
  }
  template <class Rank> void ScatterToStriped(T (&both)[items], const Rank (&ranks)[items]) {
    scatter(both, ranks);
    load<threads>(thread_, storage_.values, both, all_items);
  }

private:
  template <int from, int to> void trade(T (&in)[items], T (&out)[items]) {
    store<from>(thread_, storage_.values, in, all_items);
    Barrier()();
    load<to>(thread_, storage_.values, out, all_items);
  }
  template <class Rank> void scatter(T (&in)[items], const Rank (&ranks)[items]) {
    for (int i = 0; i < items; ++i)
      storage_.values[ranks[i]] = in[i];
    Barrier()();
  }
  TempStorage &storage_;
  int thread_;
};
struct BlockBarrier {
  void operator()() const { __syncthreads(); }
};
struct WarpBarrier {
  void operator()() const { __syncwarp(); }
};
} // namespace detail

template <class T,
          int BLOCK_DIM_X,
          int items,
          bool = false,
          int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1>
class BlockExchange
    : public detail::
          Exchange<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, items, detail::BlockBarrier> {
public:
  explicit BlockExchange(typename BlockExchange::Exchange::TempStorage &storage)
      : BlockExchange::Exchange(storage, detail::thread_of_block()) {}
};
template <class T, int items, int threads = 32>
class WarpExchange : public detail::Exchange<T, threads, items, detail::WarpBarrier> {
public:
  explicit WarpExchange(typename WarpExchange::Exchange::TempStorage &storage)
      : WarpExchange::Exchange(storage, emu::lane_id() % threads) {}
};

/// How the threads of a block come to their items: each its own, or side by side in memory and then traded, among all of
/// them or the lanes of each warp.
namespace detail {
enum class Trade { none, in_block, in_warps };
constexpr Trade trade_of(BlockLoadAlgorithm algorithm) {
  return algorithm == BLOCK_LOAD_TRANSPOSE        ? Trade::in_block
         : algorithm >= BLOCK_LOAD_WARP_TRANSPOSE ? Trade::in_warps
                                                  : Trade::none;
}
constexpr Trade trade_of(BlockStoreAlgorithm algorithm) {
  return algorithm == BLOCK_STORE_TRANSPOSE        ? Trade::in_block
         : algorithm >= BLOCK_STORE_WARP_TRANSPOSE ? Trade::in_warps
                                                   : Trade::none;
}

template <class T, int threads, int items, Trade trade> class BlockMove {
  static constexpr int team = trade == Trade::in_warps ? 32 : threads;
  using Traded = std::conditional_t<trade == Trade::in_warps,
                                    Exchange<T, team, items, WarpBarrier>,
                                    Exchange<T, team, items, BlockBarrier>>;
  struct Storage {
    typename Traded::TempStorage of_team[(threads + team - 1) / team];
  };
  struct Nothing {};

public:
  using TempStorage = std::conditional_t<trade == Trade::none, Nothing, Storage>;
  BlockMove() = default;
  explicit BlockMove(TempStorage &storage) : storage_(&storage) {}

protected:
  /// \param stride  0, or of striped items the threads
  template <int stride> void load(auto first, T (&to)[items], int valid, auto... other) {
    const int thread = thread_of_block(), before = thread / team * team * items;
    if constexpr (trade != Trade::none)
      if (storage_) {
        detail::load<team>(thread % team, first + before, to, valid - before, other...);
        Traded(storage_->of_team[thread / team], thread % team).StripedToBlocked(to);
        return;
      }
    detail::load<stride>(thread, first, to, valid, other...);
  }
  template <int stride> void store(auto first, T (&from)[items], int valid) {
    const int thread = thread_of_block(), before = thread / team * team * items;
    if constexpr (trade != Trade::none)
      if (storage_) {
        Traded(storage_->of_team[thread / team], thread % team).BlockedToStriped(from);
        detail::store<team>(thread % team, first + before, from, valid - before);
        return;
      }
    detail::store<stride>(thread, first, from, valid);
  }

private:
  TempStorage *storage_ = nullptr;
};
} // namespace detail

template <class T,
          int BLOCK_DIM_X,
          int items,
          BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT,
          int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1>
class BlockLoad : public detail::BlockMove<T,
                                           BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z,
                                           items,
                                           detail::trade_of(algorithm)> {
  static constexpr int stride =
      algorithm == BLOCK_LOAD_STRIPED ? BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z : 0;

public:
  using BlockLoad::BlockMove::BlockMove;
  void Load(auto first, T (&to)[items], int valid = detail::all_items, auto... other) {
    this->template load<stride>(first, to, valid, other...);
  }
};
template <class T,
          int BLOCK_DIM_X,
          int items,
          BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT,
          int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1>
class BlockStore : public detail::BlockMove<T,
                                            BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z,
                                            items,
                                            detail::trade_of(algorithm)> {
  static constexpr int stride =
      algorithm == BLOCK_STORE_STRIPED ? BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z : 0;

public:
  using BlockStore::BlockMove::BlockMove;
  void Store(auto first, T (&from)[items], int valid = detail::all_items) {
    this->template store<stride>(first, from, valid);
  }
};

/// Sorts the items of a block: thread 0 gets the first ones.
template <class K, int BLOCK_DIM_X, int items, class V = void, int... Options>
class BlockRadixSort {
  static constexpr int bits = 8 * sizeof(K);
  using Value = std::conditional_t<std::is_void_v<V>, char, V>;
  struct Item {
    K key;
    Value value;
  };

public:
  using TempStorage = detail::Places<Item, BLOCK_DIM_X * items>;
  explicit BlockRadixSort(TempStorage &storage) : storage_(storage) {}
  void Sort(K (&keys)[items], int first_bit = 0, int last_bit = bits) {
    sort<0>(keys, nullptr, false, first_bit, last_bit);
  }
  void SortDescending(K (&keys)[items], int first_bit = 0, int last_bit = bits) {
    sort<0>(keys, nullptr, true, first_bit, last_bit);
  }
  void SortBlockedToStriped(K (&keys)[items], int first_bit = 0, int last_bit = bits) {
    sort<BLOCK_DIM_X>(keys, nullptr, false, first_bit, last_bit);
  }
  void Sort(K (&keys)[items], Value (&values)[items], int first_bit = 0, int last_bit = bits) {
    sort<0>(keys, values, false, first_bit, last_bit);
  }
  void
  SortDescending(K (&keys)[items], Value (&values)[items], int first_bit = 0, int last_bit = bits) {
    sort<0>(keys, values, true, first_bit, last_bit);
  }
  void SortBlockedToStriped(K (&keys)[items],
                            Value (&values)[items],
                            int first_bit = 0,
                            int last_bit = bits) {
    sort<BLOCK_DIM_X>(keys, values, false, first_bit, last_bit);
  }

private:
  template <int stride>
  void sort(K (&keys)[items], Value *values, bool descends, int first_bit, int last_bit) {
    const int thread = detail::thread_of_block();
    for (int i = 0; i < items; ++i)
      storage_.values[thread * items + i] = {keys[i], values ? values[i] : Value()};
    __syncthreads();
    if (thread == 0)
      std::stable_sort(storage_.values,
                       storage_.values + BLOCK_DIM_X * items,
                       [=](const Item &a, const Item &b) {
                         const auto x = detail::digits(a.key, first_bit, last_bit),
                                    y = detail::digits(b.key, first_bit, last_bit);
                         return descends ? y < x : x < y;
                       });
    __syncthreads();
    for (int i = 0; i < items; ++i) {
      const Item &item = storage_.values[detail::place_of<stride, items>(thread, i)];
      keys[i] = item.key;
      if (values)
        values[i] = item.value;
    }
  }
  TempStorage &storage_;
};

/// Differences and changes between an item and the one before it.
template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockAdjacentDifference {
  static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
  using TempStorage = detail::Places<T, 2 * threads>;
  explicit BlockAdjacentDifference(TempStorage &storage) : storage_(storage) {}
  /// The first item of the block stays, or has `before` in front of it.
  template <int items, class Out> void SubtractLeft(T (&in)[items], Out (&out)[items], auto op) {
    subtract_left(in, out, op, nullptr);
  }
  template <int items, class Out>
  void SubtractLeft(T (&in)[items], Out (&out)[items], auto op, T before) {
    subtract_left(in, out, op, &before);
  }
  /// The last item of the block stays.
  template <int items, class Out> void SubtractRight(T (&in)[items], Out (&out)[items], auto op) {
    const int thread = share(in);
    for (int i = 0; i < items; ++i)
      if (i + 1 < items)
        out[i] = op(in[i], in[i + 1]);
      else
        out[i] = thread + 1 < threads ? op(in[i], storage_.values[2 * thread + 2]) : in[i];
  }

private:
  template <int items> int share(T (&in)[items]) {
    const int thread = detail::thread_of_block();
    storage_.values[2 * thread] = in[0];
    storage_.values[2 * thread + 1] = in[items - 1];
    __syncthreads();
    return thread;
  }
  template <int items, class Out>
  void subtract_left(T (&in)[items], Out (&out)[items], auto op, T *before) {
    const int thread = share(in);
    for (int i = items - 1; i > 0; --i)
      out[i] = op(in[i], in[i - 1]);
    if (thread > 0)
      out[0] = op(in[0], storage_.values[2 * thread - 1]);
    else
      out[0] = before ? op(in[0], *before) : in[0];
  }
  TempStorage &storage_;
};
template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockDiscontinuity : BlockAdjacentDifference<T, BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> {
  using Base = BlockAdjacentDifference<T, BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>;

public:
  using typename Base::TempStorage;
  explicit BlockDiscontinuity(TempStorage &storage) : Base(storage) {}
  /// A flag for each item that differs from the one before; the first one of the block always does.
  template <class Flag, int items> void FlagHeads(Flag (&flags)[items], T (&in)[items], auto op) {
    this->SubtractLeft(
        in, flags, [&op](const T &a, const T &b) { return static_cast<Flag>(op(b, a)); });
    if (detail::thread_of_block() == 0)
      flags[0] = 1;
  }
  template <class Flag, int items> void FlagTails(Flag (&flags)[items], T (&in)[items], auto op) {
    this->SubtractRight(
        in, flags, [&op](const T &a, const T &b) { return static_cast<Flag>(op(a, b)); });
    if (detail::thread_of_block() == BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z - 1)
      flags[items - 1] = 1;
  }
};

} // namespace cub

#include "emu/language/letters_back.hpp"
