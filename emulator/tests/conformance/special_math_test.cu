// Functions that CUDA has and C++ has not, within the bounds of the CUDA C++ Programming Guide.
#include "conformance.cuh"

#include <cmath>
#include <limits>

namespace {

using conformance::map;
using conformance::uniform;

constexpr size_t n = 2000;
const long double pi = 3.141592653589793238462643383279502884L;
const double infinity = std::numeric_limits<double>::infinity();

/// Checks that |f(x) - exact(x)| is at most `ulps` units in the last place of a T.
template <class T, class Function, class Exact>
void check_ulps(Function function, const std::vector<T> &x, Exact exact, double ulps) {
  const std::vector<T> y = map<T>(function, x);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double expected = exact(static_cast<long double>(x[i]));
    const T magnitude = std::fabs(static_cast<T>(expected));
    const long double ulp =
        static_cast<long double>(std::nextafter(magnitude, std::numeric_limits<T>::infinity())) -
        magnitude;
    const auto error = static_cast<double>(std::fabs(y[i] - expected) / ulp);
    if (!(error <= worst))
      worst = error;
  }
  CHECK(worst <= ulps);
}

/// The same for the float and the double form of a function, with a bound each. EXACT is made of x.
#define WITHIN_ULPS(NAME, FUNCTION, LOW, HIGH, FLOAT_ULPS, DOUBLE_ULPS, ...) \
  DEVICE_FUNCTION_1(NAME, FUNCTION(x)) \
  TEST_CASE(#FUNCTION) { \
    const auto exact = [](long double x) { return __VA_ARGS__; }; \
    check_ulps(NAME{}, uniform<float>(n, LOW, HIGH), exact, FLOAT_ULPS); \
    check_ulps(NAME{}, uniform<double>(n, LOW, HIGH), exact, DOUBLE_ULPS); \
  }

WITHIN_ULPS(RSqrt, rsqrt, 0.001, 1000, 2, 1, 1 / std::sqrt(x))
WITHIN_ULPS(RCbrt, rcbrt, -1000, 1000, 2, 1, 1 / std::cbrt(x))

TEST_CASE("the reciprocal root of 0") {
  CHECK(map<double>(RSqrt{}, std::vector<double>{0.0})[0] == infinity);
}

struct SinCosPi {
  __device__ double operator()(double x) const {
    double sine, cosine;
    sincospi(x, &sine, &cosine);
    return sine + 2 * cosine;
  }
};

long double exact_sinpi(long double x) {
  const long double r = std::remainder(x, 2.0L);
  if (std::fabs(r) > 0.5L)
    return std::sin(pi * (std::copysign(1.0L, r) - r));
  return std::sin(pi * r);
}
long double exact_cospi(long double x) {
  const long double r = std::fabs(std::remainder(x, 2.0L));
  return std::sin(pi * (0.5L - r));
}

WITHIN_ULPS(SinPi, sinpi, -20, 20, 1, 2, exact_sinpi(x))
WITHIN_ULPS(CosPi, cospi, -20, 20, 1, 2, exact_cospi(x))

TEST_CASE("sinpi and cospi are exact where the angle is") {
  const std::vector<double> x = {0, 0.5, 1, 1.5, 2, 1e15, 1e15 + 0.5};
  CHECK(map<double>(SinPi{}, x) == std::vector<double>{0, 1, 0, -1, 0, 0, 1});
  CHECK(map<double>(CosPi{}, x) == std::vector<double>{1, 0, -1, 0, 1, 1, 0});
  CHECK(map<double>(SinCosPi{}, x)[1] == 1);
  CHECK(map<double>(SinCosPi{}, x)[2] == -2);
}

WITHIN_ULPS(NormCdf, normcdf, -5, 5, 5, 5, std::erfc(-x / std::sqrt(2.0L)) / 2)
WITHIN_ULPS(Erfcx, erfcx, -2, 8, 4, 4, std::exp(x *x) * std::erfc(x))

