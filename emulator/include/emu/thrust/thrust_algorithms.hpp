/// \file
/// Thrust's algorithms for ranges of device and of host memory: those of the standard library. On device memory
/// each is one kernel of one thread here, which is done when the call returns.
#pragma once

#include "emu/language/letters_away.hpp"

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
  device_policy operator()(const auto &) const { return *this; }
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
void thrust_run(const char *, thrust::host_policy, auto work) { work(); }
void thrust_run(const char *name, thrust::device_policy policy, auto work) {
  if (run_in_stream(name, policy.stream, work) != cudaSuccess ||
      cudaStreamSynchronize(policy.stream) != cudaSuccess)
    throw std::runtime_error(std::string(name) + ": " + cudaGetErrorString(cudaGetLastError()));
}
/// The result of `work`, which a kernel leaves in device memory.
template <class Policy> auto thrust_result(const char *name, Policy policy, auto work) {
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
template <int argument> auto thrust_answer(Place<argument> place, const auto &arguments) {
  return std::get<static_cast<size_t>(argument)>(arguments) + place.behind;
}
template <class A, class B> auto thrust_answer(const std::pair<A, B> &both, const auto &arguments) {
  return std::pair(thrust_answer(both.first, arguments), thrust_answer(both.second, arguments));
}
template <class Value> Value thrust_answer(const Value &value, const auto &) { return value; }

template <class... Form> struct Overloaded : Form... { using Form::operator()...; };

/// Called with a policy in front or without; it runs on the device if that says so, or if an iterator leads there.
template <class Work> struct ThrustAlgorithm {
  const char *name;
  Work work; // with plain iterators

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
/// An algorithm of this name. \param forms  what it does with plain iterators, by the number of its arguments
template <class... Form>
constexpr ThrustAlgorithm<Overloaded<Form...>> algorithm(const char *name, Form... forms) {
  return {name, {forms...}};
}

// The type of an iterator's elements, as a value of its own.
template <class I> using Element = typename std::iterator_traits<I>::value_type;

} // namespace emu

namespace thrust {

namespace detail {
template <int k> constexpr emu::Place<k> place(std::ptrdiff_t behind) { return {behind}; }
/// Does something to a range that swaps its elements, as the standard library cannot swap tuples of references.
template <class I> void by_values(I a, I b, auto work) {
  using T = emu::Element<I>;
  if constexpr (std::is_same_v<decltype(*a), T &>) {
    work(a, b);
  } else {
    std::vector<T> values(a, b);
    work(values.begin(), values.end());
    std::copy(values.begin(), values.end(), a);
  }
}
} // namespace detail

// Algorithms that the standard library has under the same name, with the same arguments: what they return is a value, or
// an iterator of their argument number k.
#define EMU_THRUST_VALUE(NAME) \
  inline constexpr auto NAME = \
      emu::algorithm("thrust::" #NAME, [](auto... a) { return std::NAME(a...); });
#define EMU_THRUST_PLACE(NAME, K) \
  inline constexpr auto NAME = emu::algorithm("thrust::" #NAME, [](auto... a) { \
    return detail::place<K>(std::NAME(a...) - std::get<K>(std::tuple(a...))); \
  });
EMU_THRUST_VALUE(fill)
EMU_THRUST_VALUE(generate)
EMU_THRUST_VALUE(inner_product)
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
EMU_THRUST_PLACE(for_each_n, 0)
EMU_THRUST_PLACE(fill_n, 0)
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

// One range
inline constexpr auto uninitialized_fill = emu::algorithm("thrust::uninitialized_fill", fill.work);
inline constexpr auto for_each = emu::algorithm("thrust::for_each", [](auto a, auto b, auto f) {
  std::for_each(a, b, f);
  return detail::place<0>(b - a);
});
inline constexpr auto tabulate = emu::algorithm("thrust::tabulate", [](auto a, auto b, auto f) {
  for (std::ptrdiff_t i = 0; i < b - a; ++i)
    a[i] = f(i);
});
inline constexpr auto sequence = emu::algorithm(
    "thrust::sequence",
    []<class I, class T = emu::Element<I>, class Step = T>(
        I a, auto b, T start = T(), Step step = Step(1)) {
      for (std::ptrdiff_t i = 0; i < b - a; ++i)
        a[i] = static_cast<emu::Element<I>>(start + static_cast<T>(i) * step);
    });
inline constexpr auto reduce = emu::algorithm(
    "thrust::reduce",
    []<class I, class T = emu::Element<I>, class Op = std::plus<>>(
        I a, auto b, T initial = T(), Op op = Op()) {
      for (; a != b; ++a)
        initial = op(initial, *a);
      return initial;
    });
inline constexpr auto transform_reduce =
    emu::algorithm("thrust::transform_reduce", [](auto a, auto b, auto f, auto initial, auto op) {
      for (; a != b; ++a)
        initial = op(initial, static_cast<decltype(initial)>(f(*a)));
      return initial;
    });
inline constexpr auto reverse = emu::algorithm("thrust::reverse", [](auto a, auto b) {
  detail::by_values(a, b, [](auto first, auto last) { std::reverse(first, last); });
});
inline constexpr auto partition =
    emu::algorithm("thrust::partition", [](auto a, auto b, auto predicate) {
      std::ptrdiff_t n = 0;
      detail::by_values(a, b, [&](auto first, auto last) {
        n = std::stable_partition(first, last, predicate) - first;
      });
      return detail::place<0>(n);
    });
inline constexpr auto stable_partition = emu::algorithm("thrust::stable_partition", partition.work);
inline constexpr auto minmax_element =
    emu::algorithm("thrust::minmax_element", [](auto a, auto b, auto... less) {
      const auto ends = std::minmax_element(a, b, less...);
      return std::pair(detail::place<0>(ends.first - a), detail::place<0>(ends.second - a));
    });

// Several ranges
inline constexpr auto transform = emu::algorithm(
    "thrust::transform",
    [](auto a, auto b, auto out, auto f) {
      return detail::place<2>(std::transform(a, b, out, f) - out);
    },
    [](auto a, auto b, auto c, auto out, auto f) {
      return detail::place<3>(std::transform(a, b, c, out, f) - out);
    });
// A stencil says by its elements which ones are meant.
inline constexpr auto transform_if = emu::algorithm(
    "thrust::transform_if",
    [](auto a, auto b, auto out, auto f, auto predicate) {
      for (std::ptrdiff_t i = 0; i < b - a; ++i)
        if (predicate(a[i]))
          out[i] = f(a[i]);
      return detail::place<2>(b - a);
    },
    [](auto a, auto b, auto stencil, auto out, auto f, auto predicate) {
      for (std::ptrdiff_t i = 0; i < b - a; ++i)
        if (predicate(stencil[i]))
          out[i] = f(a[i]);
      return detail::place<3>(b - a);
    });
inline constexpr auto copy_if = emu::algorithm(
    "thrust::copy_if",
    [](auto a, auto b, auto out, auto predicate) {
      return detail::place<2>(std::copy_if(a, b, out, predicate) - out);
    },
    [](auto a, auto b, auto stencil, auto out, auto predicate) {
      std::ptrdiff_t n = 0;
      for (std::ptrdiff_t i = 0; i < b - a; ++i)
        if (predicate(stencil[i]))
          out[n++] = a[i];
      return detail::place<3>(n);
    });
inline constexpr auto remove_if = emu::algorithm(
    "thrust::remove_if",
    [](auto a, auto b, auto predicate) {
      return detail::place<0>(std::remove_if(a, b, predicate) - a);
    },
    [](auto a, auto b, auto stencil, auto predicate) {
      std::ptrdiff_t n = 0;
      for (std::ptrdiff_t i = 0; i < b - a; ++i)
        if (!predicate(stencil[i]))
          a[n++] = a[i];
      return detail::place<0>(n);
    });
inline constexpr auto partition_copy =
    emu::algorithm("thrust::partition_copy", [](auto a, auto b, auto yes, auto no, auto predicate) {
      const auto ends = std::partition_copy(a, b, yes, no, predicate);
      return std::pair(detail::place<2>(ends.first - yes), detail::place<3>(ends.second - no));
    });
inline constexpr auto gather =
    emu::algorithm("thrust::gather", [](auto a, auto b, auto in, auto out) {
      for (std::ptrdiff_t i = 0; i < b - a; ++i)
        out[i] = in[static_cast<std::ptrdiff_t>(a[i])];
      return detail::place<3>(b - a);
    });
inline constexpr auto scatter =
    emu::algorithm("thrust::scatter", [](auto a, auto b, auto map, auto out) {
      for (std::ptrdiff_t i = 0; i < b - a; ++i)
        out[static_cast<std::ptrdiff_t>(map[i])] = a[i];
    });
inline constexpr auto scatter_if =
    emu::algorithm("thrust::scatter_if", [](auto a, auto b, auto map, auto stencil, auto out) {
      for (std::ptrdiff_t i = 0; i < b - a; ++i)
        if (stencil[i])
          out[static_cast<std::ptrdiff_t>(map[i])] = a[i];
    });
inline constexpr auto mismatch =
    emu::algorithm("thrust::mismatch", [](auto a, auto b, auto c, auto... same) {
      const auto at = std::mismatch(a, b, c, same...);
      return std::pair(detail::place<0>(at.first - a), detail::place<2>(at.second - c));
    });

namespace detail {
template <class I>
concept Iterates = requires(I i) {
  *i;
};
constexpr emu::Place<0> found(std::ptrdiff_t behind) { return {behind}; }
constexpr bool found(bool is_there) { return is_there; }
/// Looks for one value, or for each of a range of them.
constexpr auto search(const char *name, auto find) {
  return emu::algorithm(
      name,
      [=](auto a, auto b, auto value) requires(!Iterates<decltype(value)>) {
        return found(find(a, b, value));
      },
      [=](auto a, auto b, auto first, auto last, auto out, auto... less) {
        for (auto k = first; k != last; ++k, ++out)
          *out = find(a, b, *k, less...);
        return place<4>(last - first);
      });
}
} // namespace detail
inline constexpr auto lower_bound =
    detail::search("thrust::lower_bound", [](auto a, auto... more) -> std::ptrdiff_t {
      return std::lower_bound(a, more...) - a;
    });
inline constexpr auto upper_bound =
    detail::search("thrust::upper_bound", [](auto a, auto... more) -> std::ptrdiff_t {
      return std::upper_bound(a, more...) - a;
    });
inline constexpr auto binary_search = detail::search(
    "thrust::binary_search", [](auto... a) -> bool { return std::binary_search(a...); });

} // namespace thrust

#include "emu/thrust/thrust_scans.hpp"

#include "emu/language/letters_back.hpp"
