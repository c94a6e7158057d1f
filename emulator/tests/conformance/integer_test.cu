// Integer intrinsics and bit casts against plain definitions, on edge cases and random values.
#include "conformance.cuh"

#include <cstdint>
#include <cstring>

namespace {

using conformance::map;

/// Edges and random bits, as values of T.
template <class T> std::vector<T> samples(unsigned long long seed) {
  std::vector<T> values;
  for (const unsigned long long edge : {0ull,
                                        1ull,
                                        2ull,
                                        0x7Full,
                                        0x80ull,
                                        0x7FFFFFull,
                                        0x800000ull,
                                        0x7FFFFFFFull,
                                        0x80000000ull,
                                        0xFFFFFFFFull,
                                        0x100000000ull,
                                        0x7FFFFFFFFFFFFFFFull,
                                        0x8000000000000000ull,
                                        ~0ull})
    values.push_back(static_cast<T>(edge));
  conformance::Random random(seed);
  for (int i = 0; i < 4000; ++i)
    values.push_back(static_cast<T>(random.bits() >> random.bits() % 64));
  return values;
}

DEVICE_FUNCTION_1(Popc, __popc(x))
DEVICE_FUNCTION_1(Popcll, __popcll(x))
DEVICE_FUNCTION_1(Ffs, __ffs(x))
DEVICE_FUNCTION_1(Ffsll, __ffsll(x))
DEVICE_FUNCTION_1(Clz, __clz(x))
DEVICE_FUNCTION_1(Clzll, __clzll(x))
DEVICE_FUNCTION_1(Brev, __brev(x))
DEVICE_FUNCTION_1(Brevll, __brevll(x))

template <class T>
void check_bits_of(const std::vector<T> &x,
                   const std::vector<int> &count,
                   const std::vector<int> &first,
                   const std::vector<int> &leading,
                   const std::vector<T> &reversed) {
  constexpr int width = 8 * sizeof(T);
  for (size_t i = 0; i < x.size(); ++i) {
    int ones = 0, lowest = 0, zeros = width;
    T mirrored = 0;
    for (int bit = 0; bit < width; ++bit)
      if (x[i] >> bit & 1) {
        ++ones;
        if (lowest == 0)
          lowest = bit + 1;
        zeros = width - 1 - bit;
        mirrored |= T{1} << (width - 1 - bit);
      }
    CAPTURE(x[i]);
    REQUIRE(count[i] == ones);
    REQUIRE(first[i] == lowest);
    REQUIRE(leading[i] == zeros);
    REQUIRE(reversed[i] == mirrored);
  }
}

TEST_CASE("counting, finding and reversing bits") {
  const auto x = samples<unsigned>(1);
  check_bits_of(
      x, map<int>(Popc{}, x), map<int>(Ffs{}, x), map<int>(Clz{}, x), map<unsigned>(Brev{}, x));
  using Wide = unsigned long long;
  const auto y = samples<Wide>(2);
  check_bits_of(
      y, map<int>(Popcll{}, y), map<int>(Ffsll{}, y), map<int>(Clzll{}, y), map<Wide>(Brevll{}, y));
}

DEVICE_FUNCTION_3(Fns, __fns(x, y, z))

TEST_CASE("__fns finds the n-th set bit from a base") {
  const std::vector<unsigned> mask = {0x10u, 0xF0u, 0xF0u, 0xF0u, 0xF0u, 0u, 0xF0u, ~0u};
  const std::vector<unsigned> base = {4, 4, 4, 7, 0, 0, 5, 31};
  const std::vector<int> offset = {0, 1, 4, -2, 5, 1, -3, 1};
  CHECK(map<unsigned>(Fns{}, mask, base, offset) ==
        std::vector<unsigned>{4, 4, 7, 6, ~0u, ~0u, ~0u, 31});
}

DEVICE_FUNCTION_3(BytePerm, __byte_perm(x, y, z))

TEST_CASE("__byte_perm picks bytes by the low three bits of each selector") {
  const auto x = samples<unsigned>(3), y = samples<unsigned>(4), s = samples<unsigned>(5);
  const auto result = map<unsigned>(BytePerm{}, x, y, s);
  for (size_t i = 0; i < x.size(); ++i) {
    unsigned char bytes[8], expected[4];
    std::memcpy(bytes, &x[i], 4);
    std::memcpy(bytes + 4, &y[i], 4);
    for (int k = 0; k < 4; ++k)
      expected[k] = bytes[s[i] >> 4 * k & 7];
    unsigned word;
    std::memcpy(&word, expected, 4);
    REQUIRE(result[i] == word);
  }
}

DEVICE_FUNCTION_3(FunnelL, __funnelshift_l(x, y, z))
DEVICE_FUNCTION_3(FunnelR, __funnelshift_r(x, y, z))
DEVICE_FUNCTION_3(FunnelLc, __funnelshift_lc(x, y, z))
DEVICE_FUNCTION_3(FunnelRc, __funnelshift_rc(x, y, z))

TEST_CASE("funnel shifts wrap or clamp their distance") {
  const auto low = samples<unsigned>(6), high = samples<unsigned>(7);
  std::vector<unsigned> shift(low.size());
  for (size_t i = 0; i < shift.size(); ++i)
    shift[i] = i % 70; // past 31, 32 and 63
  const auto l = map<unsigned>(FunnelL{}, low, high, shift);
  const auto r = map<unsigned>(FunnelR{}, low, high, shift);
  const auto lc = map<unsigned>(FunnelLc{}, low, high, shift);
  const auto rc = map<unsigned>(FunnelRc{}, low, high, shift);
  for (size_t i = 0; i < low.size(); ++i) {
    const uint64_t both = static_cast<uint64_t>(high[i]) << 32 | low[i];
    const unsigned wrapped = shift[i] % 32, clamped = shift[i] < 32 ? shift[i] : 32;
    CAPTURE(shift[i]);
    REQUIRE(l[i] == static_cast<unsigned>(both << wrapped >> 32));
    REQUIRE(r[i] == static_cast<unsigned>(both >> wrapped));
    REQUIRE(lc[i] == static_cast<unsigned>(both << clamped >> 32));
    REQUIRE(rc[i] == static_cast<unsigned>(both >> clamped));
  }
}

DEVICE_FUNCTION_2(MulHi, __mulhi(x, y))
DEVICE_FUNCTION_2(UMulHi, __umulhi(x, y))
DEVICE_FUNCTION_2(Mul64Hi, __mul64hi(x, y))
DEVICE_FUNCTION_2(UMul64Hi, __umul64hi(x, y))
DEVICE_FUNCTION_2(Mul24, __mul24(x, y))
DEVICE_FUNCTION_2(UMul24, __umul24(x, y))

/// The upper half of a product, by the school's method on 32-bit digits.
uint64_t upper_half(uint64_t x, uint64_t y) {
  const uint64_t x0 = x & 0xFFFFFFFF, x1 = x >> 32, y0 = y & 0xFFFFFFFF, y1 = y >> 32;
  const uint64_t middle = x1 * y0 + (x0 * y0 >> 32);
  const uint64_t carry = (middle & 0xFFFFFFFF) + x0 * y1;
  return x1 * y1 + (middle >> 32) + (carry >> 32);
}

TEST_CASE("upper halves of products") {
  const auto x = samples<int>(8), y = samples<int>(9);
  const auto ux = samples<unsigned>(8), uy = samples<unsigned>(9);
  const auto high = map<int>(MulHi{}, x, y);
  const auto uhigh = map<unsigned>(UMulHi{}, ux, uy);
  for (size_t i = 0; i < x.size(); ++i) {
    REQUIRE(high[i] == static_cast<int>(static_cast<int64_t>(x[i]) * y[i] >> 32));
    REQUIRE(uhigh[i] == static_cast<unsigned>(static_cast<uint64_t>(ux[i]) * uy[i] >> 32));
  }
  const auto wx = samples<long long>(10), wy = samples<long long>(11);
  const auto uwx = samples<unsigned long long>(10), uwy = samples<unsigned long long>(11);
  const auto wide = map<long long>(Mul64Hi{}, wx, wy);
  const auto uwide = map<unsigned long long>(UMul64Hi{}, uwx, uwy);
  for (size_t i = 0; i < wx.size(); ++i) {
    const uint64_t expected = upper_half(uwx[i], uwy[i]);
    REQUIRE(uwide[i] == expected);
    // A negative factor counts 2^64 too much of the other one.
    const uint64_t minus_x = wx[i] < 0 ? uwy[i] : 0, minus_y = wy[i] < 0 ? uwx[i] : 0;
    REQUIRE(static_cast<uint64_t>(wide[i]) == expected - minus_x - minus_y);
  }
}

TEST_CASE("24-bit products") {
  const auto x = samples<int>(12), y = samples<int>(13);
  const auto ux = samples<unsigned>(12), uy = samples<unsigned>(13);
  const auto product = map<int>(Mul24{}, x, y);
  const auto uproduct = map<unsigned>(UMul24{}, ux, uy);
  const auto low_24 = [](int v) { // as a signed number
    const int64_t low = v & 0xFFFFFF;
    return low >= 0x800000 ? low - 0x1000000 : low;
  };
  for (size_t i = 0; i < x.size(); ++i) {
    REQUIRE(product[i] == static_cast<int>(low_24(x[i]) * low_24(y[i])));
    const uint64_t expected = static_cast<uint64_t>(ux[i] % 0x1000000) * (uy[i] % 0x1000000);
    REQUIRE(uproduct[i] == static_cast<unsigned>(expected));
  }
}

DEVICE_FUNCTION_3(Sad, __sad(x, y, z))
DEVICE_FUNCTION_3(USad, __usad(x, y, z))
DEVICE_FUNCTION_2(HAdd, __hadd(x, y))
DEVICE_FUNCTION_2(RHAdd, __rhadd(x, y))
DEVICE_FUNCTION_2(UHAdd, __uhadd(x, y))
DEVICE_FUNCTION_2(URHAdd, __urhadd(x, y))

int64_t floor_half(int64_t x) { return (x - (x & 1)) / 2; }

TEST_CASE("differences and means do not overflow") {
  const auto x = samples<int>(14), y = samples<int>(15);
  const auto ux = samples<unsigned>(14), uy = samples<unsigned>(15), z = samples<unsigned>(16);
  const auto sad = map<unsigned>(Sad{}, x, y, z);
  const auto usad = map<unsigned>(USad{}, ux, uy, z);
  const auto hadd = map<int>(HAdd{}, x, y), rhadd = map<int>(RHAdd{}, x, y);
  const auto uhadd = map<unsigned>(UHAdd{}, ux, uy), urhadd = map<unsigned>(URHAdd{}, ux, uy);
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t a = x[i], b = y[i], ua = ux[i], ub = uy[i];
    REQUIRE(sad[i] == static_cast<unsigned>((a > b ? a - b : b - a) + z[i]));
    REQUIRE(usad[i] == static_cast<unsigned>((ua > ub ? ua - ub : ub - ua) + z[i]));
    REQUIRE(hadd[i] == static_cast<int>(floor_half(a + b)));
    REQUIRE(rhadd[i] == static_cast<int>(floor_half(a + b + 1)));
    REQUIRE(uhadd[i] == static_cast<unsigned>((ua + ub) / 2));
    REQUIRE(urhadd[i] == static_cast<unsigned>((ua + ub + 1) / 2));
  }
}

