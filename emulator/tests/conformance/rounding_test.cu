// Arithmetic that names its rounding: each result is the neighbour of the exact one that its name
// says. The exact result is computed in a type wide enough to hold it.
#include "conformance.cuh"

#include <cmath>
#include <limits>

namespace {

using conformance::map;
using conformance::uniform;

#if defined(__x86_64__)
using Exact = __float128; // 113 bits of significand
#else
using Exact = long double;
#endif

enum Mode { nearest, zero, up, down };

/// Whether `result` is the exact value rounded to T as the mode says. `compare(r)` is the sign of
/// r - exact, so that quotients and roots, which have no exact form, can be compared without one.
template <class T, class Compare>
bool is_rounded(T result, Mode mode, bool negative, Compare compare) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const int sign = compare(static_cast<Exact>(result));
  if (sign == 0)
    return true;
  if (mode == zero)
    mode = negative ? up : down;
  const T other = std::nextafter(result, sign < 0 ? infinity : -infinity); // across the exact one
  const bool neighbours = compare(static_cast<Exact>(other)) * sign < 0;
  switch (mode) {
  case up:
    return sign > 0 && neighbours;
  case down:
    return sign < 0 && neighbours;
  default:
    // Nearest: the middle between the two neighbours must not lie on this side of the exact one.
    return neighbours &&
           compare((static_cast<Exact>(result) + static_cast<Exact>(other)) / 2) * sign <= 0;
  }
}

int sign_of(Exact x) { return (x > 0) - (x < 0); }

template <class T, class F, class Compare, class... Values>
void check_mode(F function, Mode mode, Compare compare, const Values &...values) {
  const std::vector<T> results = map<T>(function, values...);
  int wrong = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const auto exact = [&](Exact r) { return compare(r, static_cast<Exact>(values[i])...); };
    if (!is_rounded(results[i], mode, exact(0) > 0, exact))
      ++wrong;
  }
  CAPTURE(static_cast<int>(mode));
  CHECK(wrong == 0);
}

/// The four modes of an operation of N arguments, as device functions.
#define MODES(N, NAME, PREFIX, ARGUMENTS) \
  DEVICE_FUNCTION_##N(NAME##Rn, PREFIX##_rn ARGUMENTS) \
      DEVICE_FUNCTION_##N(NAME##Rz, PREFIX##_rz ARGUMENTS) \
          DEVICE_FUNCTION_##N(NAME##Ru, PREFIX##_ru ARGUMENTS) \
              DEVICE_FUNCTION_##N(NAME##Rd, PREFIX##_rd ARGUMENTS)
