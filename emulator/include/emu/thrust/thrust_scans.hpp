/// \file
/// Thrust's scans and sorts, what goes by keys, and copies. Included by thrust_algorithms.hpp.
#pragma once

#include "emu/language/letters_away.hpp"

#include "emu/thrust/thrust_algorithms.hpp"

namespace thrust {

inline constexpr auto inclusive_scan = emu::algorithm(
    "thrust::inclusive_scan", []<class Op = std::plus<>>(auto a, auto b, auto out, Op op = Op()) {
      return detail::place<2>(std::partial_sum(a, b, out, op) - out);
    });
inline constexpr auto exclusive_scan = emu::algorithm(
    "thrust::exclusive_scan",
    []<class I, class T = emu::Element<I>, class Op = std::plus<>>(
        I a, auto b, auto out, T initial = T(), Op op = Op()) {
      return detail::place<2>(std::exclusive_scan(a, b, out, initial, op) - out);
    });
inline constexpr auto transform_inclusive_scan = emu::algorithm(
    "thrust::transform_inclusive_scan", [](auto a, auto b, auto out, auto f, auto op) {
      return detail::place<2>(std::transform_inclusive_scan(a, b, out, op, f) - out);
    });
inline constexpr auto transform_exclusive_scan = emu::algorithm(
    "thrust::transform_exclusive_scan",
    [](auto a, auto b, auto out, auto f, auto initial, auto op) {
      return detail::place<2>(std::transform_exclusive_scan(a, b, out, initial, op, f) - out);
    });

inline constexpr auto sort = emu::algorithm("thrust::sort", [](auto a, auto b, auto... less) {
  detail::by_values(a, b, [&](auto first, auto last) { std::stable_sort(first, last, less...); });
});
inline constexpr auto stable_sort = emu::algorithm("thrust::stable_sort", sort.work);
inline constexpr auto sort_by_key = emu::algorithm(
    "thrust::sort_by_key",
    []<class I, class J, class Less = std::less<>>(I a, auto b, J values, Less less = Less()) {
      using Pair = std::pair<emu::Element<I>, emu::Element<J>>;
      std::vector<Pair> pairs;
      for (std::ptrdiff_t i = 0; i < b - a; ++i)
        pairs.emplace_back(a[i], values[i]);
      std::stable_sort(pairs.begin(), pairs.end(), [&](const Pair &x, const Pair &y) {
        return less(x.first, y.first);
      });
      for (const Pair &pair : pairs) {
        *a++ = pair.first;
        *values++ = pair.second;
      }
    });
inline constexpr auto stable_sort_by_key =
    emu::algorithm("thrust::stable_sort_by_key", sort_by_key.work);
inline constexpr auto shuffle = emu::algorithm("thrust::shuffle", [](auto a, auto b, auto random) {
  detail::by_values(a, b, [&](auto first, auto last) { std::shuffle(first, last, random); });
});

// By keys: what is done to each run of equal ones
inline constexpr auto reduce_by_key = emu::algorithm(
    "thrust::reduce_by_key",
    []<class J, class Same = std::equal_to<>, class Op = std::plus<>>(
        auto a, auto b, J values, auto keys_out, auto out, Same same = Same(), Op op = Op()) {
      std::ptrdiff_t n = 0;
      emu::each_run(a, b - a, same, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
        auto sum = static_cast<emu::Element<J>>(values[first]);
        for (std::ptrdiff_t i = first + 1; i < last; ++i)
          sum = op(sum, values[i]);
        keys_out[n] = a[first];
        out[n++] = sum;
      });
      return std::pair(detail::place<3>(n), detail::place<4>(n));
    });
inline constexpr auto unique_by_key_copy = emu::algorithm(
    "thrust::unique_by_key_copy",
    []<class Same = std::equal_to<>>(
        auto a, auto b, auto values, auto keys_out, auto out, Same same = Same()) {
      std::ptrdiff_t n = 0;
      emu::each_run(a, b - a, same, [&](std::ptrdiff_t first, std::ptrdiff_t) {
        keys_out[n] = a[first];
        out[n++] = values[first];
      });
      return std::pair(detail::place<3>(n), detail::place<4>(n));
    });
inline constexpr auto unique_by_key = emu::algorithm(
    "thrust::unique_by_key",
    []<class Same = std::equal_to<>>(auto a, auto b, auto values, Same same = Same()) {
      const auto n = unique_by_key_copy.work(a, b, values, a, values, same).first.behind;
      return std::pair(detail::place<0>(n), detail::place<2>(n));
    });
inline constexpr auto inclusive_scan_by_key = emu::algorithm(
    "thrust::inclusive_scan_by_key",
    []<class Same = std::equal_to<>, class Op = std::plus<>>(
        auto a, auto b, auto values, auto out, Same same = Same(), Op op = Op()) {
      emu::each_run(a, b - a, same, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
        std::partial_sum(values + first, values + last, out + first, op);
      });
      return detail::place<3>(b - a);
    });
inline constexpr auto exclusive_scan_by_key = emu::algorithm(
    "thrust::exclusive_scan_by_key",
    []<class J, class T = emu::Element<J>>(auto a, auto b, J values, auto out, T initial = T()) {
      emu::each_run(a, b - a, std::equal_to<>(), [&](std::ptrdiff_t first, std::ptrdiff_t last) {
        std::exclusive_scan(values + first, values + last, out + first, initial);
      });
      return detail::place<3>(b - a);
    });

/// Between host and device, in any direction.
template <class I, class O>
requires(!emu::ThrustPolicy<I>) O copy(I first, I last, O out) {
  const auto count = last - first;
  const auto a = emu::raw(first);
  const auto to = emu::raw(out);
  using T = emu::Element<O>;
  if constexpr (std::contiguous_iterator<decltype(a)> && std::contiguous_iterator<decltype(to)> &&
                std::is_same_v<T, emu::Element<I>>) {
    if (count > 0)
      emu::thrust_check(cudaMemcpy(std::to_address(to),
                                   std::to_address(a),
                                   static_cast<size_t>(count) * sizeof(T),
                                   cudaMemcpyDefault));
  } else {
    // Through the host: what is computed need not be copied there first.
    std::vector<T> values;
    for (I i = first; i != last; ++i)
      values.push_back(static_cast<T>(static_cast<emu::Element<I>>(*i)));
    for (std::ptrdiff_t i = 0; i < count; ++i)
      out[i] = values[static_cast<size_t>(i)];
  }
  return out + count;
}
template <emu::ThrustPolicy P, class I, class O> O copy(const P &, I first, I last, O out) {
  return copy(first, last, out);
}
template <class I, class N, class O> O copy_n(I first, N n, O out) {
  return copy(first, first + n, out);
}

template <class I> std::ptrdiff_t distance(I first, I last) { return last - first; }
void advance(auto &i, auto n) { i += n; }
template <class I> I next(I i, std::ptrdiff_t n = 1) { return i + n; }
template <class I> I prev(I i, std::ptrdiff_t n = 1) { return i - n; }
using std::iterator_traits;
template <class I> using iterator_value_t = typename std::iterator_traits<I>::value_type;
template <class I> struct iterator_value { using type = iterator_value_t<I>; };
template <class I> struct iterator_difference { using type = std::ptrdiff_t; };

} // namespace thrust

#include "emu/language/letters_back.hpp"
