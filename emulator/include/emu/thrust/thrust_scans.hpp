/// \file
/// Thrust's scans and sorts, what goes by keys, and copies. Included by thrust_algorithms.hpp.
#pragma once

#include "emu/thrust/thrust_algorithms.hpp"

namespace thrust {

namespace detail {

constexpr auto inclusive_scan_by = [](auto a, auto b, auto out, auto op) {
  std::partial_sum(a, b, out, op);
  return place<2>(b - a);
};
constexpr auto inclusive_scan = [](auto a, auto b, auto out) {
  return inclusive_scan_by(a, b, out, std::plus<>());
};
constexpr auto exclusive_scan_by = [](auto a, auto b, auto out, auto sum, auto op) {
  for (std::ptrdiff_t i = 0; i < b - a; ++i) {
    const auto next = op(sum, a[i]); // in and out may be one range
    out[i] = sum;
    sum = static_cast<decltype(sum)>(next);
  }
  return place<2>(b - a);
};
constexpr auto exclusive_scan_from = [](auto a, auto b, auto out, auto initial) {
  return exclusive_scan_by(a, b, out, initial, std::plus<>());
};
constexpr auto exclusive_scan = [](auto a, auto b, auto out) {
  return exclusive_scan_from(a, b, out, emu::Element<decltype(a)>());
};
constexpr auto transform_inclusive_scan = [](auto a, auto b, auto out, auto f, auto op) {
  return inclusive_scan_by(make_transform_iterator(a, f), make_transform_iterator(b, f), out, op);
};
constexpr auto transform_exclusive_scan =
    [](auto a, auto b, auto out, auto f, auto initial, auto op) {
      return exclusive_scan_by(
          make_transform_iterator(a, f), make_transform_iterator(b, f), out, initial, op);
    };

constexpr auto sort = [](auto a, auto b, auto... less) {
  by_values(a, b, [&](auto first, auto last) { std::stable_sort(first, last, less...); });
};
constexpr auto sort_by_key_by = [](auto a, auto b, auto values, auto less) {
  using Pair = std::pair<emu::Element<decltype(a)>, emu::Element<decltype(values)>>;
  std::vector<Pair> pairs;
  for (std::ptrdiff_t i = 0; i < b - a; ++i)
    pairs.emplace_back(a[i], values[i]);
  std::stable_sort(pairs.begin(), pairs.end(), [&](const Pair &x, const Pair &y) {
    return less(x.first, y.first);
  });
  for (std::ptrdiff_t i = 0; i < b - a; ++i) {
    a[i] = pairs[static_cast<size_t>(i)].first;
    values[i] = pairs[static_cast<size_t>(i)].second;
  }
};
constexpr auto sort_by_key = [](auto a, auto b, auto values) {
  sort_by_key_by(a, b, values, std::less<>());
};

// Calls `use` with the first and the last of each run of equal keys.
template <class I, class Same, class Use> void each_run(I a, I b, Same same, Use use) {
  for (std::ptrdiff_t first = 0, i = 1; first < b - a; ++i)
    if (i == b - a || !same(a[first], a[i])) {
      use(first, i);
      first = i;
    }
}
constexpr auto reduce_by_key_by =
    [](auto a, auto b, auto values, auto keys_out, auto out, auto same, auto op) {
      std::ptrdiff_t n = 0;
      each_run(a, b, same, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
        auto sum = static_cast<emu::Element<decltype(values)>>(values[first]);
        for (std::ptrdiff_t i = first + 1; i < last; ++i)
          sum = op(sum, values[i]);
        keys_out[n] = a[first];
        out[n++] = sum;
      });
      return std::pair(place<3>(n), place<4>(n));
    };
constexpr auto reduce_by_key_same =
    [](auto a, auto b, auto values, auto keys_out, auto out, auto same) {
      return reduce_by_key_by(a, b, values, keys_out, out, same, std::plus<>());
    };
constexpr auto reduce_by_key = [](auto a, auto b, auto values, auto keys_out, auto out) {
  return reduce_by_key_same(a, b, values, keys_out, out, std::equal_to<>());
};
constexpr auto unique_by_key_same = [](auto a, auto b, auto values, auto same) {
  std::ptrdiff_t n = 0;
  each_run(a, b, same, [&](std::ptrdiff_t first, std::ptrdiff_t) {
    a[n] = a[first];
    values[n++] = values[first];
  });
  return std::pair(place<0>(n), place<2>(n));
};
constexpr auto unique_by_key = [](auto a, auto b, auto values) {
  return unique_by_key_same(a, b, values, std::equal_to<>());
};
constexpr auto unique_by_key_copy = [](auto a, auto b, auto values, auto keys_out, auto out) {
  std::ptrdiff_t n = 0;
  each_run(a, b, std::equal_to<>(), [&](std::ptrdiff_t first, std::ptrdiff_t) {
    keys_out[n] = a[first];
    out[n++] = values[first];
  });
  return std::pair(place<3>(n), place<4>(n));
};
constexpr auto inclusive_scan_by_key_by =
    [](auto a, auto b, auto values, auto out, auto same, auto op) {
      each_run(a, b, same, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
        inclusive_scan_by(values + first, values + last, out + first, op);
      });
      return place<3>(b - a);
    };
