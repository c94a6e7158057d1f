/// \file
/// Thrust's algorithms for ranges of device and of host memory: those of the standard library. On device memory
/// each is one kernel of one thread here, which is done when the call returns.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>

#include "emu/cub/cub_device.hpp"
#include "emu/thrust/thrust_functional.hpp"
#include "emu/thrust/thrust_iterators.hpp"

namespace thrust {

/// Where an algorithm runs: on the host, or on the device in a stream.
struct host_policy {};
struct device_policy {
  cudaStream_t stream = nullptr;
  device_policy on(cudaStream_t other) const { return {other}; }
  /// With an allocator of temporary memory: none is needed.
  template <class Allocator> device_policy operator()(const Allocator &) const { return *this; }
};
inline constexpr host_policy host, seq;
inline constexpr device_policy device;
namespace cuda {
inline constexpr device_policy par, par_nosync;
}
namespace omp {
inline constexpr host_policy par;
}

} // namespace thrust

namespace emu {

template <class T>
concept ThrustPolicy = std::is_same_v<std::remove_cv_t<T>, thrust::host_policy> ||
    std::is_same_v<std::remove_cv_t<T>, thrust::device_policy>;

/// Runs `work`, which returns nothing, where the policy says.
template <class Work> void thrust_run(const char *, thrust::host_policy, Work work) { work(); }
template <class Work> void thrust_run(const char *name, thrust::device_policy policy, Work work) {
  if (run_in_stream(name, policy.stream, work) != cudaSuccess ||
      cudaStreamSynchronize(policy.stream) != cudaSuccess)
    throw std::runtime_error(std::string(name) + ": " + cudaGetErrorString(cudaGetLastError()));
}
/// The result of `work`, which a kernel leaves in device memory.
template <class Policy, class Work> auto thrust_result(const char *name, Policy policy, Work work) {
  using Result = decltype(work());
  if constexpr (std::is_void_v<Result>) {
    thrust_run(name, policy, work);
  } else if constexpr (std::is_same_v<Policy, thrust::host_policy>) {
    return work();
  } else {
    thrust::device_ptr<Result> place = thrust::device_malloc<Result>(1);
    Result *const raw_place = place.get();
    thrust_run(name, policy, [=] { *raw_place = work(); });
    const Result result = *place;
    thrust::device_free(place);
    return result;
  }
}

/// A result that is an iterator: so many elements behind the algorithm's argument of that number.
template <int argument> struct Place { std::ptrdiff_t behind; };
template <int argument, class Arguments>
auto thrust_answer(Place<argument> place, const Arguments &arguments) {
  return std::get<static_cast<size_t>(argument)>(arguments) + place.behind;
}
template <class A, class B, class Arguments>
auto thrust_answer(const std::pair<A, B> &both, const Arguments &arguments) {
  return std::pair(thrust_answer(both.first, arguments), thrust_answer(both.second, arguments));
}
template <class Value, class Arguments> Value thrust_answer(const Value &value, const Arguments &) {
  return value;
}

/// An algorithm: what it does with plain iterators. Called with a policy in front or without; it runs on the device
/// if that says so, or if an iterator leads there.
template <class Work> struct ThrustAlgorithm {
  const char *name;
  Work work;

  template <class... A> auto operator()(A... arguments) const {
    if constexpr ((leads_to_device<A> || ...))
      return run(thrust::device_policy(), arguments...);
    else
      return run(thrust::host_policy(), arguments...);
  }
  template <ThrustPolicy P, class... A> auto operator()(const P &policy, A... arguments) const {
    return run(std::remove_cv_t<P>(policy), arguments...);
  }

private:
  template <class P, class... A> auto run(P policy, A... arguments) const {
    const auto done = [work = work, all = std::tuple(raw(arguments)...)] {
      return std::apply(work, all);
    };
    if constexpr (std::is_void_v<decltype(done())>)
      thrust_result(name, policy, done);
    else
      return thrust_answer(thrust_result(name, policy, done), std::tuple<A...>(arguments...));
  }
};
template <class... Work> struct Overloaded : Work... { using Work::operator()...; };

// The type of an iterator's elements, as a value of its own.
template <class I> using Element = typename std::iterator_traits<I>::value_type;

} // namespace emu

