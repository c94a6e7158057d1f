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

/// The same for the float and the double form, with a bound each.
#define CHECK_BOTH(NAME, LOW, HIGH, EXACT, FLOAT_ULPS, DOUBLE_ULPS) \
  check_ulps(NAME{}, uniform<float>(n, LOW, HIGH), EXACT, FLOAT_ULPS); \
  check_ulps(NAME{}, uniform<double>(n, LOW, HIGH), EXACT, DOUBLE_ULPS)

DEVICE_FUNCTION_1(RSqrt, rsqrt(x))
DEVICE_FUNCTION_1(RCbrt, rcbrt(x))

TEST_CASE("reciprocal roots") {
  CHECK_BOTH(
      RSqrt, 0.001, 1000, [](long double x) { return 1 / std::sqrt(x); }, 2, 1);
  CHECK_BOTH(
      RCbrt, -1000, 1000, [](long double x) { return 1 / std::cbrt(x); }, 2, 1);
  CHECK(map<double>(RSqrt{}, std::vector<double>{0.0})[0] == infinity);
}

DEVICE_FUNCTION_1(SinPi, sinpi(x))
DEVICE_FUNCTION_1(CosPi, cospi(x))
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

TEST_CASE("sinpi and cospi are exact where the angle is") {
  CHECK_BOTH(SinPi, -20, 20, exact_sinpi, 1, 2);
  CHECK_BOTH(CosPi, -20, 20, exact_cospi, 1, 2);
  const std::vector<double> x = {0, 0.5, 1, 1.5, 2, 1e15, 1e15 + 0.5};
  CHECK(map<double>(SinPi{}, x) == std::vector<double>{0, 1, 0, -1, 0, 0, 1});
  CHECK(map<double>(CosPi{}, x) == std::vector<double>{1, 0, -1, 0, 1, 1, 0});
  CHECK(map<double>(SinCosPi{}, x)[1] == 1);
  CHECK(map<double>(SinCosPi{}, x)[2] == -2);
}

DEVICE_FUNCTION_1(NormCdf, normcdf(x))
DEVICE_FUNCTION_1(Erfcx, erfcx(x))

TEST_CASE("normcdf and erfcx") {
  const auto cdf = [](long double x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; };
  CHECK_BOTH(NormCdf, -5, 5, cdf, 5, 5);
  const auto scaled = [](long double x) { return std::exp(x * x) * std::erfc(x); };
  CHECK_BOTH(Erfcx, -2, 8, scaled, 4, 4);
  // Far out erfcx(x) is 1 / (x sqrt(pi)) times 1 - 1 / (2 x^2) + 3 / (4 x^4) ….
  const auto asymptotic = [](long double x) {
    const long double s = 1 / (2 * x * x);
    return (1 - s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s)))) / (x * std::sqrt(pi));
  };
  check_ulps(Erfcx{}, uniform<double>(n, 200, 1e6), asymptotic, 4);
}

DEVICE_FUNCTION_1(ErfInv, erfinv(x))
DEVICE_FUNCTION_1(ErfcInv, erfcinv(x))
DEVICE_FUNCTION_1(NormCdfInv, normcdfinv(x))

/// Solves f(x) = y by bisection; f grows.
template <class F> long double solve(F f, long double y, long double low, long double high) {
  for (int i = 0; i < 120; ++i) {
    const long double middle = (low + high) / 2;
    (f(middle) < y ? low : high) = middle;
  }
  return low;
}

TEST_CASE("inverses of erf, erfc and the normal distribution") {
  const auto erf_of = [](long double x) { return std::erf(x); };
  const auto minus_log_erfc = [](long double x) { return -std::log(std::erfc(x)); };
  const auto inverse_erf = [&](long double y) { return solve(erf_of, y, -4.0L, 4.0L); };
  const auto inverse_erfc = [&](long double y) {
    return solve(minus_log_erfc, -std::log(y), -4.0L, 100.0L);
  };
  const auto inverse_cdf = [&](long double p) { return -std::sqrt(2.0L) * inverse_erfc(2 * p); };
  CHECK_BOTH(ErfInv, -0.9, 0.9, inverse_erf, 3, 5);
  CHECK_BOTH(ErfcInv, 0.001, 0.5, inverse_erfc, 4, 6);
  CHECK_BOTH(NormCdfInv, 0.001, 0.3, inverse_cdf, 5, 8);
  check_ulps(ErfcInv{}, std::vector<double>{1e-300, 1e-100, 1e-20}, inverse_erfc, 6);
  CHECK(map<double>(ErfInv{}, std::vector<double>{1, -1, 0}) ==
        std::vector<double>{infinity, -infinity, 0});
  CHECK(map<double>(ErfcInv{}, std::vector<double>{0, 2, 1}) ==
        std::vector<double>{infinity, -infinity, 0});
  CHECK(map<double>(NormCdfInv{}, std::vector<double>{0, 1, 0.5}) ==
        std::vector<double>{-infinity, infinity, 0});
  CHECK(std::isnan(map<double>(ErfInv{}, std::vector<double>{1.5})[0]));
}

DEVICE_FUNCTION_1(BesselI0, cyl_bessel_i0(x))
DEVICE_FUNCTION_1(BesselI1, cyl_bessel_i1(x))

TEST_CASE("modified Bessel functions") {
  // The integral 1/pi of e^(x cos t) cos(k t) over [0, pi], by the trapezoidal rule, which
  // converges faster than any power for it.
  const auto bessel = [](int order, long double x) {
    constexpr int steps = 100;
    long double sum = 0;
    for (int i = 0; i <= steps; ++i) {
      const long double t = pi * i / steps;
      sum += std::exp(x * std::cos(t)) * std::cos(order * t) * (i == 0 || i == steps ? 0.5L : 1);
    }
    return sum / steps;
  };
  CHECK_BOTH(
      BesselI0, 0.1, 30, [&](long double x) { return bessel(0, x); }, 6, 6);
  CHECK_BOTH(
      BesselI1, 0.1, 30, [&](long double x) { return bessel(1, x); }, 6, 6);
}

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
