/// \file
/// CUB's collectives of a block and of a warp: the values are exchanged as the class says, and each result is
/// where CUB has it.
#pragma once

#include "emu/language/letters_away.hpp"

#include <algorithm>
#include <concepts>
#include <cstring>

#include "emu/cub/cub_device.hpp"
#include "emu/warp/sync.hpp"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

namespace detail {

inline int thread_of_block() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

template <class T, int threads> struct Places { T values[threads]; };

/// What another lane has, of any type that can be copied byte by byte, by `shuffle` of 32 bits each.
template <class T> T from_lane(const T &value, auto shuffle) {
  unsigned words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &value, sizeof(T));
  for (unsigned &word : words)
    word = shuffle(word);
  T other = value;
  memcpy(&other, words, sizeof(T));
  return other;
}

template <class Callback, class T>
concept CallbackOf = std::is_class_v<Callback> && !std::same_as<Callback, T>;

} // namespace detail

/// The result is lane 0's.
template <class T, int LOGICAL_WARP_THREADS = 32> class WarpReduce {
public:
  struct TempStorage {};
  explicit WarpReduce(TempStorage &) {}

  /// \param valid  lanes from 0 on whose values count
  T Reduce(T value, auto op, int valid = LOGICAL_WARP_THREADS) {
    const int lane = emu::lane_id() % LOGICAL_WARP_THREADS;
    for (int distance = LOGICAL_WARP_THREADS / 2; distance > 0; distance /= 2) {
      const bool there = lane + distance < valid;
      const T other = detail::from_lane(value, [&](unsigned word) {
        return __shfl_sync(0xffffffffu, word, there ? lane + distance : lane, LOGICAL_WARP_THREADS);
      });
      if (there)
        value = op(value, other);
    }
    return value;
  }
  T Sum(T value, int valid = LOGICAL_WARP_THREADS) { return Reduce(value, cub::Sum(), valid); }
};

template <class T, int LOGICAL_WARP_THREADS = 32> class WarpScan {
public:
  struct TempStorage {};
  explicit WarpScan(TempStorage &) {}

  void InclusiveScan(T in, T &out, auto op) {
    const int lane = emu::lane_id() % LOGICAL_WARP_THREADS;
    for (int distance = 1; distance < LOGICAL_WARP_THREADS; distance *= 2) {
      const T other = detail::from_lane(in, [&](unsigned word) {
        return __shfl_up_sync(
            0xffffffffu, word, static_cast<unsigned>(distance), LOGICAL_WARP_THREADS);
      });
      if (lane >= distance)
        in = op(other, in);
    }
    out = in;
  }
  void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
  void ExclusiveSum(T in, T &out) {
    T sum;
    InclusiveSum(in, sum);
    out = sum - in;
  }
};

/// The result is thread 0's.
template <class T,
          int BLOCK_DIM_X,
          BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS,
          int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1>
class BlockReduce {
  static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  static constexpr int warps = (threads + 31) / 32;

public:
  using TempStorage = detail::Places<T, warps>; // what each warp comes to
  explicit BlockReduce(TempStorage &storage) : storage_(storage) {}

  /// \param count  threads [0, count) have a value
  T Reduce(T value, auto op, int count = threads) {
    const int tid = detail::thread_of_block(), first = tid / 32 * 32;
    typename WarpReduce<T>::TempStorage none;
    value = WarpReduce<T>(none).Reduce(value, op, std::clamp(count - first, 0, 32));
    if (tid == first)
      storage_.values[tid / 32] = value;
    __syncthreads();
    if (tid == 0)
      for (int warp = 1; warp < warps && 32 * warp < count; ++warp)
        value = op(value, storage_.values[warp]);
    return value;
  }
  template <int items> T Reduce(T (&values)[items], auto op) {
    T value = values[0];
    for (int i = 1; i < items; ++i)
      value = op(value, values[i]);
    return Reduce(value, op);
  }
  T Sum(T value, int count = threads) { return Reduce(value, cub::Sum(), count); }
  template <int items> T Sum(T (&values)[items]) { return Reduce(values, cub::Sum()); }

private:
  TempStorage &storage_;
};

template <class T,
          int BLOCK_DIM_X,
          BlockScanAlgorithm = BLOCK_SCAN_RAKING,
          int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1>
