// From numbers to integers: four roundings, and what is out of range.
#include "conformance.cuh"

#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using conformance::map;

template <class Integer, class Rn, class Rz, class Ru, class Rd, class Number>
void check_in_range(Number low, Number high) {
  std::vector<Number> x = {0, low, high};
  for (const Number v : {0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 3.5, 1000.5, 1001.5}) {
    x.push_back(v);
    x.push_back(low < 0 ? -v : v);
  }
  const auto rn = map<Integer>(Rn{}, x), rz = map<Integer>(Rz{}, x);
  const auto ru = map<Integer>(Ru{}, x), rd = map<Integer>(Rd{}, x);
  for (size_t i = 0; i < x.size(); ++i) {
    CAPTURE(x[i]);
    CHECK(static_cast<Number>(rn[i]) == std::nearbyint(x[i]));
    CHECK(static_cast<Number>(rz[i]) == std::trunc(x[i]));
    CHECK(static_cast<Number>(ru[i]) == std::ceil(x[i]));
    CHECK(static_cast<Number>(rd[i]) == std::floor(x[i]));
  }
}

// What is out of range becomes the nearest integer there is.
template <class Integer, class Function, class Number> void check_out_of_range(Integer for_nan) {
  constexpr Number infinity = std::numeric_limits<Number>::infinity();
  constexpr Integer least = std::numeric_limits<Integer>::min();
  constexpr Integer most = std::numeric_limits<Integer>::max();
  constexpr Number first_beyond = static_cast<Number>(most / 2 + 1) * 2;
  const std::vector<Number> x = {
      infinity, -infinity, 1e30f, -1e30f, first_beyond, std::numeric_limits<Number>::quiet_NaN()};
  const std::vector<Integer> expected = {most, least, most, least, most, for_nan};
  CHECK(map<Integer>(Function{}, x) == expected);
}

#define TO_INTEGER(NAME, PREFIX, INTEGER, NUMBER, LOW, HIGH, FOR_NAN) \
  DEVICE_FUNCTION_1(NAME##Rn, PREFIX##_rn(x)) \
  DEVICE_FUNCTION_1(NAME##Rz, PREFIX##_rz(x)) \
  DEVICE_FUNCTION_1(NAME##Ru, PREFIX##_ru(x)) \
  DEVICE_FUNCTION_1(NAME##Rd, PREFIX##_rd(x)) \
  TEST_CASE(#PREFIX " rounds as named, and clamps") { \
    check_in_range<INTEGER, NAME##Rn, NAME##Rz, NAME##Ru, NAME##Rd>(NUMBER(LOW), NUMBER(HIGH)); \
    check_out_of_range<INTEGER, NAME##Rn, NUMBER>(FOR_NAN); \
  }
using Long = long long;
using Ulong = unsigned long long;
constexpr Long long_nan = std::numeric_limits<Long>::min();
TO_INTEGER(FloatInt, __float2int, int, float, -0x1p31, 0x1.fffffep30, 0)
TO_INTEGER(FloatUint, __float2uint, unsigned, float, 0, 0x1p31, 0)
TO_INTEGER(FloatLong, __float2ll, Long, float, -0x1p63, 0x1p62, long_nan)
TO_INTEGER(FloatUlong, __float2ull, Ulong, float, 0, 0x1p63, 1ull << 63)
TO_INTEGER(
    DoubleInt, __double2int, int, double, -0x1p31, 0x1p31 - 1, std::numeric_limits<int>::min())
TO_INTEGER(DoubleUint, __double2uint, unsigned, double, 0, 0x1p32 - 1, 1u << 31)
TO_INTEGER(DoubleLong, __double2ll, Long, double, -0x1p63, 0x1p62, long_nan)
TO_INTEGER(DoubleUlong, __double2ull, Ulong, double, 0, 0x1p63, 1ull << 63)

} // namespace
