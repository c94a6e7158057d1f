/// \file
/// Thrust's function objects, random numbers and complex numbers: the standard library's, where it has them.
#pragma once

#include "emu/language/letters_away.hpp"

#include <complex>
#include <functional>
#include <iostream>
#include <random>
#include <utility>

// Which version of the libraries programs meet.
#define THRUST_MAJOR_VERSION 3
#define THRUST_MINOR_VERSION 0
#define THRUST_VERSION 300000

namespace thrust {

using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::divides;
using std::equal_to;
using std::greater;
using std::greater_equal;
using std::less;
using std::less_equal;
using std::logical_and;
using std::logical_not;
using std::logical_or;
using std::make_pair;
using std::max;
using std::min;
using std::minus;
using std::modulus;
using std::multiplies;
using std::negate;
using std::not_equal_to;
using std::not_fn;
using std::pair;
using std::plus;
using std::swap;

template <class T = void> struct maximum {
  constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <> struct maximum<void> {
  template <class T> constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T = void> struct minimum {
  constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <> struct minimum<void> {
  template <class T> constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <class T = void> struct identity {
  template <class U> constexpr U &&operator()(U &&a) const { return std::forward<U>(a); }
};
template <class T> struct square {
  constexpr T operator()(const T &a) const { return a * a; }
};
template <class A, class R> struct unary_function {
  using argument_type = A;
  using result_type = R;
};
template <class A, class B, class R> struct binary_function {
  using first_argument_type = A;
  using second_argument_type = B;
  using result_type = R;
};

template <class T> using complex = std::complex<T>;
using std::abs;
using std::arg;
using std::conj;
using std::cos;
using std::exp;
using std::log;
using std::norm;
using std::polar;
using std::pow;
using std::sin;
using std::sqrt;

namespace random {
using std::minstd_rand;
using std::minstd_rand0;
using std::normal_distribution;
using std::ranlux24;
using std::ranlux48;
using default_random_engine = std::minstd_rand;

/// Numbers in [first, last), as Thrust makes them of what an engine draws.
template <class T = double> class uniform_real_distribution {
public:
  using result_type = T;
  explicit uniform_real_distribution(T first = 0, T last = 1) : first_(first), last_(last) {}
  template <class Engine> T operator()(Engine &engine) const {
    const T drawn = static_cast<T>(engine() - Engine::min());
    return drawn / (T(1) + static_cast<T>(Engine::max() - Engine::min())) * (last_ - first_) +
           first_;
  }

private:
  T first_, last_;
};
/// Integers in [first, last].
template <class T = int> class uniform_int_distribution {
public:
  using result_type = T;
  explicit uniform_int_distribution(T first = 0, T last = std::numeric_limits<T>::max())
      : first_(first), last_(last) {}
  T operator()(auto &engine) const {
    const uniform_real_distribution<double> real(static_cast<double>(first_),
                                                 static_cast<double>(last_) + 1);
    return static_cast<T>(real(engine));
  }

private:
  T first_, last_;
};
} // namespace random
using namespace random;

} // namespace thrust

#include "emu/language/letters_back.hpp"