TEST_CASE("erfcx far out") {
  // It is 1 / (x sqrt(pi)) times 1 - 1 / (2 x^2) + 3 / (4 x^4) ….
  const auto asymptotic = [](long double x) {
    const long double s = 1 / (2 * x * x);
    return (1 - s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s)))) / (x * std::sqrt(pi));
  };
  check_ulps(Erfcx{}, uniform<double>(n, 200, 1e6), asymptotic, 4);
}

/// Solves f(x) = y by bisection; f grows.
template <class F> long double solve(F f, long double y, long double low, long double high) {
  for (int i = 0; i < 120; ++i) {
    const long double middle = (low + high) / 2;
    (f(middle) < y ? low : high) = middle;
  }
  return low;
}

long double inverse_erf(long double y) {
  return solve([](long double x) { return std::erf(x); }, y, -4.0L, 4.0L);
}
long double inverse_erfc(long double y) {
  const auto minus_log_erfc = [](long double x) { return -std::log(std::erfc(x)); };
  return solve(minus_log_erfc, -std::log(y), -4.0L, 100.0L);
}
WITHIN_ULPS(ErfInv, erfinv, -0.9, 0.9, 3, 5, inverse_erf(x))
WITHIN_ULPS(ErfcInv, erfcinv, 0.001, 0.5, 4, 6, inverse_erfc(x))
WITHIN_ULPS(NormCdfInv, normcdfinv, 0.001, 0.3, 5, 8, -std::sqrt(2.0L) * inverse_erfc(2 * x))

TEST_CASE("inverses of erf, erfc and the normal distribution at the ends") {
  check_ulps(ErfcInv{}, std::vector<double>{1e-300, 1e-100, 1e-20}, inverse_erfc, 6);
  CHECK(map<double>(ErfInv{}, std::vector<double>{1, -1, 0}) ==
        std::vector<double>{infinity, -infinity, 0});
  CHECK(map<double>(ErfcInv{}, std::vector<double>{0, 2, 1}) ==
        std::vector<double>{infinity, -infinity, 0});
  CHECK(map<double>(NormCdfInv{}, std::vector<double>{0, 1, 0.5}) ==
        std::vector<double>{-infinity, infinity, 0});
  CHECK(std::isnan(map<double>(ErfInv{}, std::vector<double>{1.5})[0]));
}

// The integral 1/pi of e^(x cos t) cos(k t) over [0, pi], by the trapezoidal rule, which
// converges faster than any power for it.
long double bessel(int order, long double x) {
  constexpr int steps = 100;
  long double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const long double t = pi * i / steps;
    sum += std::exp(x * std::cos(t)) * std::cos(order * t) * (i == 0 || i == steps ? 0.5L : 1);
  }
  return sum / steps;
}
WITHIN_ULPS(BesselI0, cyl_bessel_i0, 0.1, 30, 6, 6, bessel(0, x))
WITHIN_ULPS(BesselI1, cyl_bessel_i1, 0.1, 30, 6, 6, bessel(1, x))

DEVICE_FUNCTION_3(Norm3, norm3d(x, y, z))
DEVICE_FUNCTION_3(RNorm3, rnorm3d(x, y, z))
DEVICE_FUNCTION_2(RHypot, rhypot(x, y))

TEST_CASE("lengths of vectors neither overflow nor vanish") {
  const std::vector<double> x = {2, 2e200, 2e-200}, y = {3, 3e200, 3e-200}, z = {6, 6e200, 6e-200};
  const std::vector<double> length = map<double>(Norm3{}, x, y, z);
  const std::vector<double> inverse = map<double>(RNorm3{}, x, y, z);
  const double expected[] = {7, 7e200, 7e-200};
  for (int i = 0; i < 3; ++i) {
    CHECK(std::fabs(length[i] / expected[i] - 1) < 4 * 0x1p-53);
    CHECK(std::fabs(inverse[i] * expected[i] - 1) < 4 * 0x1p-53);
  }
  const std::vector<double> legs = {3e200}, other = {4e200};
  CHECK(std::fabs(map<double>(RHypot{}, legs, other)[0] * 5e200 - 1) < 4 * 0x1p-53);
}

} // namespace
