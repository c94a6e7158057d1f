// Half precision and bfloat16: rounding and arithmetic.
#include "float16.cuh"

using namespace conformance;

namespace {

// Floats around the numbers of a table, the midpoints between them, and everywhere else.
std::vector<float> interesting(const Table &table) {
  std::vector<float> floats;
  const auto add = [&](double value) {
    for (const double sign : {1.0, -1.0}) {
      const auto f = static_cast<float>(sign * value);
      floats.insert(floats.end(), {f, std::nextafter(f, 0.0f), std::nextafter(f, 1e38f)});
    }
  };
  for (Bits code = 0; code < table.infinity; code = static_cast<Bits>(code + 7)) {
    add(table.values[code]);
    add((table.values[code] + table.values[code + 1u]) / 2);
  }
  add(table.values[table.infinity - 1u]);
  add(table.values[1] / 2);
  add(table.values[1] / 4);
  conformance::Random random(7);
  for (int i = 0; i < 20000; ++i)
    add(std::ldexp(random.uniform(1, 2), static_cast<int>(random.uniform(-149, 127))));
  return floats;
}

DEVICE_FUNCTION_1(HalfOfFloat, bits_of(__float2half(x)))
DEVICE_FUNCTION_1(HalfDown, bits_of(__float2half_rd(x)))
DEVICE_FUNCTION_1(HalfUp, bits_of(__float2half_ru(x)))
DEVICE_FUNCTION_1(HalfToZero, bits_of(__float2half_rz(x)))
DEVICE_FUNCTION_1(BfloatOfFloat, bits_of(__float2bfloat16(x)))
DEVICE_FUNCTION_1(BfloatDown, bits_of(__float2bfloat16_rd(x)))
DEVICE_FUNCTION_1(BfloatUp, bits_of(__float2bfloat16_ru(x)))
DEVICE_FUNCTION_1(BfloatToZero, bits_of(__float2bfloat16_rz(x)))

template <class Nearest, class Down, class Up, class ToZero>
void check_roundings(const Table &table, Nearest nearest, Down down, Up up, ToZero to_zero) {
  const std::vector<float> floats = interesting(table);
  const auto n = map<Bits>(nearest, floats), d = map<Bits>(down, floats), u = map<Bits>(up, floats),
             z = map<Bits>(to_zero, floats);
  for (size_t i = 0; i < floats.size(); ++i) {
    CAPTURE(floats[i]);
    const bool negative = std::signbit(floats[i]);
    const double magnitude = std::fabs(static_cast<double>(floats[i]));
    const Bits low = with_sign(table.below(magnitude), negative);
    const Bits high = with_sign(table.above(magnitude), negative);
    REQUIRE(n[i] == with_sign(table.nearest(magnitude), negative));
    REQUIRE(z[i] == low);
    REQUIRE(d[i] == (negative ? high : low));
    REQUIRE(u[i] == (negative ? low : high));
  }
}

TEST_CASE("floats are rounded to the nearest, down, up, to zero") {
  check_roundings(half_table(), HalfOfFloat(), HalfDown(), HalfUp(), HalfToZero());
  check_roundings(bfloat_table(), BfloatOfFloat(), BfloatDown(), BfloatUp(), BfloatToZero());
}

DEVICE_FUNCTION_1(HalfOfDouble, bits_of(__double2half(x)))
DEVICE_FUNCTION_1(BfloatOfDouble, bits_of(__double2bfloat16(x)))

TEST_CASE("doubles are rounded once") {
  const std::vector<double> halfway = {1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, 65520 - 0x1p-30, 65520};
  CHECK(map<Bits>(HalfOfDouble(), halfway) == std::vector<Bits>{0x3c01, 0x3c00, 0x7bff, 0x7c00});
  const std::vector<double> other = {1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8, 0x1p-134 + 0x1p-170};
  CHECK(map<Bits>(BfloatOfDouble(), other) == std::vector<Bits>{0x3f81, 0x3f80, 1});
}

DEVICE_FUNCTION_1(FloatOfHalf, __half2float(__ushort_as_half(x)))
DEVICE_FUNCTION_1(FloatOfBfloat, __bfloat162float(__ushort_as_bfloat16(x)))

TEST_CASE("every number becomes the float of the same value") {
  std::vector<Bits> all(0x10000);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<Bits>(i);
  const auto check = [&](const Table &table, const std::vector<float> &floats) {
    for (size_t i = 0; i < all.size(); ++i) {
      CAPTURE(i);
      const Bits magnitude = all[i] & 0x7fff;
      if (magnitude > table.infinity) {
        REQUIRE(std::isnan(floats[i]));
        continue;
      }
      const double expected = magnitude == table.infinity ? std::numeric_limits<double>::infinity()
                                                          : table.values[magnitude];
      REQUIRE(std::fabs(static_cast<double>(floats[i])) == expected);
      REQUIRE(std::signbit(floats[i]) == (i >= 0x8000));
    }
  };
  check(half_table(), map<float>(FloatOfHalf(), all));
  check(bfloat_table(), map<float>(FloatOfBfloat(), all));
}

// ------------------------------------------------------------------------------- arithmetic

template <class T> struct Arithmetic {
  __device__ Four operator()(Bits x, Bits y) const {
    const T a = OfBits<T>::make(x), b = OfBits<T>::make(y);
    return {bits_of(__hadd_rn(a, b)),
            bits_of(__hsub_rn(a, b)),
            bits_of(__hmul_rn(a, b)),
            bits_of(__hdiv(a, b))};
  }
};

// Numbers whose exponents lie close to each other.
std::vector<Bits> some_numbers(const Table &table, unsigned long long seed, Bits least, Bits most) {
  conformance::Random random(seed);
  std::vector<Bits> numbers;
  for (int i = 0; i < 20000; ++i) {
    const auto code = static_cast<Bits>(random.uniform(least, std::min(most, table.infinity)));
    numbers.push_back(with_sign(code, random.bits() & 1));
  }
  return numbers;
}

Bits rounded(const Table &table, double value) {
  return with_sign(table.nearest(value), std::signbit(value));
}

template <class T>
void check_arithmetic(const Table &table, Bits least, Bits most, bool quotients) {
  const auto a = some_numbers(table, 1, least, most), b = some_numbers(table, 2, least, most);
  const auto results = map<Four>(Arithmetic<T>(), a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = value_of(table, a[i]), y = value_of(table, b[i]);
    CAPTURE(x);
    CAPTURE(y);
    REQUIRE(results[i].sum == rounded(table, x + y));
    REQUIRE(results[i].difference == rounded(table, x - y));
    REQUIRE(results[i].product == rounded(table, x * y));
    if (quotients) {
      const Bits expected = rounded(table, x / y);
      const int distance = static_cast<int>(results[i].quotient) - static_cast<int>(expected);
      REQUIRE(std::abs(distance) <= 1); // a device divides with an error of up to one unit
    }
  }
}

TEST_CASE("sums, differences and products are rounded once") {
  check_arithmetic<__half>(half_table(), 0, infinity_of_half, false);
  check_arithmetic<__half>(half_table(), 0x2800, 0x5000, true);
  check_arithmetic<__nv_bfloat16>(bfloat_table(), 0x3000, 0x4f00, true);
}

template <class T> struct Fused {
  __device__ Bits operator()(Bits x, Bits y, Bits z) const {
    return bits_of(__hfma(OfBits<T>::make(x), OfBits<T>::make(y), OfBits<T>::make(z)));
  }
};

// The exact a * b + c, in units of 2^-60, as the nearest double towards zero and what is left.
template <class T> void check_fused(const Table &table, Bits least, Bits most) {
  const auto a = some_numbers(table, 3, least, most), b = some_numbers(table, 4, least, most),
             c = some_numbers(table, 5, least, most);
  const auto results = map<Bits>(Fused<T>(), a, b, c);
  const auto fixed = [](double value) { return static_cast<__int128>(std::ldexp(value, 60)); };
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = value_of(table, a[i]), y = value_of(table, b[i]), z = value_of(table, c[i]);
    CAPTURE(x);
    CAPTURE(y);
    CAPTURE(z);
    const __int128 exact = fixed(x * y) + fixed(z);
    unsigned __int128 magnitude = exact < 0 ? -static_cast<unsigned __int128>(exact) : exact;
    int dropped = 0;
    bool sticky = false;
    for (; magnitude >> 53; magnitude >>= 1, ++dropped)
      sticky |= magnitude & 1;
    const double value =
        std::ldexp(static_cast<double>(static_cast<uint64_t>(magnitude)), dropped - 60);
    REQUIRE(results[i] == with_sign(table.nearest(value, sticky),
                                    exact == 0 ? std::signbit(x * y + z) : exact < 0));
  }
}

TEST_CASE("a fused multiplication and addition is rounded once") {
  check_fused<__half>(half_table(), 0, infinity_of_half);
  check_fused<__nv_bfloat16>(bfloat_table(), 0x3500, 0x4600); // 2^-21 to 2^13
}

} // namespace
