/// \file
/// CUB's algorithms for whole devices. Each is one kernel of one thread here, in the order of its stream:
/// the results are CUB's, the counts of a kernel are not.
#pragma once

#include "emu/language/letters_away.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <type_traits>

#include "emu/runtime/runtime_api.hpp"
#include "emu/runtime/runtime_launch.hpp"

namespace emu {

/// Does `work` as a kernel of one thread. \param name  for reports
template <class Work> cudaError_t run_in_stream(const char *name, cudaStream_t stream, Work work) {
  const LaunchOutcome outcome;
  configure(name, 1, 1, 0, stream);
  run_kernel(
      name, nullptr, "", [](const Work &todo) { todo(); }, work);
  return outcome.error();
}

/// The same behind CUB's protocol: a first call without memory asks how many bytes `work` wants, which a
/// second call brings.
cudaError_t
run_with_storage(const char *name, void *storage, size_t &bytes, cudaStream_t stream, auto work) {
  constexpr size_t wanted = 1; // what is behind a null pointer means the question
  if (storage == nullptr) {
    bytes = wanted;
    return cudaSuccess;
  }
  return bytes < wanted ? cudaErrorInvalidValue : run_in_stream(name, stream, work);
}

/// Whether a type is floating point, half and bfloat16 among them, of which the standard library knows nothing.
template <class T> constexpr bool is_short_float = requires(T number) { number.wide(); };
template <class T> constexpr bool is_float = std::is_floating_point_v<T> || is_short_float<T>;
template <class T> constexpr T greatest() {
  if constexpr (is_short_float<T>) // the one below infinity
    return T::from_bits(T(__builtin_inff()).bits - 1u);
  else
    return std::numeric_limits<T>::max();
}
template <class T> constexpr T lowest() {
  if constexpr (is_short_float<T>)
    return T::from_bits(greatest<T>().bits | 0x8000u);
  else
    return std::numeric_limits<T>::lowest();
}

template <class Iterator>
using ValueOf = std::remove_cvref_t<decltype(*std::declval<Iterator &>())>;

/// Calls `use` with the first of each run of the same elements, and behind its last.
void each_run(auto elements, long long n, const auto &same, const auto &use) {
  for (long long first = 0, i = 1; first < n; ++i)
    if (i == n || !same(elements[first], elements[i])) {
      use(first, i);
      first = i;
    }
}

} // namespace emu

