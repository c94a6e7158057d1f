/// \file
/// What CUB has beside its algorithms: iterators, traits of types, an allocator, checks.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "emu/cub/cub_sort.hpp"
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
template <CacheLoadModifier, class I> EMU_INLINE auto ThreadLoad(I at) { return *at; }
template <CacheStoreModifier, class O, class T> EMU_INLINE void ThreadStore(O at, T value) {
  *at = value;
}

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };
template <class T> struct Traits {
  static constexpr Category CATEGORY = std::is_floating_point_v<T> ? FLOATING_POINT
                                       : !std::is_integral_v<T>    ? NOT_A_NUMBER
                                       : std::is_signed_v<T>       ? SIGNED_INTEGER
                                                                   : UNSIGNED_INTEGER;
  static constexpr bool PRIMITIVE = std::is_arithmetic_v<T>;
  using UnsignedBits = std::conditional_t<
      sizeof(T) == 8,
      unsigned long long,
      std::conditional_t<sizeof(T) == 4,
                         unsigned int,
                         std::conditional_t<sizeof(T) == 2, unsigned short, unsigned char>>>;
  static T Lowest() { return std::numeric_limits<T>::lowest(); }
  static T Max() { return std::numeric_limits<T>::max(); }
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

namespace detail {
// Calls `use` with the first and behind the last of each run of equal keys.
template <class Keys, class Use> void each_run(Keys keys, long long n, const Use &use) {
  for (long long first = 0, i = 1; first < n; ++i)
    if (i == n || !(keys[i] == keys[first])) {
      use(first, i);
      first = i;
    }
}
} // namespace detail

struct DeviceRunLengthEncode {
  template <class In, class Out, class Lengths, class Count>
  static cudaError_t Encode(void *storage,
                            size_t &bytes,
                            In in,
                            Out unique,
                            Lengths lengths,
                            Count count,
                            long long n,
                            cudaStream_t stream = nullptr) {
    return emu::run_with_storage("cub::DeviceRunLengthEncode", storage, bytes, stream, [=] {
      long long runs = 0;
      detail::each_run(in, n, [&](long long first, long long last) {
        unique[runs] = in[first];
        lengths[runs++] = static_cast<emu::ValueOf<Lengths>>(last - first);
      });
      *count = static_cast<emu::ValueOf<Count>>(runs);
    });
  }
};

/// Segment i is [begin[i], end[i]).
struct DeviceSegmentedReduce {
  template <class In, class Out, class Begin, class End, class Op, class T>
  static cudaError_t Reduce(void *storage,
                            size_t &bytes,
                            In in,
                            Out out,
                            long long segments,
                            Begin begin,
                            End end,
                            Op op,
                            T initial,
                            cudaStream_t stream = nullptr) {
    return emu::run_with_storage("cub::DeviceSegmentedReduce", storage, bytes, stream, [=] {
      for (long long s = 0; s < segments; ++s) {
        T result = initial;
        for (auto i = begin[s]; i < end[s]; ++i)
          result = op(result, in[i]);
        out[s] = result;
      }
    });
  }
  template <class In, class Out, class Begin, class End>
  static cudaError_t Sum(void *storage,
                         size_t &bytes,
                         In in,
                         Out out,
                         long long segments,
                         Begin begin,
                         End end,
                         cudaStream_t stream = nullptr) {
    return Reduce(
        storage, bytes, in, out, segments, begin, end, cub::Sum(), emu::ValueOf<Out>(), stream);
  }
  template <class In, class Out, class Begin, class End>
  static cudaError_t Max(void *storage,
                         size_t &bytes,
                         In in,
                         Out out,
                         long long segments,
                         Begin begin,
                         End end,
                         cudaStream_t stream = nullptr) {
    return Reduce(storage,
                  bytes,
                  in,
                  out,
                  segments,
                  begin,
                  end,
                  cub::Max(),
                  std::numeric_limits<emu::ValueOf<In>>::lowest(),
                  stream);
  }
  template <class In, class Out, class Begin, class End>
  static cudaError_t Min(void *storage,
                         size_t &bytes,
                         In in,
                         Out out,
                         long long segments,
                         Begin begin,
                         End end,
                         cudaStream_t stream = nullptr) {
    return Reduce(storage,
                  bytes,
                  in,
                  out,
                  segments,
                  begin,
                  end,
                  cub::Min(),
                  std::numeric_limits<emu::ValueOf<In>>::max(),
                  stream);
  }
};

/// What is selected comes first, in order; the rest from the end on, backwards.
struct DevicePartition {
  template <class In, class Out, class Count, class Predicate>
  static cudaError_t If(void *storage,
                        size_t &bytes,
                        In in,
                        Out out,
                        Count count,
                        long long n,
                        Predicate predicate,
                        cudaStream_t stream = nullptr) {
    return emu::run_with_storage("cub::DevicePartition", storage, bytes, stream, [=] {
      long long selected = 0, end = n;
      for (long long i = 0; i < n; ++i)
        if (predicate(in[i]))
          out[selected++] = in[i];
        else
          out[--end] = in[i];
      *count = static_cast<emu::ValueOf<Count>>(selected);
    });
  }
};

struct DeviceMergeSort {
  template <class I, class Less>
  static cudaError_t SortKeys(
      void *storage, size_t &bytes, I keys, long long n, Less less, cudaStream_t stream = nullptr) {
    return emu::run_with_storage("cub::DeviceMergeSort", storage, bytes, stream, [=] {
      std::stable_sort(keys, keys + n, less);
    });
  }
  template <class I, class Less>
  static cudaError_t StableSortKeys(
      void *storage, size_t &bytes, I keys, long long n, Less less, cudaStream_t stream = nullptr) {
    return SortKeys(storage, bytes, keys, n, less, stream);
  }
};

} // namespace cub
