// From numbers to integers: four roundings, and what is out of range.
#include "conformance.cuh"

#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using conformance::map;

#define TO_INTEGER(NAME, PREFIX) \
  DEVICE_FUNCTION_1(NAME##Rn, PREFIX##_rn(x)) \
  DEVICE_FUNCTION_1(NAME##Rz, PREFIX##_rz(x)) \
  DEVICE_FUNCTION_1(NAME##Ru, PREFIX##_ru(x)) \
  DEVICE_FUNCTION_1(NAME##Rd, PREFIX##_rd(x))
TO_INTEGER(FloatInt, __float2int)
TO_INTEGER(FloatUint, __float2uint)
TO_INTEGER(FloatLong, __float2ll)
TO_INTEGER(FloatUlong, __float2ull)
TO_INTEGER(DoubleInt, __double2int)
TO_INTEGER(DoubleUint, __double2uint)
TO_INTEGER(DoubleLong, __double2ll)
TO_INTEGER(DoubleUlong, __double2ull)

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

TEST_CASE("numbers become integers by the rounding named") {
  check_in_range<int, FloatIntRn, FloatIntRz, FloatIntRu, FloatIntRd>(-0x1p31f, 0x1.fffffep30f);
  check_in_range<unsigned, FloatUintRn, FloatUintRz, FloatUintRu, FloatUintRd>(0.0f, 0x1p31f);
  check_in_range<long long, FloatLongRn, FloatLongRz, FloatLongRu, FloatLongRd>(-0x1p63f, 0x1p62f);
  check_in_range<unsigned long long, FloatUlongRn, FloatUlongRz, FloatUlongRu, FloatUlongRd>(
      0.0f, 0x1p63f);
  check_in_range<int, DoubleIntRn, DoubleIntRz, DoubleIntRu, DoubleIntRd>(-0x1p31, 0x1p31 - 1);
  check_in_range<unsigned, DoubleUintRn, DoubleUintRz, DoubleUintRu, DoubleUintRd>(0.0, 0x1p32 - 1);
  check_in_range<long long, DoubleLongRn, DoubleLongRz, DoubleLongRu, DoubleLongRd>(-0x1p63,
                                                                                    0x1p62);
  check_in_range<unsigned long long, DoubleUlongRn, DoubleUlongRz, DoubleUlongRu, DoubleUlongRd>(
      0.0, 0x1p63);
}

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

TEST_CASE("what is out of range becomes the nearest integer there is") {
  using Ulong = unsigned long long;
  constexpr long long long_nan = std::numeric_limits<long long>::min();
  constexpr Ulong ulong_nan = 1ull << 63;
  check_out_of_range<int, FloatIntRn, float>(0);
  check_out_of_range<unsigned, FloatUintRn, float>(0);
  check_out_of_range<long long, FloatLongRn, float>(long_nan);
  check_out_of_range<Ulong, FloatUlongRn, float>(ulong_nan);
  check_out_of_range<int, DoubleIntRn, double>(std::numeric_limits<int>::min());
  check_out_of_range<unsigned, DoubleUintRn, double>(1u << 31);
  check_out_of_range<long long, DoubleLongRn, double>(long_nan);
  check_out_of_range<Ulong, DoubleUlongRn, double>(ulong_nan);
}

} // namespace
