/// \file
/// What CUB has beside its algorithms: iterators, traits of types, an allocator, checks.
#pragma once

#include "emu/language/letters_away.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "emu/cub/cub_sort.hpp"
#include "emu/math/math_integer.hpp"
#include "emu/thrust/thrust_iterators.hpp"

#define CUB_VERSION 300000
/// Says which call failed, and where; the Exit one then ends the program.
#define CubDebug(call) cub::Debug((call), __FILE__, __LINE__)
#define CubDebugExit(call) \
  do { \
    if (CubDebug(call) != cudaSuccess) \
      std::exit(1); \
  } while (0)
#define CUB_MIN(a, b) ((a) > (b) ? (b) : (a))
#define CUB_MAX(a, b) ((a) > (b) ? (a) : (b))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y)-1) / (y))
#define CUB_RUNTIME_FUNCTION
#define CUB_PTX_WARP_THREADS 32
#define CUB_PTX_LOG_WARP_THREADS 5

namespace cub {

inline cudaError_t Debug(cudaError_t error, const char *file, int line) {
  if (error != cudaSuccess)
    std::fprintf(stderr,
                 "CUDA error %d [%s, %d]: %s\n",
                 static_cast<int>(error),
                 file,
                 line,
                 cudaGetErrorString(error));
  return error;
}

template <class T> using CountingInputIterator = thrust::counting_iterator<T>;
template <class T> using ConstantInputIterator = thrust::constant_iterator<T>;
template <class T, class F, class I>
class TransformInputIterator : public thrust::transform_iterator<F, I> {
public:
  TransformInputIterator(I base, F function) : thrust::transform_iterator<F, I>(base, function) {}
};
using DiscardOutputIterator = thrust::discard_iterator;
enum CacheLoadModifier {
  LOAD_DEFAULT,
  LOAD_CA,
  LOAD_CG,
  LOAD_CS,
  LOAD_CV,
  LOAD_LDG,
  LOAD_VOLATILE
};
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier> EMU_INLINE auto ThreadLoad(auto at) { return *at; }
template <CacheStoreModifier> EMU_INLINE void ThreadStore(auto at, auto value) { *at = value; }

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };
template <class T> struct Traits {
  static constexpr Category CATEGORY = std::is_floating_point_v<T> ? FLOATING_POINT
                                       : !std::is_integral_v<T>    ? NOT_A_NUMBER
                                       : std::is_signed_v<T>       ? SIGNED_INTEGER
                                                                   : UNSIGNED_INTEGER;
  static constexpr bool PRIMITIVE = std::is_arithmetic_v<T>;
  using UnsignedBits = emu::UnsignedOfSize<sizeof(T)>;
  static T Lowest() { return emu::lowest<T>(); }
  static T Max() { return emu::greatest<T>(); }
};
template <class T> using NumericTraits = Traits<T>;
template <int value> struct Int2Type { static constexpr int VALUE = value; };
template <bool condition, class A, class B> struct If {
  using Type = std::conditional_t<condition, A, B>;
};
template <int n> struct Log2 {
  static constexpr int VALUE = n <= 1 ? 0 : 1 + Log2<(n + 1) / 2>::VALUE;
};
template <> struct Log2<1> { static constexpr int VALUE = 0; };
template <class T> class Uninitialized {
public:
  T &Alias() { return *reinterpret_cast<T *>(bytes_); }

private:
  alignas(T) unsigned char bytes_[sizeof(T)];
};
struct ArgMax {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
    return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
inline unsigned int LaneId() { return static_cast<unsigned>(emu::lane_id()); }

/// Memory of the device; nothing is kept for later.
struct CachingDeviceAllocator {
  template <class... Settings> explicit CachingDeviceAllocator(Settings...) {}
  static cudaError_t DeviceAllocate(void **memory, size_t bytes, cudaStream_t = nullptr) {
    return cudaMalloc(memory, bytes);
  }
  static cudaError_t DeviceFree(void *memory) { return cudaFree(memory); }
  static cudaError_t FreeAllCached() { return cudaSuccess; }
};

struct DeviceRunLengthEncode {
  static cudaError_t Encode(
      EMU_CUB_MEMORY, auto in, auto unique, auto lengths, auto count, long long n, EMU_CUB_STREAM) {
    return emu::run_with_storage("cub::DeviceRunLengthEncode", storage, bytes, stream, [=] {
      long long runs = 0;
      emu::each_run(in, n, cub::Equality(), [&](long long first, long long last) {
        unique[runs] = in[first];
        lengths[runs++] = static_cast<emu::ValueOf<decltype(lengths)>>(last - first);
      });
      *count = static_cast<emu::ValueOf<decltype(count)>>(runs);
    });
  }
};

/// Segment i is [begin[i], end[i]).
struct DeviceSegmentedReduce {
#define EMU_CUB_SEGMENTS EMU_CUB_MEMORY, auto in, auto out, long long segments, auto begin, auto end
  template <class T>
  static cudaError_t Reduce(EMU_CUB_SEGMENTS, auto op, T initial, EMU_CUB_STREAM) {
    return emu::run_with_storage("cub::DeviceSegmentedReduce", storage, bytes, stream, [=] {
      for (long long s = 0; s < segments; ++s) {
        T result = initial;
        for (auto i = begin[s]; i < end[s]; ++i)
          result = op(result, in[i]);
        out[s] = result;
      }
    });
  }
  static cudaError_t Sum(EMU_CUB_SEGMENTS, EMU_CUB_STREAM) {
    const emu::ValueOf<decltype(out)> zero{};
    return Reduce(storage, bytes, in, out, segments, begin, end, cub::Sum(), zero, stream);
  }
  static cudaError_t Max(EMU_CUB_SEGMENTS, EMU_CUB_STREAM) {
    const auto lowest = emu::lowest<emu::ValueOf<decltype(in)>>();
    return Reduce(storage, bytes, in, out, segments, begin, end, cub::Max(), lowest, stream);
  }
  static cudaError_t Min(EMU_CUB_SEGMENTS, EMU_CUB_STREAM) {
    const auto most = emu::greatest<emu::ValueOf<decltype(in)>>();
    return Reduce(storage, bytes, in, out, segments, begin, end, cub::Min(), most, stream);
  }
#undef EMU_CUB_SEGMENTS
};

/// What is selected comes first, in order; the rest from the end on, backwards.
struct DevicePartition {
  static cudaError_t
  If(EMU_CUB_MEMORY, auto in, auto out, auto count, long long n, auto predicate, EMU_CUB_STREAM) {
    return emu::run_with_storage("cub::DevicePartition", storage, bytes, stream, [=] {
      long long selected = 0, end = n;
      for (long long i = 0; i < n; ++i)
        if (predicate(in[i]))
          out[selected++] = in[i];
        else
          out[--end] = in[i];
      *count = static_cast<emu::ValueOf<decltype(count)>>(selected);
    });
  }
};

struct DeviceMergeSort {
  static cudaError_t SortKeys(EMU_CUB_MEMORY, auto keys, long long n, auto less, EMU_CUB_STREAM) {
    return emu::run_with_storage("cub::DeviceMergeSort", storage, bytes, stream, [=] {
      std::stable_sort(keys, keys + n, less);
    });
  }
  static cudaError_t
  StableSortKeys(EMU_CUB_MEMORY, auto keys, long long n, auto less, EMU_CUB_STREAM) {
    return SortKeys(storage, bytes, keys, n, less, stream);
  }
};

} // namespace cub

#include "emu/language/letters_back.hpp"