constexpr auto inclusive_scan_by_key = [](auto a, auto b, auto values, auto out) {
  return inclusive_scan_by_key_by(a, b, values, out, std::equal_to<>(), std::plus<>());
};
constexpr auto exclusive_scan_by_key_from =
    [](auto a, auto b, auto values, auto out, auto initial) {
      each_run(a, b, std::equal_to<>(), [&](std::ptrdiff_t first, std::ptrdiff_t last) {
        exclusive_scan_from(values + first, values + last, out + first, initial);
      });
      return place<3>(b - a);
    };
constexpr auto exclusive_scan_by_key = [](auto a, auto b, auto values, auto out) {
  return exclusive_scan_by_key_from(a, b, values, out, emu::Element<decltype(values)>());
};
constexpr auto shuffle = [](auto a, auto b, auto random) {
  by_values(a, b, [&](auto first, auto last) { std::shuffle(first, last, random); });
};

} // namespace detail

EMU_THRUST(inclusive_scan, decltype(detail::inclusive_scan), decltype(detail::inclusive_scan_by))
EMU_THRUST(exclusive_scan,
           decltype(detail::exclusive_scan),
           decltype(detail::exclusive_scan_from),
           decltype(detail::exclusive_scan_by))
EMU_THRUST(transform_inclusive_scan, decltype(detail::transform_inclusive_scan))
EMU_THRUST(transform_exclusive_scan, decltype(detail::transform_exclusive_scan))
EMU_THRUST(sort, decltype(detail::sort))
EMU_THRUST(stable_sort, decltype(detail::sort))
EMU_THRUST(sort_by_key, decltype(detail::sort_by_key), decltype(detail::sort_by_key_by))
EMU_THRUST(stable_sort_by_key, decltype(detail::sort_by_key), decltype(detail::sort_by_key_by))
EMU_THRUST(reduce_by_key,
           decltype(detail::reduce_by_key),
           decltype(detail::reduce_by_key_same),
           decltype(detail::reduce_by_key_by))
EMU_THRUST(unique_by_key, decltype(detail::unique_by_key), decltype(detail::unique_by_key_same))
EMU_THRUST(unique_by_key_copy, decltype(detail::unique_by_key_copy))
EMU_THRUST(inclusive_scan_by_key,
           decltype(detail::inclusive_scan_by_key),
           decltype(detail::inclusive_scan_by_key_by))
EMU_THRUST(exclusive_scan_by_key,
           decltype(detail::exclusive_scan_by_key),
           decltype(detail::exclusive_scan_by_key_from))
EMU_THRUST(shuffle, decltype(detail::shuffle))
#undef EMU_THRUST

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
template <class I, class N> void advance(I &i, N n) { i += n; }
template <class I> I next(I i, std::ptrdiff_t n = 1) { return i + n; }
template <class I> I prev(I i, std::ptrdiff_t n = 1) { return i - n; }
using std::iterator_traits;
template <class I> using iterator_value_t = typename std::iterator_traits<I>::value_type;
template <class I> struct iterator_value { using type = iterator_value_t<I>; };
template <class I> struct iterator_difference { using type = std::ptrdiff_t; };

} // namespace thrust