#define ROUNDED(N, NAME, PREFIX, ARGUMENTS, T, COMPARE, ...) \
  MODES(N, NAME, PREFIX, ARGUMENTS) \
  TEST_CASE(#PREFIX " is rounded as named") { \
    check_mode<T>(NAME##Rn{}, nearest, COMPARE, __VA_ARGS__); \
    check_mode<T>(NAME##Rz{}, zero, COMPARE, __VA_ARGS__); \
    check_mode<T>(NAME##Ru{}, up, COMPARE, __VA_ARGS__); \
    check_mode<T>(NAME##Rd{}, down, COMPARE, __VA_ARGS__); \
  }

// The sign of r minus the exact result.
const auto sum = [](Exact r, Exact x, Exact y) { return sign_of(r - (x + y)); };
const auto difference = [](Exact r, Exact x, Exact y) { return sign_of(r - (x - y)); };
const auto product = [](Exact r, Exact x, Exact y) { return sign_of(r - x * y); };
const auto quotient = [](Exact r, Exact x, Exact y) { return sign_of(r * y - x) * sign_of(y); };
const auto reciprocal = [](Exact r, Exact x) { return sign_of(r * x - 1) * sign_of(x); };
const auto root = [](Exact r, Exact x) { return r < 0 ? -1 : sign_of(r * r - x); };
const auto multiply_add = [](Exact r, Exact x, Exact y, Exact z) {
  return sign_of(r - (x * y + z));
};
const auto same = [](Exact r, Exact x) { return sign_of(r - x); };

constexpr size_t n = 20000;

const auto fx = uniform<float>(n, -100, 100, 1), fy = uniform<float>(n, -100, 100, 2);
const auto fz = uniform<float>(n, -10000, 10000, 3), positive = uniform<float>(n, 0.01, 1000, 4);
ROUNDED(2, FAdd, __fadd, (x, y), float, sum, fx, fy)
ROUNDED(2, FSub, __fsub, (x, y), float, difference, fx, fy)
ROUNDED(2, FMul, __fmul, (x, y), float, product, fx, fy)
ROUNDED(2, FDiv, __fdiv, (x, y), float, quotient, fx, fy)
ROUNDED(3, FFma, __fmaf, (x, y, z), float, multiply_add, fx, fy, fz)
ROUNDED(1, FRcp, __frcp, (x), float, reciprocal, fx)
ROUNDED(1, FSqrt, __fsqrt, (x), float, root, positive)

// Exponents close together, so that the exact results fit the wide type.
const auto dx = uniform<double>(n, 1, 4, 5), dy = uniform<double>(n, -4, -1, 6);
const auto dz = uniform<double>(n, 1, 2, 7);
ROUNDED(2, DAdd, __dadd, (x, y), double, sum, dx, dy)
ROUNDED(2, DSub, __dsub, (x, y), double, difference, dx, dy)
ROUNDED(2, DMul, __dmul, (x, y), double, product, dx, dy)
ROUNDED(2, DDiv, __ddiv, (x, y), double, quotient, dx, dy)
ROUNDED(3, DFma, __fma, (x, y, z), double, multiply_add, dx, dy, dz)
ROUNDED(1, DRcp, __drcp, (x), double, reciprocal, dy)
ROUNDED(1, DSqrt, __dsqrt, (x), double, root, dx)

template <class T> std::vector<T> random_bits(unsigned long long seed) {
  conformance::Random random(seed);
  std::vector<T> values(n);
  for (T &value : values)
    value = static_cast<T>(random.bits() >> random.bits() % 32);
  return values;
}

using Ulong = unsigned long long;
ROUNDED(1, ToFloat, __double2float, (x), float, same, uniform<double>(n, -1000, 1000, 8))
ROUNDED(1, IntToFloat, __int2float, (x), float, same, random_bits<int>(9))
ROUNDED(1, UIntToFloat, __uint2float, (x), float, same, random_bits<unsigned>(10))
ROUNDED(1, LongToFloat, __ll2float, (x), float, same, random_bits<long long>(11))
ROUNDED(1, ULongToFloat, __ull2float, (x), float, same, random_bits<Ulong>(12))
ROUNDED(1, LongToDouble, __ll2double, (x), double, same, random_bits<long long>(13))
ROUNDED(1, ULongToDouble, __ull2double, (x), double, same, random_bits<Ulong>(14))

TEST_CASE("rounding at the ends of the range") {
  constexpr float most = std::numeric_limits<float>::max();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float least = std::numeric_limits<float>::denorm_min();
  const std::vector<float> large = {most}, small = {least};
  CHECK(map<float>(FAddRn{}, large, large)[0] == infinity);
  CHECK(map<float>(FAddRz{}, large, large)[0] == most);
  CHECK(map<float>(FAddRd{}, large, large)[0] == most);
  CHECK(map<float>(FAddRu{}, large, large)[0] == infinity);
  CHECK(map<float>(FMulRn{}, small, small)[0] == 0);
  CHECK(map<float>(FMulRu{}, small, small)[0] == least);
  CHECK(map<float>(FMulRd{}, small, small)[0] == 0);
  CHECK(std::signbit(map<float>(FSubRd{}, small, small)[0])); // -0
  CHECK(!std::signbit(map<float>(FSubRn{}, small, small)[0]));
}

DEVICE_FUNCTION_1(RSqrt, __frsqrt_rn(x))

TEST_CASE("__frsqrt_rn is correctly rounded") {
  const auto x = uniform<float>(n, 0.01, 100, 15);
  const auto compare = [](Exact r, Exact v) { return r < 0 ? -1 : sign_of(r * r * v - 1); };
  check_mode<float>(RSqrt{}, nearest, compare, x);
}

} // namespace
