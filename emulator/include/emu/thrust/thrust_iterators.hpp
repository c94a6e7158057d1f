/// \file
/// Thrust's iterators that compute what they point to.
#pragma once

#include "emu/language/letters_away.hpp"

#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emu/thrust/thrust_memory.hpp"

namespace thrust {

using std::get;
using std::make_tuple;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;

/// 0, 1, 2 … or from another start.
template <class T, class... Hints>
class counting_iterator : public emu::ThrustIterator<counting_iterator<T, Hints...>, T> {
public:
  counting_iterator() = default;
  explicit counting_iterator(T value) : value_(value) {}
  T at(std::ptrdiff_t n) const { return static_cast<T>(value_ + static_cast<T>(n)); }
  void advance(std::ptrdiff_t n) { value_ = at(n); }
  std::ptrdiff_t from(const counting_iterator &other) const {
    return static_cast<std::ptrdiff_t>(value_) - static_cast<std::ptrdiff_t>(other.value_);
  }

private:
  T value_ = T();
};
template <class T> counting_iterator<T> make_counting_iterator(T value) {
  return counting_iterator<T>(value);
}

/// The same value everywhere.
template <class T, class... Hints>
class constant_iterator : public emu::ThrustIterator<constant_iterator<T, Hints...>, T> {
public:
  constant_iterator() = default;
  explicit constant_iterator(T value, std::ptrdiff_t place = 0) : value_(value), place_(place) {}
  T at(std::ptrdiff_t) const { return value_; }
  void advance(std::ptrdiff_t n) { place_ += n; }
  std::ptrdiff_t from(const constant_iterator &other) const { return place_ - other.place_; }

private:
  T value_ = T();
  std::ptrdiff_t place_ = 0;
};
template <class T> constant_iterator<T> make_constant_iterator(T value) {
  return constant_iterator<T>(value);
}

/// Takes what nobody wants.
struct Discarded {
  const Discarded &operator=(const auto &) const { return *this; }
};
class discard_iterator : public emu::ThrustIterator<discard_iterator, Discarded> {
public:
  Discarded at(std::ptrdiff_t) const { return {}; }
  void advance(std::ptrdiff_t n) { place_ += n; }
  std::ptrdiff_t from(const discard_iterator &other) const { return place_ - other.place_; }

private:
  std::ptrdiff_t place_ = 0;
};
inline discard_iterator make_discard_iterator() { return {}; }

/// What a function makes of what another iterator points to.
template <class F, class I>
class transform_iterator
    : public emu::ThrustIterator<transform_iterator<F, I>, emu::ResultOf<F, I>> {
public:
  transform_iterator() = default;
  transform_iterator(I base, F function = F()) : base_(base), function_(function) {}
  const I &base() const { return base_; }
  const F &function() const { return function_; }
  emu::ResultOf<F, I> at(std::ptrdiff_t n) const { return function_(base_[n]); }
  void advance(std::ptrdiff_t n) { base_ += n; }
  std::ptrdiff_t from(const transform_iterator &other) const { return base_ - other.base_; }
  // Functions with captures cannot be assigned.
  transform_iterator(const transform_iterator &) = default;
  transform_iterator &operator=(const transform_iterator &other) {
    base_ = other.base_;
    return *this;
  }

private:
  I base_;
  F function_;
};
template <class I, class F> transform_iterator<F, I> make_transform_iterator(I base, F function) {
  return {base, function};
}

/// values[indices[0]], values[indices[1]], …
template <class I, class J>
class permutation_iterator : public emu::ThrustIterator<permutation_iterator<I, J>,
                                                        std::iter_reference_t<I>,
                                                        std::iter_value_t<I>> {
public:
  permutation_iterator() = default;
  permutation_iterator(I values, J indices) : values_(values), indices_(indices) {}
  const I &values() const { return values_; }
  const J &indices() const { return indices_; }
  std::iter_reference_t<I> at(std::ptrdiff_t n) const {
    return values_[static_cast<std::ptrdiff_t>(indices_[n])];
  }
  void advance(std::ptrdiff_t n) { indices_ += n; }
  std::ptrdiff_t from(const permutation_iterator &other) const { return indices_ - other.indices_; }

private:
  I values_;
  J indices_;
};
template <class I, class J>
permutation_iterator<I, J> make_permutation_iterator(I values, J indices) {
  return {values, indices};
}

template <class Tuple> class zip_iterator;
/// Tuples of what several iterators point to.
template <class... I>
class zip_iterator<std::tuple<I...>>
    : public emu::ThrustIterator<zip_iterator<std::tuple<I...>>,
                                 std::tuple<std::iter_reference_t<I>...>,
                                 std::tuple<std::iter_value_t<I>...>> {
  using Elements = std::tuple<std::iter_reference_t<I>...>;

public:
  zip_iterator() = default;
  zip_iterator(const std::tuple<I...> &iterators) : iterators_(iterators) {}
  const std::tuple<I...> &get_iterator_tuple() const { return iterators_; }
  Elements at(std::ptrdiff_t n) const {
    return std::apply([n](const I &...i) { return Elements(i[n]...); }, iterators_);
  }
  void advance(std::ptrdiff_t n) {
    std::apply([n](I &...i) { ((i += n), ...); }, iterators_);
  }
  std::ptrdiff_t from(const zip_iterator &other) const {
    return std::get<0>(iterators_) - std::get<0>(other.iterators_);
  }

private:
  std::tuple<I...> iterators_;
};
template <class... I> zip_iterator<std::tuple<I...>> make_zip_iterator(std::tuple<I...> iterators) {
  return iterators;
}
template <class I, class J, class... More>
zip_iterator<std::tuple<I, J, More...>> make_zip_iterator(I first, J second, More... more) {
  return std::tuple<I, J, More...>(first, second, more...);
}
/// Calls a function with a tuple's elements.
template <class F> struct zip_function {
  F function;
  template <class Tuple> decltype(auto) operator()(Tuple &&elements) const {
    return std::apply(function, std::forward<Tuple>(elements));
  }
};
template <class F> zip_function<F> make_zip_function(F function) { return {function}; }

using std::make_reverse_iterator;
using std::reverse_iterator;

} // namespace thrust

