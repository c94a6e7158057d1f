// Half precision and bfloat16: comparisons, conversions, functions, pairs, atomics.
#include "float16.cuh"

using namespace conformance;

namespace {

// ------------------------------------------------------------------------------- comparisons

template <class T> struct Compared {
  __device__ unsigned operator()(Bits x, Bits y) const {
    const T a = OfBits<T>::make(x), b = OfBits<T>::make(y);
    return __heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 | __hgt(a, b) << 4 |
           __hge(a, b) << 5 | __hequ(a, b) << 6 | __hneu(a, b) << 7 | __hltu(a, b) << 8 |
           __hleu(a, b) << 9 | __hgtu(a, b) << 10 | __hgeu(a, b) << 11 | (a == b) << 12 |
           (a != b) << 13 | (a < b) << 14 | (a <= b) << 15 | (a > b) << 16 | (a >= b) << 17;
  }
};
template <class T> struct Extremes {
  __device__ Four operator()(Bits x, Bits y) const {
    const T a = OfBits<T>::make(x), b = OfBits<T>::make(y);
    return {bits_of(__hmax(a, b)),
            bits_of(__hmin(a, b)),
            bits_of(__hmax_nan(a, b)),
            bits_of(__hmin_nan(a, b))};
  }
};

template <class T> void check_comparisons(Bits one, Bits infinity) {
  const Bits minus = 0x8000, nan = 0x7fff;
  const std::vector<Bits> each = {0, minus, one, static_cast<Bits>(one | minus), infinity, nan};
  const double values[] = {0, -0.0, 1, -1, std::numeric_limits<double>::infinity(), std::nan("")};
  std::vector<Bits> a, b;
  for (const Bits x : each)
    for (const Bits y : each) {
      a.push_back(x);
      b.push_back(y);
    }
  const auto compared = map<unsigned>(Compared<T>(), a, b);
  const auto extremes = map<Four>(Extremes<T>(), a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    const size_t p = i / each.size(), q = i % each.size();
    const double x = values[p], y = values[q];
    const bool unordered = std::isnan(x) || std::isnan(y);
    CAPTURE(x);
    CAPTURE(y);
    const bool is[] = {x == y, x < y || x > y, x<y, x <= y, x> y, x >= y};
    for (unsigned k = 0; k < 6; ++k) {
      REQUIRE((compared[i] >> k & 1) == is[k]);
      REQUIRE((compared[i] >> (6 + k) & 1) == (is[k] || unordered));
      const bool as_operator = k == 1 ? x != y : is[k];
      REQUIRE((compared[i] >> (12 + k) & 1) == as_operator);
    }
    // The order of `each`, except that -1 and -0 lie below 0.
    const auto place = [](size_t k) { return k == 3 ? -2 : k == 1 ? -1 : static_cast<int>(k); };
    const Bits greater = place(p) > place(q) ? a[i] : b[i];
    const Bits lesser = place(p) > place(q) ? b[i] : a[i];
    const Bits number = std::isnan(x) ? b[i] : a[i];
    REQUIRE(extremes[i].sum == (unordered ? number : greater));
    REQUIRE(extremes[i].difference == (unordered ? number : lesser));
    REQUIRE(extremes[i].product == (unordered ? nan : greater));
    REQUIRE(extremes[i].quotient == (unordered ? nan : lesser));
  }
}

TEST_CASE("comparisons, with and without NaN") {
  check_comparisons<__half>(0x3c00, infinity_of_half);
  check_comparisons<__nv_bfloat16>(0x3f80, infinity_of_bfloat);
}

// ------------------------------------------------------------------------------- integers

struct Integers {
  int nearest, to_zero, down, up;
  unsigned plain;
  long long wide;
  short narrow;
};
struct ToIntegers {
  __device__ Integers operator()(float x) const {
    const __half h = __float2half(x);
    return {__half2int_rn(h),
            __half2int_rz(h),
            __half2int_rd(h),
            __half2int_ru(h),
            __half2uint_rz(h),
            __half2ll_rn(h),
            __half2short_rz(h)};
  }
};

TEST_CASE("conversions to integers and back") {
  const auto r = map<Integers>(ToIntegers(), std::vector<float>{2.5f, -3.5f, 40000, 1e9f});
  CHECK((r[0].nearest == 2 && r[0].to_zero == 2 && r[0].down == 2 && r[0].up == 3));
  CHECK((r[1].nearest == -4 && r[1].to_zero == -3 && r[1].down == -4 && r[1].up == -3));
  CHECK((r[1].plain == 0 && r[1].wide == -4 && r[1].narrow == -3));
  CHECK((r[2].nearest == 40000 && r[2].plain == 40000 && r[2].narrow == 32767));
  CHECK((r[3].nearest == 2147483647 && r[3].plain == 4294967295u)); // from infinity
  CHECK(bits_of(__int2half_rn(2049)) == 0x6800);
  CHECK(bits_of(__int2half_rz(2051)) == 0x6801);
  CHECK(bits_of(__int2half_ru(2049)) == 0x6801);
  CHECK(bits_of(__int2half_rd(-2049)) == 0xe801);
  CHECK(bits_of(__uint2half_rn(65519)) == 0x7bff);
  CHECK(bits_of(__uint2half_rn(65520)) == 0x7c00);
  CHECK(bits_of(__ull2bfloat16_rn((1ull << 63) + (1ull << 55) + 1)) == 0x5f01);
  CHECK(bits_of(__ll2bfloat16_rn(-(1ll << 62))) == 0xde80);
}

// ------------------------------------------------------------------------------- functions

#define FUNCTIONS(DO) \
  DO(hsqrt, std::sqrt(x)) \
  DO(hrsqrt, 1 / std::sqrt(x)) \
  DO(hrcp, 1 / x) \
  DO(hexp, std::exp(x)) \
  DO(hexp2, std::exp2(x)) \
  DO(hexp10, std::pow(10, x)) \
  DO(hlog, std::log(x)) \
  DO(hlog2, std::log2(x)) \
  DO(hlog10, std::log10(x)) \
  DO(hsin, std::sin(x)) \
  DO(hcos, std::cos(x)) \
  DO(htanh, std::tanh(x))

#define ON_DEVICE(NAME, EXACT) \
  template <class T> struct NAME##_of { \
    __device__ float operator()(Bits x) const { return NAME(OfBits<T>::make(x)); } \
  };
