/// \file
/// Thrust's algorithms for ranges of device and of host memory. On device memory each is one kernel of one
/// thread here, which is done when the call returns.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>

#include "emu/cub_device.hpp"
#include "emu/thrust_memory.hpp"

namespace thrust {

using std::bit_and;
using std::bit_or;
using std::divides;
using std::equal_to;
using std::greater;
using std::greater_equal;
using std::less;
using std::less_equal;
using std::logical_and;
using std::logical_or;
using std::make_pair;
using std::minus;
using std::modulus;
using std::multiplies;
using std::negate;
using std::not_equal_to;
using std::pair;
using std::plus;
template <class T = void> struct maximum {
  constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T = void> struct minimum {
  constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <class T = void> struct identity {
  constexpr const T &operator()(const T &a) const { return a; }
};
template <class T> struct square {
  constexpr T operator()(const T &a) const { return a * a; }
};

/// 0, 1, 2 … or from another start.
template <class T> class counting_iterator {
public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T *;
  using reference = T;
  using iterator_category = std::random_access_iterator_tag;

  counting_iterator() = default;
  explicit counting_iterator(T value) : value_(value) {}
  T operator*() const { return value_; }
  T operator[](difference_type n) const { return static_cast<T>(value_ + n); }
  counting_iterator &operator++() {
    ++value_;
    return *this;
  }
  counting_iterator operator++(int) { return counting_iterator(value_++); }
  counting_iterator &operator--() {
    --value_;
    return *this;
  }
  counting_iterator &operator+=(difference_type n) {
    value_ = static_cast<T>(value_ + n);
    return *this;
  }
  friend counting_iterator operator+(counting_iterator i, difference_type n) { return i += n; }
  friend counting_iterator operator-(counting_iterator i, difference_type n) { return i += -n; }
  friend difference_type operator-(counting_iterator a, counting_iterator b) {
    return static_cast<difference_type>(a.value_) - static_cast<difference_type>(b.value_);
  }
  friend auto operator<=>(counting_iterator a, counting_iterator b) = default;

private:
  T value_ = T();
};
template <class T> counting_iterator<T> make_counting_iterator(T value) {
  return counting_iterator<T>(value);
}

/// Where an algorithm runs: on the host, or on the device in a stream.
struct host_policy {};
struct device_policy {
  cudaStream_t stream = nullptr;
  device_policy on(cudaStream_t other) const { return {other}; }
};
inline constexpr host_policy host, seq;
inline constexpr device_policy device;
namespace cuda {
inline constexpr device_policy par, par_nosync;
}

} // namespace thrust

namespace emu {

template <class T> T *raw(thrust::device_ptr<T> pointer) { return pointer.get(); }
template <class Other> Other raw(Other other) { return other; }

template <class T> inline constexpr bool is_device_pointer = false;
template <class T> inline constexpr bool is_device_pointer<thrust::device_ptr<T>> = true;

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
/// The result of `work`, which a kernel leaves in managed memory.
template <class Policy, class Work> auto thrust_result(const char *name, Policy policy, Work work) {
  using Result = decltype(work());
  if constexpr (std::is_same_v<Policy, thrust::host_policy>) {
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
/// Where an algorithm without a policy runs: where its first range lies.
template <class Iterator> auto policy_of() {
  if constexpr (is_device_pointer<Iterator>)
    return thrust::device_policy();
  else
    return thrust::host_policy();
}
} // namespace emu

namespace thrust {

/// \name Each with a policy and without
/// @{
#define EMU_THRUST_WITHOUT_POLICY(name) \
  template <class First, class... Rest> \
  requires(!emu::ThrustPolicy<First>) auto name(First first, Rest... rest) { \
    return name(emu::policy_of<First>(), first, rest...); \
  }

template <emu::ThrustPolicy P, class I, class F> I for_each(P policy, I first, I last, F function) {
  emu::thrust_run("thrust::for_each", policy, [a = emu::raw(first), b = emu::raw(last), function] {
    for (auto i = a; i != b; ++i)
      function(*i);
  });
  return last;
}
template <emu::ThrustPolicy P, class I, class O, class F>
O transform(P policy, I first, I last, O out, F function) {
  emu::thrust_run("thrust::transform",
                  policy,
                  [a = emu::raw(first), b = emu::raw(last), o = emu::raw(out), function] {
                    auto to = o;
                    for (auto i = a; i != b; ++i, ++to)
                      *to = function(*i);
                  });
  return out + (last - first);
}
template <emu::ThrustPolicy P, class I, class J, class O, class F>
O transform(P policy, I first, I last, J other, O out, F function) {
  emu::thrust_run(
      "thrust::transform",
      policy,
      [a = emu::raw(first), b = emu::raw(last), c = emu::raw(other), o = emu::raw(out), function] {
        auto to = o;
        auto k = c;
        for (auto i = a; i != b; ++i, ++k, ++to)
          *to = function(*i, *k);
      });
  return out + (last - first);
}
template <emu::ThrustPolicy P, class I, class T, class F>
T reduce(P policy, I first, I last, T initial, F op) {
  return emu::thrust_result(
      "thrust::reduce", policy, [a = emu::raw(first), b = emu::raw(last), initial, op] {
        T result = initial;
        for (auto i = a; i != b; ++i)
          result = op(result, *i);
        return result;
      });
}
template <emu::ThrustPolicy P, class I, class T> T reduce(P policy, I first, I last, T initial) {
  return reduce(policy, first, last, initial, std::plus<>());
}
template <emu::ThrustPolicy P, class I> auto reduce(P policy, I first, I last) {
  return reduce(policy, first, last, typename std::iterator_traits<I>::value_type());
}
template <emu::ThrustPolicy P, class I, class F, class T, class G>
T transform_reduce(P policy, I first, I last, F function, T initial, G op) {
  return reduce(policy, first, last, initial, [=](const T &a, const auto &b) {
    return op(a, static_cast<T>(function(b)));
  });
}
template <emu::ThrustPolicy P, class I, class J, class T>
T inner_product(P policy, I first, I last, J other, T initial) {
  return emu::thrust_result(
      "thrust::inner_product",
      policy,
      [a = emu::raw(first), b = emu::raw(last), c = emu::raw(other), initial] {
        return std::inner_product(a, b, c, initial);
      });
}
template <emu::ThrustPolicy P, class I, class T>
std::ptrdiff_t count(P policy, I first, I last, T value) {
  return emu::thrust_result(
      "thrust::count", policy, [a = emu::raw(first), b = emu::raw(last), value] {
        return static_cast<std::ptrdiff_t>(std::count(a, b, value));
      });
}
template <emu::ThrustPolicy P, class I, class F>
std::ptrdiff_t count_if(P policy, I first, I last, F predicate) {
  return emu::thrust_result(
      "thrust::count_if", policy, [a = emu::raw(first), b = emu::raw(last), predicate] {
        return static_cast<std::ptrdiff_t>(std::count_if(a, b, predicate));
      });
}

template <emu::ThrustPolicy P, class I, class O, class F>
O inclusive_scan(P policy, I first, I last, O out, F op) {
  emu::thrust_run(
      "thrust::scan", policy, [a = emu::raw(first), b = emu::raw(last), o = emu::raw(out), op] {
        std::partial_sum(a, b, o, op);
      });
  return out + (last - first);
}
template <emu::ThrustPolicy P, class I, class O>
O inclusive_scan(P policy, I first, I last, O out) {
  return inclusive_scan(policy, first, last, out, std::plus<>());
}
template <emu::ThrustPolicy P, class I, class O, class T, class F>
O exclusive_scan(P policy, I first, I last, O out, T initial, F op) {
  emu::thrust_run("thrust::scan",
                  policy,
                  [a = emu::raw(first), b = emu::raw(last), o = emu::raw(out), initial, op] {
                    std::exclusive_scan(a, b, o, initial, op);
                  });
  return out + (last - first);
}
template <emu::ThrustPolicy P, class I, class O, class T>
O exclusive_scan(P policy, I first, I last, O out, T initial) {
  return exclusive_scan(policy, first, last, out, initial, std::plus<>());
}
template <emu::ThrustPolicy P, class I, class O>
O exclusive_scan(P policy, I first, I last, O out) {
  return exclusive_scan(policy, first, last, out, typename std::iterator_traits<I>::value_type());
}

template <emu::ThrustPolicy P, class I, class F> void sort(P policy, I first, I last, F less) {
  emu::thrust_run("thrust::sort", policy, [a = emu::raw(first), b = emu::raw(last), less] {
    std::stable_sort(a, b, less);
  });
}
template <emu::ThrustPolicy P, class I> void sort(P policy, I first, I last) {
  sort(policy, first, last, std::less<>());
}
template <emu::ThrustPolicy P, class I, class... F>
void stable_sort(P policy, I first, I last, F... less) {
  sort(policy, first, last, less...);
}
template <emu::ThrustPolicy P, class I, class J, class F>
void sort_by_key(P policy, I first, I last, J values, F less) {
  emu::thrust_run("thrust::sort_by_key",
                  policy,
                  [a = emu::raw(first), b = emu::raw(last), v = emu::raw(values), less] {
                    using Pair = std::pair<emu::ValueOf<decltype(a)>, emu::ValueOf<decltype(v)>>;
                    std::vector<Pair> pairs;
                    for (auto i = a; i != b; ++i)
                      pairs.emplace_back(*i, v[i - a]);
                    std::stable_sort(pairs.begin(), pairs.end(), [&](const Pair &x, const Pair &y) {
                      return less(x.first, y.first);
                    });
                    for (std::ptrdiff_t i = 0; i < b - a; ++i) {
                      a[i] = pairs[static_cast<size_t>(i)].first;
                      v[i] = pairs[static_cast<size_t>(i)].second;
                    }
                  });
}
template <emu::ThrustPolicy P, class I, class J>
void sort_by_key(P policy, I first, I last, J values) {
  sort_by_key(policy, first, last, values, std::less<>());
}

template <emu::ThrustPolicy P, class I, class T> void fill(P policy, I first, I last, T value) {
  emu::thrust_run("thrust::fill", policy, [a = emu::raw(first), b = emu::raw(last), value] {
    std::fill(a, b, value);
  });
}
template <emu::ThrustPolicy P, class I, class T = int>
void sequence(P policy, I first, I last, T start = T()) {
  emu::thrust_run("thrust::sequence", policy, [a = emu::raw(first), b = emu::raw(last), start] {
    std::iota(a, b, static_cast<emu::ValueOf<decltype(a)>>(start));
  });
}
template <emu::ThrustPolicy P, class I> I unique(P policy, I first, I last) {
  const std::ptrdiff_t left =
      emu::thrust_result("thrust::unique", policy, [a = emu::raw(first), b = emu::raw(last)] {
        return static_cast<std::ptrdiff_t>(std::unique(a, b) - a);
      });
  return first + left;
}
template <emu::ThrustPolicy P, class I, class F>
I remove_if(P policy, I first, I last, F predicate) {
  const std::ptrdiff_t left = emu::thrust_result(
      "thrust::remove_if", policy, [a = emu::raw(first), b = emu::raw(last), predicate] {
        return static_cast<std::ptrdiff_t>(std::remove_if(a, b, predicate) - a);
      });
  return first + left;
}
template <emu::ThrustPolicy P, class I> I max_element(P policy, I first, I last) {
  const std::ptrdiff_t at =
      emu::thrust_result("thrust::max_element", policy, [a = emu::raw(first), b = emu::raw(last)] {
        return static_cast<std::ptrdiff_t>(std::max_element(a, b) - a);
      });
  return first + at;
}
template <emu::ThrustPolicy P, class I> I min_element(P policy, I first, I last) {
  const std::ptrdiff_t at =
      emu::thrust_result("thrust::min_element", policy, [a = emu::raw(first), b = emu::raw(last)] {
        return static_cast<std::ptrdiff_t>(std::min_element(a, b) - a);
      });
  return first + at;
}

EMU_THRUST_WITHOUT_POLICY(for_each)
EMU_THRUST_WITHOUT_POLICY(transform)
EMU_THRUST_WITHOUT_POLICY(reduce)
EMU_THRUST_WITHOUT_POLICY(transform_reduce)
EMU_THRUST_WITHOUT_POLICY(inner_product)
EMU_THRUST_WITHOUT_POLICY(count)
EMU_THRUST_WITHOUT_POLICY(count_if)
EMU_THRUST_WITHOUT_POLICY(inclusive_scan)
EMU_THRUST_WITHOUT_POLICY(exclusive_scan)
EMU_THRUST_WITHOUT_POLICY(sort)
EMU_THRUST_WITHOUT_POLICY(stable_sort)
EMU_THRUST_WITHOUT_POLICY(sort_by_key)
EMU_THRUST_WITHOUT_POLICY(fill)
EMU_THRUST_WITHOUT_POLICY(sequence)
EMU_THRUST_WITHOUT_POLICY(unique)
EMU_THRUST_WITHOUT_POLICY(remove_if)
EMU_THRUST_WITHOUT_POLICY(max_element)
EMU_THRUST_WITHOUT_POLICY(min_element)
#undef EMU_THRUST_WITHOUT_POLICY
/// @}

/// Between host and device, in any direction.
template <class I, class O> O copy(I first, I last, O out) {
  const auto count = last - first;
  using T = typename std::iterator_traits<O>::value_type;
  static_assert(std::is_same_v<T, typename std::iterator_traits<I>::value_type>);
  if (count > 0)
    emu::thrust_check(cudaMemcpy(std::to_address(emu::raw(out)),
                                 std::to_address(emu::raw(first)),
                                 static_cast<size_t>(count) * sizeof(T),
                                 cudaMemcpyDefault));
  return out + count;
}

} // namespace thrust