DEVICE_FUNCTION_1(VNeg2, __vneg2(x))
DEVICE_FUNCTION_2(VAdd4, __vadd4(x, y))
DEVICE_FUNCTION_2(VAddUs4, __vaddus4(x, y))
DEVICE_FUNCTION_2(VMaxS4, __vmaxs4(x, y))
DEVICE_FUNCTION_2(VMaxU4, __vmaxu4(x, y))
DEVICE_FUNCTION_2(VAbsDiffU4, __vabsdiffu4(x, y))
DEVICE_FUNCTION_2(VSadU4, __vsadu4(x, y))
DEVICE_FUNCTION_2(VCmpGtS4, __vcmpgts4(x, y))
DEVICE_FUNCTION_2(VSetEq4, __vseteq4(x, y))
DEVICE_FUNCTION_2(VAvgU2, __vavgu2(x, y))

DEVICE_FUNCTION_3(ViAddMaxRelu, __viaddmax_s32_relu(x, y, z))
DEVICE_FUNCTION_3(ViMin3, __vimin3_s16x2(x, y, z))

TEST_CASE("sums and extremes of dynamic programming") {
  const std::vector<int> x = {-7, 5}, y = {3, 6}, z = {-9, 20};
  CHECK(map<int>(ViAddMaxRelu{}, x, y, z) == std::vector<int>{0, 20});
  const std::vector<unsigned> a = {0x0001ffff}, b = {0x00020001}, c = {0x00007fff};
  CHECK(map<unsigned>(ViMin3{}, a, b, c)[0] == 0x0000ffff);
}