FUNCTIONS(ON_DEVICE)

template <class T> void check_functions(const Table &table, Bits least, Bits most, double unit) {
  std::vector<Bits> numbers;
  for (Bits code = least; code < most; code = static_cast<Bits>(code + 3))
    numbers.push_back(code);
  const auto check = [&](const char *name, auto function, auto exact) {
    const auto results = map<float>(function, numbers);
    for (size_t i = 0; i < numbers.size(); ++i) {
      const double x = value_of(table, numbers[i]), expected = exact(x);
      CAPTURE(name);
      CAPTURE(x);
      const double error = std::fabs(static_cast<double>(results[i]) - expected);
      REQUIRE(error <= 1.02 * unit * std::max(std::fabs(expected), 0.01));
    }
  };
#define CHECK_FUNCTION(NAME, EXACT) check(#NAME, NAME##_of<T>(), [](double x) { return EXACT; });
  FUNCTIONS(CHECK_FUNCTION)
}

TEST_CASE("functions are off by one unit in the last place at most") {
  check_functions<__half>(half_table(), 0x3000, 0x4400, 0x1p-10); // 1/8 to 4
  check_functions<__nv_bfloat16>(bfloat_table(), 0x3e00, 0x4080, 0x1p-7);
}

// ------------------------------------------------------------------------------- pairs, threads

__global__ void pairs(float2 *out, const __half2 *in) {
  const __half2 a = in[threadIdx.x], b = __lowhigh2highlow(a);
  out[threadIdx.x] = __half22float2(__hfma2(a, b, __float2half2_rn(0.5f)));
  out[32 + threadIdx.x] = __half22float2(__halves2half2(__high2half(a), __low2half(b)));
  const __half2 sum = a + __shfl_xor_sync(0xffffffffu, a, 1);
  out[64 + threadIdx.x] = __half22float2(sum);
  out[96 + threadIdx.x] = __half22float2(__hgt2(a, __floats2half2_rn(7.5f, 40.5f)));
  out[128 + threadIdx.x] = make_float2(__hbgt2(a, __float2half2_rn(8)), __low2float(__ldg(in)));
}

TEST_CASE("pairs of halves") {
  std::vector<__half2> in;
  for (int i = 0; i < 32; ++i)
    in.push_back(__floats2half2_rn(static_cast<float>(i), static_cast<float>(2 * i)));
  const conformance::DeviceArray<__half2> d_in(in);
  conformance::DeviceArray<float2> d_out(160);
  pairs<<<1, 32>>>(d_out.data(), d_in.data());
  const std::vector<float2> out = d_out.to_host();
  for (int i = 0; i < 32; ++i) {
    const auto at = [&](int row) { return out[static_cast<size_t>(32 * row + i)]; };
    const float product =
        static_cast<float>(half_table().values[half_table().nearest(2 * i * i + 0.5)]);
    CHECK((at(0).x == product && at(0).y == product));
    CHECK((at(1).x == 2 * i && at(1).y == 2 * i));
    CHECK((at(2).x == i + (i ^ 1) && at(2).y == 2 * (i + (i ^ 1))));
    CHECK((at(3).x == (i > 7) && at(3).y == (i > 20)));
    CHECK((at(4).x == (i > 8) && at(4).y == 0));
  }
}

__global__ void add_all(__half *half_sum, __half2 *pair_sum, __nv_bfloat16 *bfloat_sum) {
  atomicAdd(half_sum, __float2half(0.5f));
  atomicAdd(pair_sum, __floats2half2_rn(1, 2));
  atomicAdd(bfloat_sum, __float2bfloat16(1));
}

TEST_CASE("atomic additions lose nothing") {
  conformance::DeviceArray<__half> half_sum(std::vector<__half>{__float2half(0)});
  conformance::DeviceArray<__half2> pair_sum(std::vector<__half2>{__float2half2_rn(0)});
  conformance::DeviceArray<__nv_bfloat16> bfloat_sum(
      std::vector<__nv_bfloat16>{__float2bfloat16(0)});
  add_all<<<8, 32>>>(half_sum.data(), pair_sum.data(), bfloat_sum.data());
  CHECK(__half2float(half_sum.to_host()[0]) == 128);
  CHECK(__low2float(pair_sum.to_host()[0]) == 256);
  CHECK(__high2float(pair_sum.to_host()[0]) == 512);
  CHECK(__bfloat162float(bfloat_sum.to_host()[0]) == 256);
}

} // namespace