namespace thrust {

// One algorithm in all its forms, which differ in their number of arguments.
#define EMU_THRUST(NAME, ...) \
  inline constexpr emu::ThrustAlgorithm<emu::Overloaded<__VA_ARGS__>> NAME{"thrust::" #NAME, {}};

// One range
namespace detail {
template <int k> constexpr emu::Place<k> place(std::ptrdiff_t behind) { return {behind}; }
/// Does something to a range that swaps its elements, as the standard library cannot swap tuples of references.
template <class I, class Work> void by_values(I a, I b, Work work) {
  using T = emu::Element<I>;
  if constexpr (std::is_same_v<decltype(*a), T &>) {
    work(a, b);
  } else {
    std::vector<T> values(a, b);
    work(values.begin(), values.end());
    std::copy(values.begin(), values.end(), a);
  }
}

constexpr auto for_each = [](auto a, auto b, auto f) {
  const auto n = b - a;
  for (; a != b; ++a)
    f(*a);
  return place<0>(n);
};
constexpr auto for_each_n = [](auto a, auto n, auto f) {
  for (auto i = n; i > 0; --i, ++a)
    f(*a);
  return place<0>(static_cast<std::ptrdiff_t>(n));
};
constexpr auto fill = [](auto a, auto b, auto value) {
  for (; a != b; ++a)
    *a = value;
};
constexpr auto fill_n = [](auto a, auto n, auto value) {
  std::fill_n(a, n, value);
  return place<0>(static_cast<std::ptrdiff_t>(n));
};
constexpr auto generate = [](auto a, auto b, auto f) {
  for (; a != b; ++a)
    *a = f();
};
constexpr auto sequence_from = [](auto a, auto b, auto start) {
  for (; a != b; ++a, ++start)
    *a = start;
};
constexpr auto sequence = [](auto a, auto b) { sequence_from(a, b, emu::Element<decltype(a)>()); };
constexpr auto sequence_by = [](auto a, auto b, auto start, auto step) {
  for (std::ptrdiff_t i = 0; i < b - a; ++i)
    a[i] = static_cast<emu::Element<decltype(a)>>(start + static_cast<decltype(start)>(i) * step);
};
constexpr auto tabulate = [](auto a, auto b, auto f) {
  for (std::ptrdiff_t i = 0; i < b - a; ++i)
    a[i] = f(i);
};
constexpr auto reduce_by_op = [](auto a, auto b, auto initial, auto op) {
  for (; a != b; ++a)
    initial = op(initial, *a);
  return initial;
};
constexpr auto reduce_from = [](auto a, auto b, auto initial) {
  return reduce_by_op(a, b, initial, std::plus<>());
};
constexpr auto reduce = [](auto a, auto b) {
  return reduce_from(a, b, emu::Element<decltype(a)>());
};
constexpr auto transform_reduce = [](auto a, auto b, auto f, auto initial, auto op) {
  for (; a != b; ++a)
    initial = op(initial, static_cast<decltype(initial)>(f(*a)));
  return initial;
};
constexpr auto inner_product_by =
    [](auto a, auto b, auto c, auto initial, auto add, auto multiply) {
      for (; a != b; ++a, ++c)
        initial = add(initial, multiply(*a, *c));
      return initial;
    };
constexpr auto inner_product = [](auto a, auto b, auto c, auto initial) {
  return inner_product_by(a, b, c, initial, std::plus<>(), std::multiplies<>());
};
} // namespace detail
EMU_THRUST(for_each, decltype(detail::for_each))
EMU_THRUST(for_each_n, decltype(detail::for_each_n))
EMU_THRUST(fill, decltype(detail::fill))
EMU_THRUST(uninitialized_fill, decltype(detail::fill))
EMU_THRUST(fill_n, decltype(detail::fill_n))
EMU_THRUST(generate, decltype(detail::generate))
EMU_THRUST(sequence,
           decltype(detail::sequence),
           decltype(detail::sequence_from),
           decltype(detail::sequence_by))
EMU_THRUST(tabulate, decltype(detail::tabulate))
EMU_THRUST(reduce,
           decltype(detail::reduce),
           decltype(detail::reduce_from),
           decltype(detail::reduce_by_op))
EMU_THRUST(transform_reduce, decltype(detail::transform_reduce))
EMU_THRUST(inner_product, decltype(detail::inner_product), decltype(detail::inner_product_by))

// Algorithms that the standard library has under the same name, with the same arguments: what they return is a value, or
// an iterator of their argument number k.
#define EMU_THRUST_VALUE(NAME) \
  namespace detail { \
  constexpr auto NAME = [](auto... a) { return std::NAME(a...); }; \
  } \
  EMU_THRUST(NAME, decltype(detail::NAME))
#define EMU_THRUST_PLACE(NAME, K) \
  namespace detail { \
  constexpr auto NAME = [](auto... a) { \
    return place<K>(std::NAME(a...) - std::get<K>(std::tuple(a...))); \
  }; \
  } \
  EMU_THRUST(NAME, decltype(detail::NAME))
EMU_THRUST_VALUE(count)
EMU_THRUST_VALUE(count_if)
EMU_THRUST_VALUE(equal)
EMU_THRUST_VALUE(is_sorted)
EMU_THRUST_VALUE(is_partitioned)
EMU_THRUST_VALUE(all_of)
EMU_THRUST_VALUE(any_of)
EMU_THRUST_VALUE(none_of)
EMU_THRUST_VALUE(replace)
EMU_THRUST_VALUE(replace_if)
EMU_THRUST_PLACE(find, 0)
EMU_THRUST_PLACE(find_if, 0)
EMU_THRUST_PLACE(find_if_not, 0)
EMU_THRUST_PLACE(max_element, 0)
EMU_THRUST_PLACE(min_element, 0)
EMU_THRUST_PLACE(is_sorted_until, 0)
EMU_THRUST_PLACE(unique, 0)
EMU_THRUST_PLACE(remove, 0)
EMU_THRUST_PLACE(partition_point, 0)
EMU_THRUST_PLACE(unique_copy, 2)
EMU_THRUST_PLACE(remove_copy, 2)
EMU_THRUST_PLACE(remove_copy_if, 2)
EMU_THRUST_PLACE(replace_copy, 2)
EMU_THRUST_PLACE(replace_copy_if, 2)
EMU_THRUST_PLACE(reverse_copy, 2)
EMU_THRUST_PLACE(adjacent_difference, 2)
EMU_THRUST_PLACE(swap_ranges, 2)
EMU_THRUST_PLACE(merge, 4)
EMU_THRUST_PLACE(set_union, 4)
EMU_THRUST_PLACE(set_intersection, 4)
EMU_THRUST_PLACE(set_difference, 4)
EMU_THRUST_PLACE(set_symmetric_difference, 4)
#undef EMU_THRUST_VALUE
#undef EMU_THRUST_PLACE

// Several ranges
namespace detail {
constexpr auto transform = [](auto a, auto b, auto out, auto f) {
  const auto n = b - a;
  for (; a != b; ++a, ++out)
    *out = f(*a);
  return place<2>(n);
};
constexpr auto transform_two = [](auto a, auto b, auto c, auto out, auto f) {
  const auto n = b - a;
  for (; a != b; ++a, ++c, ++out)
    *out = f(*a, *c);
  return place<3>(n);
};
constexpr auto transform_if = [](auto a, auto b, auto out, auto f, auto predicate) {
  for (std::ptrdiff_t i = 0; i < b - a; ++i)
    if (predicate(a[i]))
      out[i] = f(a[i]);
  return place<2>(b - a);
};
constexpr auto transform_if_stencil =
    [](auto a, auto b, auto stencil, auto out, auto f, auto predicate) {
      for (std::ptrdiff_t i = 0; i < b - a; ++i)
        if (predicate(stencil[i]))
          out[i] = f(a[i]);
      return place<3>(b - a);
    };
constexpr auto copy_if_stencil = [](auto a, auto b, auto stencil, auto out, auto predicate) {
  std::ptrdiff_t n = 0;
  for (std::ptrdiff_t i = 0; i < b - a; ++i)
    if (predicate(stencil[i]))
      out[n++] = a[i];
  return place<3>(n);
};
constexpr auto copy_if = [](auto a, auto b, auto out, auto predicate) {
  return place<2>(std::copy_if(a, b, out, predicate) - out);
};
constexpr auto remove_if = [](auto a, auto b, auto predicate) {
  return place<0>(std::remove_if(a, b, predicate) - a);
};
constexpr auto remove_if_stencil = [](auto a, auto b, auto stencil, auto predicate) {
  std::ptrdiff_t n = 0;
  for (std::ptrdiff_t i = 0; i < b - a; ++i)
    if (!predicate(stencil[i]))
      a[n++] = a[i];
  return place<0>(n);
};
constexpr auto partition = [](auto a, auto b, auto predicate) {
  std::ptrdiff_t n = 0;
  by_values(a, b, [&](auto first, auto last) {
    n = std::stable_partition(first, last, predicate) - first;
  });
  return place<0>(n);
};
constexpr auto reverse = [](auto a, auto b) {
  by_values(a, b, [](auto first, auto last) { std::reverse(first, last); });
};
constexpr auto partition_copy = [](auto a, auto b, auto yes, auto no, auto predicate) {
  const auto ends = std::partition_copy(a, b, yes, no, predicate);
  return std::pair(place<2>(ends.first - yes), place<3>(ends.second - no));
};
constexpr auto gather = [](auto a, auto b, auto in, auto out) {
  for (std::ptrdiff_t i = 0; i < b - a; ++i)
    out[i] = in[static_cast<std::ptrdiff_t>(a[i])];
  return place<3>(b - a);
};
constexpr auto scatter = [](auto a, auto b, auto map, auto out) {
  for (std::ptrdiff_t i = 0; i < b - a; ++i)
    out[static_cast<std::ptrdiff_t>(map[i])] = a[i];
};
constexpr auto scatter_if = [](auto a, auto b, auto map, auto stencil, auto out) {
  for (std::ptrdiff_t i = 0; i < b - a; ++i)
    if (stencil[i])
      out[static_cast<std::ptrdiff_t>(map[i])] = a[i];
};
constexpr auto minmax_element = [](auto a, auto b, auto... less) {
  const auto ends = std::minmax_element(a, b, less...);
  return std::pair(place<0>(ends.first - a), place<0>(ends.second - a));
};
constexpr auto mismatch = [](auto a, auto b, auto c, auto... same) {
  const auto at = std::mismatch(a, b, c, same...);
  return std::pair(place<0>(at.first - a), place<2>(at.second - c));
};
// Of one value, or of a range of them.
template <class I>
concept Iterates = requires(I i) {
  *i;
};
#define EMU_THRUST_SEARCH(NAME, FOUND) \
  constexpr auto NAME##_one = \
      [](auto a, auto b, auto value) requires(!Iterates<decltype(value)>) { \
    const auto i = std::lower_bound(a, b, value), j = std::upper_bound(a, b, value); \
    static_cast<void>(i); \
    static_cast<void>(j); \
    return FOUND(place<0>); \
  }; \
  constexpr auto NAME##_each = [](auto a, auto b, auto first, auto last, auto out, auto... less) { \
    for (auto k = first; k != last; ++k, ++out) { \
      const auto i = std::lower_bound(a, b, *k, less...), j = std::upper_bound(a, b, *k, less...); \
      static_cast<void>(i); \
      static_cast<void>(j); \
      *out = FOUND(); \
    } \
    return place<4>(last - first); \
  };
#define EMU_FOUND_LOWER(place) place(i - a)
#define EMU_FOUND_UPPER(place) place(j - a)
#define EMU_FOUND_ANY(place) (i != j)
EMU_THRUST_SEARCH(lower_bound, EMU_FOUND_LOWER)
EMU_THRUST_SEARCH(upper_bound, EMU_FOUND_UPPER)
EMU_THRUST_SEARCH(binary_search, EMU_FOUND_ANY)
#undef EMU_FOUND_LOWER
#undef EMU_FOUND_UPPER
#undef EMU_FOUND_ANY
#undef EMU_THRUST_SEARCH
} // namespace detail
EMU_THRUST(transform, decltype(detail::transform), decltype(detail::transform_two))
EMU_THRUST(transform_if, decltype(detail::transform_if), decltype(detail::transform_if_stencil))
EMU_THRUST(copy_if, decltype(detail::copy_if), decltype(detail::copy_if_stencil))
EMU_THRUST(remove_if, decltype(detail::remove_if), decltype(detail::remove_if_stencil))
EMU_THRUST(reverse, decltype(detail::reverse))
EMU_THRUST(partition, decltype(detail::partition))
EMU_THRUST(stable_partition, decltype(detail::partition))
EMU_THRUST(partition_copy, decltype(detail::partition_copy))
EMU_THRUST(gather, decltype(detail::gather))
EMU_THRUST(scatter, decltype(detail::scatter))
EMU_THRUST(scatter_if, decltype(detail::scatter_if))
EMU_THRUST(minmax_element, decltype(detail::minmax_element))
EMU_THRUST(mismatch, decltype(detail::mismatch))
EMU_THRUST(lower_bound, decltype(detail::lower_bound_one), decltype(detail::lower_bound_each))
EMU_THRUST(upper_bound, decltype(detail::upper_bound_one), decltype(detail::upper_bound_each))
EMU_THRUST(binary_search, decltype(detail::binary_search_one), decltype(detail::binary_search_each))

} // namespace thrust

#include "emu/thrust/thrust_scans.hpp"