class BlockScan {
  static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  static constexpr int warps = (threads + 31) / 32;

public:
  using TempStorage = detail::Places<T, warps>; // what each warp comes to
  explicit BlockScan(TempStorage &storage) : storage_(storage) {}

  /// \param total  one or none: the combination of all threads' values
  void InclusiveScan(T in, T &out, auto op, std::same_as<T> auto &...total) {
    const Prefix its = prefix(in, op);
    out = its.with;
    ((total = its.total), ...);
  }
  /// Without an initial value thread 0's result is not defined.
  void ExclusiveScan(T in, T &out, auto op) {
    const Prefix its = prefix(in, op);
    if (detail::thread_of_block() > 0)
      out = its.before;
  }
  /// \param initial  thread 0's result
  void ExclusiveScan(T in, T &out, T initial, auto op, std::same_as<T> auto &...total) {
    const Prefix its = prefix(in, op);
    out = detail::thread_of_block() == 0 ? initial : op(initial, its.before);
    ((total = its.total), ...);
  }
  void InclusiveSum(T in, T &out, std::same_as<T> auto &...total) {
    InclusiveScan(in, out, cub::Sum(), total...);
  }
  void ExclusiveSum(T in, T &out, std::same_as<T> auto &...total) {
    ExclusiveScan(in, out, T(), cub::Sum(), total...);
  }
  /// \param before  called by the first warp with the sum of all, its first thread gives what comes in front
  template <detail::CallbackOf<T> Before> void InclusiveSum(T in, T &out, Before &before) {
    T sum, total;
    InclusiveSum(in, sum, total);
    out = in_front(before, total) + sum;
  }
  template <detail::CallbackOf<T> Before> void ExclusiveSum(T in, T &out, Before &before) {
    T sum, total;
    ExclusiveSum(in, sum, total);
    out = in_front(before, total) + sum;
  }
  template <int items>
  void ExclusiveSum(T (&in)[items], T (&out)[items], std::same_as<T> auto &...total) {
    T mine = T();
    for (int i = 0; i < items; ++i)
      mine = mine + in[i];
    T before;
    ExclusiveSum(mine, before, total...);
    for (int i = 0; i < items; ++i) {
      const T next = before + in[i];
      out[i] = before;
      before = next;
    }
  }
  template <int items>
  void InclusiveScan(T (&in)[items], T (&out)[items], auto op, std::same_as<T> auto &...total) {
    T mine = in[0];
    for (int i = 1; i < items; ++i)
      mine = op(mine, in[i]);
    const Prefix its = prefix(mine, op);
    T sum = detail::thread_of_block() == 0 ? in[0] : op(its.before, in[0]);
    for (int i = 0; i < items; ++i) {
      if (i > 0)
        sum = op(sum, in[i]);
      out[i] = sum;
    }
    ((total = its.total), ...);
  }
  template <int items>
  void InclusiveSum(T (&in)[items], T (&out)[items], std::same_as<T> auto &...total) {
    InclusiveScan(in, out, cub::Sum(), total...);
  }

private:
  T in_front(auto &before, const T &total) {
    __syncthreads();
    if (detail::thread_of_block() < 32) {
      const T first = before(total);
      if (detail::thread_of_block() == 0)
        storage_.values[0] = first;
    }
    __syncthreads();
    return storage_.values[0];
  }
  /// Of all threads before this one (thread 0 has none), of those and this one, and of all.
  struct Prefix {
    T before, with, total;
  };
  Prefix prefix(const T &value, auto op) {
    const int tid = detail::thread_of_block(), warp = tid / 32, lane = tid % 32;
    T with;
    typename WarpScan<T>::TempStorage none;
    WarpScan<T>(none).InclusiveScan(value, with, op);
    T before =
        detail::from_lane(with, [](unsigned word) { return __shfl_up_sync(0xffffffffu, word, 1); });
    if (lane == 31 || tid == threads - 1)
      storage_.values[warp] = with;
    __syncthreads();
    T total = storage_.values[0], in_front = total;
    for (int other = 1; other < warps; ++other) {
      if (other == warp)
        in_front = total;
      total = op(total, storage_.values[other]);
    }
    if (warp > 0) {
      with = op(in_front, with);
      before = lane == 0 ? in_front : op(in_front, before);
    }
    return {before, with, total};
  }
  TempStorage &storage_;
};

} // namespace cub

#include "emu/language/letters_back.hpp"