TEST_CASE("two or four integers in one") {
  const std::vector<unsigned> x = {0x01ff7f80}, y = {0x01018001};
  CHECK(map<unsigned>(VNeg2{}, x)[0] == 0xfe018080);
  CHECK(map<unsigned>(VAdd4{}, x, y)[0] == 0x0200ff81);
  CHECK(map<unsigned>(VAddUs4{}, x, y)[0] == 0x02ffff81);
  CHECK(map<unsigned>(VMaxS4{}, x, y)[0] == 0x01017f01);
  CHECK(map<unsigned>(VMaxU4{}, x, y)[0] == 0x01ff8080);
  CHECK(map<unsigned>(VAbsDiffU4{}, x, y)[0] == 0x00fe017f);
  CHECK(map<unsigned>(VSadU4{}, x, y)[0] == 382);
  CHECK(map<unsigned>(VCmpGtS4{}, x, y)[0] == 0x0000ff00);
  CHECK(map<unsigned>(VSetEq4{}, x, y)[0] == 0x01000000);
  CHECK(map<unsigned>(VAvgU2{}, x, y)[0] == 0x01807fc1);
}

DEVICE_FUNCTION_3(Dp4a, __dp4a(x, y, z))
DEVICE_FUNCTION_3(Dp2aLo, __dp2a_lo(x, y, z))
DEVICE_FUNCTION_3(Dp2aHi, __dp2a_hi(x, y, z))

