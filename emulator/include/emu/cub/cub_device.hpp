/// \file
/// CUB's algorithms for whole devices. Each is one kernel of one thread here, in the order of its stream:
/// the results are CUB's, the counts of a kernel are not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <type_traits>

#include "emu/runtime/runtime_api.hpp"
#include "emu/runtime/runtime_launch.hpp"

namespace emu {

/// Does `work` as a kernel of one thread. \param name  for reports
template <class Work> cudaError_t run_in_stream(const char *name, cudaStream_t stream, Work work) {
  const LaunchOutcome outcome;
  const PendingLaunch launch(name, LaunchConfig{dim3(1), dim3(1), 0, stream, false});
  run_kernel(
      PendingLaunch::take(), nullptr, "", [](const Work &todo) { todo(); }, work);
  return outcome.error();
}

/// The same behind CUB's protocol: a first call without memory asks how many bytes `work` wants, which a
/// second call brings.
template <class Work>
cudaError_t
run_with_storage(const char *name, void *storage, size_t &bytes, cudaStream_t stream, Work work) {
  constexpr size_t wanted = 1; // what is behind a null pointer means the question
  if (storage == nullptr) {
    bytes = wanted;
    return cudaSuccess;
  }
  return bytes < wanted ? cudaErrorInvalidValue : run_in_stream(name, stream, work);
}

template <class Iterator>
using ValueOf = std::remove_cvref_t<decltype(*std::declval<Iterator &>())>;

} // namespace emu

