// The directed roundings: the host's rounding mode is changed for one operation.
#include "emu/math/math_rounded.hpp"

#include <cfenv>

namespace {

/// Calls `operation` under a rounding mode. The pointer is volatile so that the compiler can
/// neither see through the call nor move it: it knows nothing of rounding modes.
template <int mode, class Result, class... Arguments>
Result rounded(Result (*operation)(Arguments...), Arguments... arguments) {
  Result (*volatile opaque)(Arguments...) = operation;
  const int before = std::fegetround();
  std::fesetround(mode);
  const Result result = opaque(arguments...);
  std::fesetround(before);
  return result;
}

template <class T> T add(T x, T y) { return x + y; }
template <class T> T subtract(T x, T y) { return x - y; }
template <class T> T multiply(T x, T y) { return x * y; }
template <class T> T divide(T x, T y) { return x / y; }
template <class T> T reciprocal(T x) { return 1 / x; }
float square_root(float x) { return __builtin_sqrtf(x); }
double square_root(double x) { return __builtin_sqrt(x); }
float multiply_add(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
double multiply_add(double x, double y, double z) { return __builtin_fma(x, y, z); }
template <class To, class From> To convert(From x) { return static_cast<To>(x); }

} // namespace

#define DEFINE_1(TO, FROM, NAME, OPERATION) \
  TO NAME##_rz(FROM x) { return rounded<FE_TOWARDZERO, TO, FROM>(OPERATION, x); } \
  TO NAME##_ru(FROM x) { return rounded<FE_UPWARD, TO, FROM>(OPERATION, x); } \
  TO NAME##_rd(FROM x) { return rounded<FE_DOWNWARD, TO, FROM>(OPERATION, x); }
#define DEFINE_2(T, NAME, OPERATION) \
  T NAME##_rz(T x, T y) { return rounded<FE_TOWARDZERO, T, T, T>(OPERATION, x, y); } \
  T NAME##_ru(T x, T y) { return rounded<FE_UPWARD, T, T, T>(OPERATION, x, y); } \
  T NAME##_rd(T x, T y) { return rounded<FE_DOWNWARD, T, T, T>(OPERATION, x, y); }
#define DEFINE_3(T, NAME, OPERATION) \
  T NAME##_rz(T x, T y, T z) { return rounded<FE_TOWARDZERO, T, T, T, T>(OPERATION, x, y, z); } \
  T NAME##_ru(T x, T y, T z) { return rounded<FE_UPWARD, T, T, T, T>(OPERATION, x, y, z); } \
  T NAME##_rd(T x, T y, T z) { return rounded<FE_DOWNWARD, T, T, T, T>(OPERATION, x, y, z); }

DEFINE_2(float, __fadd, add<float>)
DEFINE_2(float, __fsub, subtract<float>)
DEFINE_2(float, __fmul, multiply<float>)
DEFINE_2(float, __fdiv, divide<float>)
DEFINE_3(float, __fmaf, multiply_add)
DEFINE_1(float, float, __frcp, reciprocal<float>)
DEFINE_1(float, float, __fsqrt, square_root)
DEFINE_2(double, __dadd, add<double>)
DEFINE_2(double, __dsub, subtract<double>)
DEFINE_2(double, __dmul, multiply<double>)
DEFINE_2(double, __ddiv, divide<double>)
DEFINE_3(double, __fma, multiply_add)
DEFINE_1(double, double, __drcp, reciprocal<double>)
DEFINE_1(double, double, __dsqrt, square_root)

DEFINE_1(float, double, __double2float, (convert<float, double>))
DEFINE_1(float, int, __int2float, (convert<float, int>))
DEFINE_1(float, unsigned int, __uint2float, (convert<float, unsigned int>))
DEFINE_1(float, long long, __ll2float, (convert<float, long long>))
DEFINE_1(float, unsigned long long, __ull2float, (convert<float, unsigned long long>))
DEFINE_1(double, long long, __ll2double, (convert<double, long long>))
DEFINE_1(double, unsigned long long, __ull2double, (convert<double, unsigned long long>))