template <class Byte, class Half, class Word> void check_dot_products() {
  const auto x = samples<Word>(17), y = samples<Word>(18), z = samples<Word>(19);
  const auto dp4a = map<Word>(Dp4a{}, x, y, z);
  const auto low = map<Word>(Dp2aLo{}, x, y, z), high = map<Word>(Dp2aHi{}, x, y, z);
  for (size_t i = 0; i < x.size(); ++i) {
    Byte a[4], b[4];
    Half h[2];
    std::memcpy(a, &x[i], 4);
    std::memcpy(h, &x[i], 4);
    std::memcpy(b, &y[i], 4);
    const int64_t c = z[i];
    const int64_t sum = int64_t{a[0]} * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    REQUIRE(dp4a[i] == static_cast<Word>(c + sum));
    REQUIRE(low[i] == static_cast<Word>(c + int64_t{h[0]} * b[0] + int64_t{h[1]} * b[1]));
    REQUIRE(high[i] == static_cast<Word>(c + int64_t{h[0]} * b[2] + int64_t{h[1]} * b[3]));
  }
}

TEST_CASE("dot products of bytes and halves") {
  check_dot_products<int8_t, int16_t, int>();
  check_dot_products<uint8_t, uint16_t, unsigned>();
}

DEVICE_FUNCTION_1(FloatBits, __float_as_uint(__int_as_float(__float_as_int(__uint_as_float(x)))))
DEVICE_FUNCTION_1(DoubleBits, __double_as_longlong(__longlong_as_double(x)))
DEVICE_FUNCTION_1(HiLo, __hiloint2double(__double2hiint(x), __double2loint(x)))

TEST_CASE("casts between numbers and bits change nothing") {
  const std::vector<unsigned> words = {0, 0x80000000u, 0x3F800000u, 0x7F800000u, 0x00000001u};
  CHECK(map<unsigned>(FloatBits{}, words) == words);
  const std::vector<long long> wide = {0, 1, 0x7FFFFFFFFFFFFFFFll, 0x3FF0000000000000ll};
  CHECK(map<long long>(DoubleBits{}, wide) == wide);
  const std::vector<double> numbers = {1.5, -2.25e300, 3e-310, -0.0};
  CHECK(map<double>(HiLo{}, numbers) == numbers);
}

} // namespace