namespace cub {

struct Sum {
  template <class T, class U> constexpr auto operator()(const T &a, const U &b) const {
    return a + b;
  }
};
struct Max {
  template <class T> constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
struct Min {
  template <class T> constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
struct Equality {
  template <class T, class U> constexpr bool operator()(const T &a, const U &b) const {
    return a == b;
  }
};

struct Inequality {
  template <class T, class U> constexpr bool operator()(const T &a, const U &b) const {
    return !(a == b);
  }
};

template <class K, class V> struct KeyValuePair {
  K key;
  V value;
};

struct DeviceReduce {
  template <class In, class Out, class Op, class T>
  static cudaError_t Reduce(void *storage,
                            size_t &bytes,
                            In in,
                            Out out,
                            long long n,
                            Op op,
                            T initial,
                            cudaStream_t stream = nullptr) {
    return emu::run_with_storage("cub::DeviceReduce", storage, bytes, stream, [=] {
      T result = initial;
      for (long long i = 0; i < n; ++i)
        result = op(result, in[i]);
      *out = result;
    });
  }
  template <class In, class Out>
  static cudaError_t
  Sum(void *storage, size_t &bytes, In in, Out out, long long n, cudaStream_t stream = nullptr) {
    return Reduce(storage, bytes, in, out, n, cub::Sum(), emu::ValueOf<Out>(), stream);
  }
  template <class In, class Out>
  static cudaError_t
  Max(void *storage, size_t &bytes, In in, Out out, long long n, cudaStream_t stream = nullptr) {
    using T = emu::ValueOf<In>;
    return Reduce(storage, bytes, in, out, n, cub::Max(), std::numeric_limits<T>::lowest(), stream);
  }
  template <class In, class Out>
  static cudaError_t
  Min(void *storage, size_t &bytes, In in, Out out, long long n, cudaStream_t stream = nullptr) {
    using T = emu::ValueOf<In>;
    return Reduce(storage, bytes, in, out, n, cub::Min(), std::numeric_limits<T>::max(), stream);
  }
  /// The first of the greatest values, as a pair of its index and the value.
  template <class In, class Out>
  static cudaError_t
  ArgMax(void *storage, size_t &bytes, In in, Out out, int n, cudaStream_t stream = nullptr) {
    return extreme(
        storage, bytes, in, out, n, stream, [](const auto &a, const auto &b) { return b < a; });
  }
  template <class In, class Out>
  static cudaError_t
  ArgMin(void *storage, size_t &bytes, In in, Out out, int n, cudaStream_t stream = nullptr) {
    return extreme(
        storage, bytes, in, out, n, stream, [](const auto &a, const auto &b) { return a < b; });
  }

private:
  template <class In, class Out, class Better>
  static cudaError_t
  extreme(void *storage, size_t &bytes, In in, Out out, int n, cudaStream_t stream, Better better) {
    return emu::run_with_storage("cub::DeviceReduce", storage, bytes, stream, [=] {
      int best = 0;
      for (int i = 1; i < n; ++i)
        if (better(in[i], in[best]))
          best = i;
      if (n > 0) {
        out->key = best;
        out->value = in[best];
      }
    });
  }
};

struct DeviceScan {
  template <class In, class Out, class Op, class T>
  static cudaError_t ExclusiveScan(void *storage,
                                   size_t &bytes,
                                   In in,
                                   Out out,
                                   Op op,
                                   T initial,
                                   long long n,
                                   cudaStream_t stream = nullptr) {
    return emu::run_with_storage("cub::DeviceScan", storage, bytes, stream, [=] {
      T sum = initial;
      for (long long i = 0; i < n; ++i) {
        const T next = op(sum, in[i]); // in and out may be one array
        out[i] = sum;
        sum = next;
      }
    });
  }
  template <class In, class Out, class Op>
  static cudaError_t InclusiveScan(void *storage,
                                   size_t &bytes,
                                   In in,
                                   Out out,
                                   Op op,
                                   long long n,
                                   cudaStream_t stream = nullptr) {
    return emu::run_with_storage("cub::DeviceScan", storage, bytes, stream, [=] {
      if (n <= 0)
        return;
      auto sum = static_cast<emu::ValueOf<In>>(in[0]);
      out[0] = sum;
      for (long long i = 1; i < n; ++i)
        out[i] = sum = op(sum, in[i]);
    });
  }
  template <class In, class Out>
  static cudaError_t ExclusiveSum(
      void *storage, size_t &bytes, In in, Out out, long long n, cudaStream_t stream = nullptr) {
    return ExclusiveScan(storage, bytes, in, out, cub::Sum(), emu::ValueOf<In>(), n, stream);
  }
  template <class In, class Out>
  static cudaError_t InclusiveSum(
      void *storage, size_t &bytes, In in, Out out, long long n, cudaStream_t stream = nullptr) {
    return InclusiveScan(storage, bytes, in, out, cub::Sum(), n, stream);
  }
};

struct DeviceSelect {
  template <class In, class Out, class Count, class Predicate>
  static cudaError_t If(void *storage,
                        size_t &bytes,
                        In in,
                        Out out,
                        Count count,
                        long long n,
                        Predicate predicate,
                        cudaStream_t stream = nullptr) {
    return select(
        storage, bytes, in, out, count, n, stream, [=](long long i) { return predicate(in[i]); });
  }
  template <class In, class Flags, class Out, class Count>
  static cudaError_t Flagged(void *storage,
                             size_t &bytes,
                             In in,
                             Flags flags,
                             Out out,
                             Count count,
                             long long n,
                             cudaStream_t stream = nullptr) {
    return select(
        storage, bytes, in, out, count, n, stream, [=](long long i) { return flags[i] != 0; });
  }
  template <class In, class Out, class Count>
  static cudaError_t Unique(void *storage,
                            size_t &bytes,
                            In in,
                            Out out,
                            Count count,
                            long long n,
                            cudaStream_t stream = nullptr) {
    return select(storage, bytes, in, out, count, n, stream, [=](long long i) {
      return i == 0 || !(in[i] == in[i - 1]);
    });
  }

private:
  template <class In, class Out, class Count, class Kept>
  static cudaError_t select(void *storage,
                            size_t &bytes,
                            In in,
                            Out out,
                            Count count,
                            long long n,
                            cudaStream_t stream,
                            Kept kept) {
    return emu::run_with_storage("cub::DeviceSelect", storage, bytes, stream, [=] {
      long long found = 0;
      for (long long i = 0; i < n; ++i)
        if (kept(i))
          out[found++] = in[i];
      *count = static_cast<emu::ValueOf<Count>>(found);
    });
  }
};

struct DeviceHistogram {
  /// levels - 1 bins of equal width from `lower` to `upper`; what lies outside is not counted.
  template <class In, class Counter, class Level>
  static cudaError_t HistogramEven(void *storage,
                                   size_t &bytes,
                                   In samples,
                                   Counter *histogram,
                                   int levels,
                                   Level lower,
                                   Level upper,
                                   long long n,
                                   cudaStream_t stream = nullptr) {
    const long long bins = levels - 1;
    return emu::run_with_storage("cub::DeviceHistogram", storage, bytes, stream, [=] {
      std::fill(histogram, histogram + bins, Counter());
      for (long long i = 0; i < n; ++i) {
        const auto sample = static_cast<Level>(samples[i]);
        if (!(sample < lower) && sample < upper)
          ++histogram[bin(sample, lower, upper, bins)];
      }
    });
  }
  /// Bins between neighbours of `levels`, which ascend.
  template <class In, class Counter, class Level>
  static cudaError_t HistogramRange(void *storage,
                                    size_t &bytes,
                                    In samples,
                                    Counter *histogram,
                                    int levels,
                                    const Level *bounds,
                                    long long n,
                                    cudaStream_t stream = nullptr) {
    return emu::run_with_storage("cub::DeviceHistogram", storage, bytes, stream, [=] {
      std::fill(histogram, histogram + levels - 1, Counter());
      for (long long i = 0; i < n; ++i) {
        const auto place =
            std::upper_bound(bounds, bounds + levels, static_cast<Level>(samples[i])) - bounds;
        if (place > 0 && place < levels)
          ++histogram[place - 1];
      }
    });
  }

private:
  template <class Level>
  static long long bin(Level sample, Level lower, Level upper, long long bins) {
    if constexpr (std::is_floating_point_v<Level>)
      return std::min(
          bins - 1,
          static_cast<long long>((sample - lower) * (static_cast<Level>(bins) / (upper - lower))));
    else
      return static_cast<long long>(sample - lower) * bins / static_cast<long long>(upper - lower);
  }
};

} // namespace cub
