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

#define MODES_1(NAME, PREFIX) \
  DEVICE_FUNCTION_1(NAME##Rn, PREFIX##_rn(x)) \
  DEVICE_FUNCTION_1(NAME##Rz, PREFIX##_rz(x)) \
  DEVICE_FUNCTION_1(NAME##Ru, PREFIX##_ru(x)) \
  DEVICE_FUNCTION_1(NAME##Rd, PREFIX##_rd(x))
#define MODES_2(NAME, PREFIX) \
  DEVICE_FUNCTION_2(NAME##Rn, PREFIX##_rn(x, y)) \
  DEVICE_FUNCTION_2(NAME##Rz, PREFIX##_rz(x, y)) \
  DEVICE_FUNCTION_2(NAME##Ru, PREFIX##_ru(x, y)) \
  DEVICE_FUNCTION_2(NAME##Rd, PREFIX##_rd(x, y))
#define MODES_3(NAME, PREFIX) \
  DEVICE_FUNCTION_3(NAME##Rn, PREFIX##_rn(x, y, z)) \
  DEVICE_FUNCTION_3(NAME##Rz, PREFIX##_rz(x, y, z)) \
  DEVICE_FUNCTION_3(NAME##Ru, PREFIX##_ru(x, y, z)) \
  DEVICE_FUNCTION_3(NAME##Rd, PREFIX##_rd(x, y, z))
#define CHECK_MODES(T, NAME, COMPARE, ...) \
  check_mode<T>(NAME##Rn{}, nearest, COMPARE, __VA_ARGS__); \
  check_mode<T>(NAME##Rz{}, zero, COMPARE, __VA_ARGS__); \
  check_mode<T>(NAME##Ru{}, up, COMPARE, __VA_ARGS__); \
  check_mode<T>(NAME##Rd{}, down, COMPARE, __VA_ARGS__)

MODES_2(FAdd, __fadd)
MODES_2(FSub, __fsub)
MODES_2(FMul, __fmul)
MODES_2(FDiv, __fdiv)
MODES_3(FFma, __fmaf)
MODES_1(FRcp, __frcp)
MODES_1(FSqrt, __fsqrt)
MODES_2(DAdd, __dadd)
MODES_2(DSub, __dsub)
MODES_2(DMul, __dmul)
MODES_2(DDiv, __ddiv)
MODES_3(DFma, __fma)
MODES_1(DRcp, __drcp)
MODES_1(DSqrt, __dsqrt)

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

constexpr size_t n = 20000;

TEST_CASE("float arithmetic is rounded as named") {
  const auto x = uniform<float>(n, -100, 100, 1), y = uniform<float>(n, -100, 100, 2);
  const auto z = uniform<float>(n, -10000, 10000, 3), positive = uniform<float>(n, 0.01, 1000, 4);
  CHECK_MODES(float, FAdd, sum, x, y);
  CHECK_MODES(float, FSub, difference, x, y);
  CHECK_MODES(float, FMul, product, x, y);
  CHECK_MODES(float, FDiv, quotient, x, y);
  CHECK_MODES(float, FFma, multiply_add, x, y, z);
  CHECK_MODES(float, FRcp, reciprocal, x);
  CHECK_MODES(float, FSqrt, root, positive);
}

TEST_CASE("double arithmetic is rounded as named") {
  // Exponents close together, so that the exact results fit the wide type.
  const auto x = uniform<double>(n, 1, 4, 5), y = uniform<double>(n, -4, -1, 6);
  const auto z = uniform<double>(n, 1, 2, 7);
  CHECK_MODES(double, DAdd, sum, x, y);
  CHECK_MODES(double, DSub, difference, x, y);
  CHECK_MODES(double, DMul, product, x, y);
  CHECK_MODES(double, DDiv, quotient, x, y);
  CHECK_MODES(double, DFma, multiply_add, x, y, z);
  CHECK_MODES(double, DRcp, reciprocal, y);
  CHECK_MODES(double, DSqrt, root, x);
}

const auto same = [](Exact r, Exact x) { return sign_of(r - x); };
MODES_1(ToFloat, __double2float)
MODES_1(IntToFloat, __int2float)
MODES_1(UIntToFloat, __uint2float)
MODES_1(LongToFloat, __ll2float)
MODES_1(ULongToFloat, __ull2float)
MODES_1(LongToDouble, __ll2double)
MODES_1(ULongToDouble, __ull2double)

template <class T> std::vector<T> random_bits(unsigned long long seed) {
  conformance::Random random(seed);
  std::vector<T> values(n);
  for (T &value : values)
    value = static_cast<T>(random.bits() >> random.bits() % 32);
  return values;
}

TEST_CASE("conversions to float and double are rounded as named") {
  CHECK_MODES(float, ToFloat, same, uniform<double>(n, -1000, 1000, 8));
  CHECK_MODES(float, IntToFloat, same, random_bits<int>(9));
  CHECK_MODES(float, UIntToFloat, same, random_bits<unsigned>(10));
  CHECK_MODES(float, LongToFloat, same, random_bits<long long>(11));
  CHECK_MODES(float, ULongToFloat, same, random_bits<unsigned long long>(12));
  CHECK_MODES(double, LongToDouble, same, random_bits<long long>(13));
  CHECK_MODES(double, ULongToDouble, same, random_bits<unsigned long long>(14));
}

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