namespace cub {

struct Sum {
  constexpr auto operator()(const auto &a, const auto &b) const { return a + b; }
};
struct Max {
  template <class T> constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
struct Min {
  template <class T> constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
struct Equality {
  constexpr bool operator()(const auto &a, const auto &b) const { return a == b; }
};

struct Inequality {
  constexpr bool operator()(const auto &a, const auto &b) const { return !(a == b); }
};

template <class K, class V> struct KeyValuePair {
  K key;
  V value;
};

// What each algorithm is given first, and last.
#define EMU_CUB_MEMORY void *storage, size_t &bytes
#define EMU_CUB_STREAM cudaStream_t stream = nullptr

struct DeviceReduce {
  static cudaError_t
  Reduce(EMU_CUB_MEMORY, auto in, auto out, long long n, auto op, auto initial, EMU_CUB_STREAM) {
    return emu::run_with_storage("cub::DeviceReduce", storage, bytes, stream, [=] {
      auto result = initial;
      for (long long i = 0; i < n; ++i)
        result = op(result, in[i]);
      *out = result;
    });
  }
  static cudaError_t Sum(EMU_CUB_MEMORY, auto in, auto out, long long n, EMU_CUB_STREAM) {
    return Reduce(storage, bytes, in, out, n, cub::Sum(), emu::ValueOf<decltype(out)>(), stream);
  }
  static cudaError_t Max(EMU_CUB_MEMORY, auto in, auto out, long long n, EMU_CUB_STREAM) {
    const auto lowest = emu::lowest<emu::ValueOf<decltype(in)>>();
    return Reduce(storage, bytes, in, out, n, cub::Max(), lowest, stream);
  }
  static cudaError_t Min(EMU_CUB_MEMORY, auto in, auto out, long long n, EMU_CUB_STREAM) {
    const auto most = emu::greatest<emu::ValueOf<decltype(in)>>();
    return Reduce(storage, bytes, in, out, n, cub::Min(), most, stream);
  }
  /// The first of the greatest values, as a pair of its index and the value.
  static cudaError_t ArgMax(EMU_CUB_MEMORY, auto in, auto out, int n, EMU_CUB_STREAM) {
    return extreme(storage, bytes, in, out, n, stream, std::greater<>());
  }
  static cudaError_t ArgMin(EMU_CUB_MEMORY, auto in, auto out, int n, EMU_CUB_STREAM) {
    return extreme(storage, bytes, in, out, n, stream, std::less<>());
  }

private:
  static cudaError_t
  extreme(EMU_CUB_MEMORY, auto in, auto out, int n, cudaStream_t stream, auto better) {
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
  template <class T>
  static cudaError_t ExclusiveScan(
      EMU_CUB_MEMORY, auto in, auto out, auto op, T initial, long long n, EMU_CUB_STREAM) {
    return emu::run_with_storage("cub::DeviceScan", storage, bytes, stream, [=] {
      T sum = initial;
      for (long long i = 0; i < n; ++i) {
        const T next = op(sum, in[i]); // in and out may be one array
        out[i] = sum;
        sum = next;
      }
    });
  }
  static cudaError_t
  InclusiveScan(EMU_CUB_MEMORY, auto in, auto out, auto op, long long n, EMU_CUB_STREAM) {
    return emu::run_with_storage("cub::DeviceScan", storage, bytes, stream, [=] {
      if (n <= 0)
        return;
      auto sum = in[0];
      out[0] = sum;
      for (long long i = 1; i < n; ++i)
        out[i] = sum = op(sum, in[i]);
    });
  }
  static cudaError_t ExclusiveSum(EMU_CUB_MEMORY, auto in, auto out, long long n, EMU_CUB_STREAM) {
    const emu::ValueOf<decltype(in)> zero{};
    return ExclusiveScan(storage, bytes, in, out, cub::Sum(), zero, n, stream);
  }
  static cudaError_t InclusiveSum(EMU_CUB_MEMORY, auto in, auto out, long long n, EMU_CUB_STREAM) {
    return InclusiveScan(storage, bytes, in, out, cub::Sum(), n, stream);
  }
};

struct DeviceSelect {
  static cudaError_t
  If(EMU_CUB_MEMORY, auto in, auto out, auto count, long long n, auto predicate, EMU_CUB_STREAM) {
    return select(
        storage, bytes, in, out, count, n, stream, [=](long long i) { return predicate(in[i]); });
  }
  static cudaError_t
  Flagged(EMU_CUB_MEMORY, auto in, auto flags, auto out, auto count, long long n, EMU_CUB_STREAM) {
    return select(
        storage, bytes, in, out, count, n, stream, [=](long long i) { return flags[i] != 0; });
  }
  static cudaError_t
  Unique(EMU_CUB_MEMORY, auto in, auto out, auto count, long long n, EMU_CUB_STREAM) {
    return select(storage, bytes, in, out, count, n, stream, [=](long long i) {
      return i == 0 || !(in[i] == in[i - 1]);
    });
  }

private:
  static cudaError_t select(
      EMU_CUB_MEMORY, auto in, auto out, auto count, long long n, cudaStream_t stream, auto kept) {
    return emu::run_with_storage("cub::DeviceSelect", storage, bytes, stream, [=] {
      long long found = 0;
      for (long long i = 0; i < n; ++i)
        if (kept(i))
          out[found++] = in[i];
      *count = static_cast<emu::ValueOf<decltype(count)>>(found);
    });
  }
};

struct DeviceHistogram {
  /// levels - 1 bins of equal width from `lower` to `upper`; what lies outside is not counted.
  template <class Counter, class Level>
  static cudaError_t HistogramEven(EMU_CUB_MEMORY,
                                   auto samples,
                                   Counter *histogram,
                                   int levels,
                                   Level lower,
                                   Level upper,
                                   long long n,
                                   EMU_CUB_STREAM) {
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
  template <class Counter, class Level>
  static cudaError_t HistogramRange(EMU_CUB_MEMORY,
                                    auto samples,
                                    Counter *histogram,
                                    int levels,
                                    const Level *bounds,
                                    long long n,
                                    EMU_CUB_STREAM) {
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

#include "emu/language/letters_back.hpp"
