/// \file
/// CUB's radix sort for whole devices: see cub_device.hpp.
#pragma once

#include "emu/language/letters_away.hpp"

#include "emu/cub/cub_device.hpp"

namespace cub {

/// Two buffers, of which a sort may leave its result in either one.
template <class T> struct DoubleBuffer {
  T *d_buffers[2] = {nullptr, nullptr};
  int selector = 0;
  DoubleBuffer() = default;
  DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate} {}
  T *Current() { return d_buffers[selector]; }
  T *Alternate() { return d_buffers[selector ^ 1]; }
  /// What a sort reads and what it writes, which is the current one from here on, if it is `done`.
  std::pair<const T *, T *> turn(bool done) {
    const std::pair<const T *, T *> sides(Current(), Alternate());
    selector ^= done;
    return sides;
  }
};

namespace detail {
/// An unsigned number that is ordered as the keys are, of their bits [begin, end).
template <class K> unsigned long long digits(K key, int begin, int end) {
  unsigned long long bits = 0;
  if constexpr (emu::is_float<K>)
    key = key == K(0) ? K(0) : key;
  __builtin_memcpy(&bits, &key, sizeof key);
  const int width = static_cast<int>(sizeof(K)) * 8;
  const unsigned long long sign = 1ull << (width - 1), all = sign | (sign - 1);
  if constexpr (emu::is_float<K>)
    bits = (bits & sign) != 0 ? ~bits & all : bits | sign;
  else if constexpr (std::is_signed_v<K>)
    bits ^= sign;
  const int count = end - begin;
  return count >= 64 ? bits : bits >> begin & ((1ull << count) - 1);
}
} // namespace detail

/// Stable, by the bits [begin, end) of the keys. -0.0 and 0.0 are equal; NaN comes last.
struct DeviceRadixSort {
#define EMU_CUB_BITS int begin = 0, int end = sizeof(K) * 8, EMU_CUB_STREAM
#define EMU_CUB_SORTS(WAY, DESCENDS) \
  template <class K> \
  static cudaError_t SortKeys##WAY( \
      EMU_CUB_MEMORY, const K *in, K *out, long long n, EMU_CUB_BITS) { \
    return sort<DESCENDS, K, K>(storage, bytes, in, out, nullptr, nullptr, n, begin, end, stream); \
  } \
  template <class K, class V> \
  static cudaError_t SortPairs##WAY(EMU_CUB_MEMORY, \
                                    const K *in, \
                                    K *out, \
                                    const V *values_in, \
                                    V *values_out, \
                                    long long n, \
                                    EMU_CUB_BITS) { \
    return sort<DESCENDS>(storage, bytes, in, out, values_in, values_out, n, begin, end, stream); \
  } \
  template <class K> \
  static cudaError_t SortKeys##WAY( \
      EMU_CUB_MEMORY, DoubleBuffer<K> &keys, long long n, EMU_CUB_BITS) { \
    const auto [in, out] = keys.turn(storage != nullptr); \
    return SortKeys##WAY(storage, bytes, in, out, n, begin, end, stream); \
  } \
  template <class K, class V> \
  static cudaError_t SortPairs##WAY( \
      EMU_CUB_MEMORY, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, long long n, EMU_CUB_BITS) { \
    const auto [in, out] = keys.turn(storage != nullptr); \
    const auto [values_in, values_out] = values.turn(storage != nullptr); \
    return SortPairs##WAY(storage, bytes, in, out, values_in, values_out, n, begin, end, stream); \
  }
  EMU_CUB_SORTS(, false)
  EMU_CUB_SORTS(Descending, true)
#undef EMU_CUB_SORTS
#undef EMU_CUB_BITS

private:
  template <bool descending, class K, class V>
  static cudaError_t sort(EMU_CUB_MEMORY,
                          const K *in,
                          K *out,
                          const V *values_in,
                          V *values_out,
                          long long n,
                          int begin,
                          int end,
                          cudaStream_t stream) {
    const size_t wanted = std::max<size_t>(1, static_cast<size_t>(n) * sizeof(long long));
    if (storage == nullptr) {
      bytes = wanted;
      return cudaSuccess;
    }
    if (bytes < wanted)
      return cudaErrorInvalidValue;
    long long *const order = static_cast<long long *>(storage); // where the i-th key comes from
    return emu::run_in_stream("cub::DeviceRadixSort", stream, [=] {
      for (long long i = 0; i < n; ++i)
        order[i] = i;
      std::stable_sort(order, order + n, [=](long long a, long long b) {
        const auto x = detail::digits(in[a], begin, end), y = detail::digits(in[b], begin, end);
        return descending ? y < x : x < y;
      });
      for (long long i = 0; i < n; ++i) {
        out[i] = in[order[i]];
        if (values_in != nullptr)
          values_out[i] = values_in[order[i]];
      }
    });
  }
};

} // namespace cub

#include "emu/language/letters_back.hpp"
