#include "emu/math/math_special.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace {

using Wide = long double;

constexpr Wide pi = std::numbers::pi_v<Wide>;
constexpr Wide two_by_sqrt_pi = 2 * std::numbers::inv_sqrtpi_v<Wide>;
constexpr Wide infinity = std::numeric_limits<Wide>::infinity();
constexpr Wide nan_value = std::numeric_limits<Wide>::quiet_NaN();

/// sin(pi r) for |r| <= 1/2.
Wide sine_of_half_turn(Wide r) { return std::sin(pi * r); }

Wide wide_sinpi(Wide x) {
  Wide r = std::remainder(x, Wide{2}); // exact, in [-1, 1]
  if (std::fabs(r) > 0.5L)
    r = std::copysign(Wide{1}, r) - r;
  return sine_of_half_turn(r);
}

Wide wide_cospi(Wide x) {
  const Wide r = std::fabs(std::remainder(x, Wide{2}));
  // Near the zero at 1/2 the sine of the small remaining angle is the exact one.
  return r < 0.25L ? std::cos(pi * r) : sine_of_half_turn(0.5L - r);
}

Wide wide_erfcinv(Wide y);

/// Inverse of erf for |y| <= 1/2: Newton's method, from the first terms of the series.
Wide erfinv_of_small(Wide y) {
  Wide x = y / two_by_sqrt_pi * (1 + pi * y * y / 12);
  for (int i = 0; i < 5; ++i)
    x -= (std::erf(x) - y) / (two_by_sqrt_pi * std::exp(-x * x));
  return x;
}

/// Inverse of erfc for 0 < y <= 1/2: Newton's method on log erfc, which is concave, so the steps
/// converge from any start.
Wide erfcinv_of_tail(Wide y) {
  const Wide target = std::log(y);
  Wide x = std::sqrt(-target);
  for (int i = 0; i < 50; ++i) {
    const Wide value = std::erfc(x);
    const Wide slope = -two_by_sqrt_pi * std::exp(-x * x) / value;
    const Wide step = (std::log(value) - target) / slope;
    x -= step;
    if (!(std::fabs(step) > std::numeric_limits<Wide>::epsilon() * x))
      break;
  }
  return x;
}

Wide wide_erfinv(Wide y) {
  if (!(std::fabs(y) <= 1))
    return nan_value;
  if (std::fabs(y) <= 0.5L)
    return erfinv_of_small(y);
  return std::copysign(wide_erfcinv(1 - std::fabs(y)), y);
}

Wide wide_erfcinv(Wide y) {
  if (!(y >= 0 && y <= 2))
    return nan_value;
  if (y == 0)
    return infinity;
  if (y >= 0.5L && y <= 1.5L)
    return erfinv_of_small(1 - y);
  return y < 1 ? erfcinv_of_tail(y) : -wide_erfcinv(2 - y);
}

/// exp(x^2) erfc(x) for large x, by the continued fraction of erfc, from its tail upwards.
Wide erfcx_of_large(Wide x) {
  Wide fraction = x;
  for (int k = 60; k > 0; --k)
    fraction = x + k / 2.0L / fraction;
  return std::numbers::inv_sqrtpi_v<Wide> / fraction;
}

Wide wide_erfcx(Wide x) {
  if (x > 10)
    return erfcx_of_large(x);
  return std::exp(x * x) * std::erfc(x);
}

/// The power series of the modified Bessel function I_order; all terms have one sign, so nothing
/// cancels.
Wide bessel_i(int order, Wide x) {
  if (!(std::fabs(x) < 750)) // beyond the range of double, or NaN
    return order == 0 ? std::fabs(x) * infinity : x * infinity;
  const Wide quarter_square = x * x / 4;
  Wide term = order == 0 ? 1 : x / 2;
  Wide sum = term;
  for (int k = 1; std::fabs(term) > std::fabs(sum) * 1e-22L; ++k) {
    term *= quarter_square / (static_cast<Wide>(k) * (k + order));
    sum += term;
  }
  return sum;
}

template <class... T> Wide length_of(T... x) {
  const double all[] = {x...};
  return emu::length(sizeof...(x), all);
}

} // namespace

double rsqrt(double x) { return static_cast<double>(1 / std::sqrt(static_cast<Wide>(x))); }
double rcbrt(double x) { return static_cast<double>(1 / std::cbrt(static_cast<Wide>(x))); }
double sinpi(double x) { return static_cast<double>(wide_sinpi(x)); }
double cospi(double x) { return static_cast<double>(wide_cospi(x)); }

double normcdf(double x) {
  return static_cast<double>(std::erfc(-x * std::numbers::sqrt2_v<Wide> / 2) / 2);
}
double normcdfinv(double p) {
  return static_cast<double>(-std::numbers::sqrt2_v<Wide> * wide_erfcinv(2 * static_cast<Wide>(p)));
}
double erfinv(double y) { return static_cast<double>(wide_erfinv(y)); }
double erfcinv(double y) { return static_cast<double>(wide_erfcinv(y)); }
double erfcx(double x) { return static_cast<double>(wide_erfcx(x)); }
double cyl_bessel_i0(double x) { return static_cast<double>(bessel_i(0, x)); }
double cyl_bessel_i1(double x) { return static_cast<double>(bessel_i(1, x)); }

double rhypot(double x, double y) { return static_cast<double>(1 / length_of(x, y)); }
double norm3d(double x, double y, double z) { return static_cast<double>(length_of(x, y, z)); }
double rnorm3d(double x, double y, double z) { return static_cast<double>(1 / length_of(x, y, z)); }
double norm4d(double x, double y, double z, double w) {
  return static_cast<double>(length_of(x, y, z, w));
}
double rnorm4d(double x, double y, double z, double w) {
  return static_cast<double>(1 / length_of(x, y, z, w));
}