namespace emu {

/// \name An iterator as device code may follow it: device pointers as plain ones, wherever they stand
/// @{
template <class T> T *raw(thrust::device_ptr<T> pointer) { return pointer.get(); }
template <class F, class I> auto raw(const thrust::transform_iterator<F, I> &i);
template <class I, class J> auto raw(const thrust::permutation_iterator<I, J> &i);
template <class... I> auto raw(const thrust::zip_iterator<std::tuple<I...>> &i);
template <class T> auto raw(const std::reverse_iterator<thrust::device_ptr<T>> &i) {
  return std::reverse_iterator(i.base().get());
}
template <class Other> Other raw(const Other &other) { return other; }
template <class F, class I> auto raw(const thrust::transform_iterator<F, I> &i) {
  return thrust::make_transform_iterator(raw(i.base()), i.function());
}
template <class I, class J> auto raw(const thrust::permutation_iterator<I, J> &i) {
  return thrust::make_permutation_iterator(raw(i.values()), raw(i.indices()));
}
template <class... I> auto raw(const thrust::zip_iterator<std::tuple<I...>> &i) {
  return std::apply(
      [](const I &...each) { return thrust::make_zip_iterator(std::make_tuple(raw(each)...)); },
      i.get_iterator_tuple());
}
/// @}

/// Whether an iterator leads to device memory.
template <class T> inline constexpr bool leads_to_device = false;
template <class T> inline constexpr bool leads_to_device<thrust::device_ptr<T>> = true;
template <class I>
inline constexpr bool leads_to_device<std::reverse_iterator<I>> = leads_to_device<I>;
template <class F, class I>
inline constexpr bool leads_to_device<thrust::transform_iterator<F, I>> = leads_to_device<I>;
template <class I, class J>
inline constexpr bool leads_to_device<thrust::permutation_iterator<I, J>> =
    leads_to_device<I> || leads_to_device<J>;
template <class... I>
inline constexpr bool
    leads_to_device<thrust::zip_iterator<std::tuple<I...>>> = (leads_to_device<I> || ...);

} // namespace emu

#include "emu/language/letters_back.hpp"
