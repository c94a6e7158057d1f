// Integer intrinsics and bit casts against plain definitions, on edge cases and random values.
#include "conformance.cuh"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace {

using conformance::map;

/// Edges and random bits, as values of T.
template <class T> std::vector<T> samples(unsigned long long seed) {
  std::vector<T> values;
  for (const int bit : {0, 1, 7, 23, 31, 32, 63})
    for (const unsigned long long edge : {(1ull << bit) - 1, 1ull << bit})
      values.push_back(static_cast<T>(edge));
  values.push_back(static_cast<T>(~0ull));
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

#define ARGUMENTS_1 x
#define ARGUMENTS_2 x, y
#define ARGUMENTS_3 x, y, z
/// Numbers in which nothing overflows that two of a T give.
template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;

/// A function of N values x, y, z of type T; what it has to give is said of them as wide numbers.
#define EXACTLY(N, NAME, T, CALL, EXPECTED) \
  DEVICE_FUNCTION_##N(NAME, CALL) TEST_CASE(#CALL) { \
    [[maybe_unused]] const auto x = samples<T>(6), y = samples<T>(7), z = samples<T>(8); \
    const auto expected = []([[maybe_unused]] Wide<T> x, \
                             [[maybe_unused]] Wide<T> y, \
                             [[maybe_unused]] Wide<T> z) { return static_cast<T>(EXPECTED); }; \
    const auto result = map<T>(NAME{}, ARGUMENTS_##N); \
    for (size_t i = 0; i < x.size(); ++i) \
      REQUIRE(result[i] == expected(x[i], y[i], z[i])); \
  }
using Long = long long;
using Ulong = unsigned long long;

// Distances past 31, 32 and 63: they wrap, or are clamped.
template <class T> T clamped(T distance) { return distance < 32 ? distance : 32; }
EXACTLY(3, FunnelL, unsigned, __funnelshift_l(x, y, z % 70), (y << 32 | x) << z % 70 % 32 >> 32)
EXACTLY(3, FunnelR, unsigned, __funnelshift_r(x, y, z % 70), (y << 32 | x) >> z % 70 % 32)
EXACTLY(
    3, FunnelLc, unsigned, __funnelshift_lc(x, y, z % 70), (y << 32 | x) << clamped(z % 70) >> 32)
EXACTLY(3, FunnelRc, unsigned, __funnelshift_rc(x, y, z % 70), (y << 32 | x) >> clamped(z % 70))

EXACTLY(2, MulHi, int, __mulhi(x, y), x *y >> 32)
EXACTLY(2, UMulHi, unsigned, __umulhi(x, y), x *y >> 32)
EXACTLY(2, Mul64Hi, Long, __mul64hi(x, y), x *y >> 64)
EXACTLY(2, UMul64Hi, Ulong, __umul64hi(x, y), x *y >> 64)

/// As a signed number.
Wide<int> low_24(Wide<int> v) { return ((v & 0xFFFFFF) ^ 0x800000) - 0x800000; }
EXACTLY(2, Mul24, int, __mul24(x, y), low_24(x) * low_24(y))
EXACTLY(2, UMul24, unsigned, __umul24(x, y), (x & 0xFFFFFF) * (y & 0xFFFFFF))

// Differences and means do not overflow.
EXACTLY(3,
        Sad,
        int,
        static_cast<int>(__sad(x, y, static_cast<unsigned>(z))),
        (x > y ? x - y : y - x) + z)
EXACTLY(3, USad, unsigned, __usad(x, y, z), (x > y ? x - y : y - x) + z)
EXACTLY(2, HAdd, int, __hadd(x, y), (x + y) >> 1)
EXACTLY(2, RHAdd, int, __rhadd(x, y), (x + y + 1) >> 1)
EXACTLY(2, UHAdd, unsigned, __uhadd(x, y), (x + y) >> 1)
EXACTLY(2, URHAdd, unsigned, __urhadd(x, y), (x + y + 1) >> 1)

DEVICE_FUNCTION_3(ViAddMaxRelu, __viaddmax_s32_relu(x, y, z))
DEVICE_FUNCTION_3(ViMin3, __vimin3_s16x2(x, y, z))

TEST_CASE("sums and extremes of dynamic programming") {
  const std::vector<int> x = {-7, 5}, y = {3, 6}, z = {-9, 20};
  CHECK(map<int>(ViAddMaxRelu{}, x, y, z) == std::vector<int>{0, 20});
  const std::vector<unsigned> a = {0x0001ffff}, b = {0x00020001}, c = {0x00007fff};
  CHECK(map<unsigned>(ViMin3{}, a, b, c)[0] == 0x0000ffff);
}

/// Two or four integers in one.
#define IN_WORDS(N, NAME, CALL, EXPECTED) \
  DEVICE_FUNCTION_##N(NAME, CALL) TEST_CASE(#CALL) { \
    [[maybe_unused]] const std::vector<unsigned> x = {0x01ff7f80}, y = {0x01018001}; \
    CHECK(map<unsigned>(NAME{}, ARGUMENTS_##N)[0] == EXPECTED); \
  }
IN_WORDS(1, VNeg2, __vneg2(x), 0xfe018080)
IN_WORDS(2, VAdd4, __vadd4(x, y), 0x0200ff81)
IN_WORDS(2, VAddUs4, __vaddus4(x, y), 0x02ffff81)
IN_WORDS(2, VMaxS4, __vmaxs4(x, y), 0x01017f01)
IN_WORDS(2, VMaxU4, __vmaxu4(x, y), 0x01ff8080)
IN_WORDS(2, VAbsDiffU4, __vabsdiffu4(x, y), 0x00fe017f)
IN_WORDS(2, VSadU4, __vsadu4(x, y), 382)
IN_WORDS(2, VCmpGtS4, __vcmpgts4(x, y), 0x0000ff00)
IN_WORDS(2, VSetEq4, __vseteq4(x, y), 0x01000000)
IN_WORDS(2, VAvgU2, __vavgu2(x, y), 0x01807fc1)

DEVICE_FUNCTION_3(Dp4a, __dp4a(x, y, z))
DEVICE_FUNCTION_3(Dp2aLo, __dp2a_lo(x, y, z))
DEVICE_FUNCTION_3(Dp2aHi, __dp2a_hi(x, y, z))

/// The same bits, as values of T.
template <class T, class Word> std::vector<T> as(const std::vector<Word> &words) {
  static_assert(sizeof(T) == sizeof(Word));
  std::vector<T> values(words.size());
  std::memcpy(values.data(), words.data(), sizeof(T) * words.size());
  return values;
}

template <class Byte, class Half, class Word, class Byte4, class Half2> void check_dot_products() {
  const auto x = samples<Word>(17), y = samples<Word>(18), z = samples<Word>(19);
  const auto dp4a = map<Word>(Dp4a{}, x, y, z);
  const auto low = map<Word>(Dp2aLo{}, x, y, z), high = map<Word>(Dp2aHi{}, x, y, z);
  REQUIRE(map<Word>(Dp4a{}, as<Byte4>(x), as<Byte4>(y), z) == dp4a);
  REQUIRE(map<Word>(Dp2aLo{}, as<Half2>(x), as<Byte4>(y), z) == low);
  REQUIRE(map<Word>(Dp2aHi{}, as<Half2>(x), as<Byte4>(y), z) == high);
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
  check_dot_products<int8_t, int16_t, int, char4, short2>();
  check_dot_products<uint8_t, uint16_t, unsigned, uchar4, ushort2>();
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
