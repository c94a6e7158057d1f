// min and max in the global namespace, for the pairs of types that CUDA has them for. They are
// functions, not templates: beside `using namespace std` an exact match wins over std::min, and a
// mixed pair finds only these.
#pragma once

// Integers: the pair's common type. Mixed signs compare as unsigned, as in C.
#define EMU_MIN_MAX(RESULT, A, B) \
  inline RESULT min(A x, B y) { \
    const RESULT a = static_cast<RESULT>(x), b = static_cast<RESULT>(y); \
    return b < a ? b : a; \
  } \
  inline RESULT max(A x, B y) { \
    const RESULT a = static_cast<RESULT>(x), b = static_cast<RESULT>(y); \
    return a < b ? b : a; \
  }
#define EMU_MIN_MAX_MIXED_SIGNS(SIGNED, UNSIGNED) \
  EMU_MIN_MAX(SIGNED, SIGNED, SIGNED) \
  EMU_MIN_MAX(UNSIGNED, UNSIGNED, UNSIGNED) \
  EMU_MIN_MAX(UNSIGNED, SIGNED, UNSIGNED) \
  EMU_MIN_MAX(UNSIGNED, UNSIGNED, SIGNED)
EMU_MIN_MAX_MIXED_SIGNS(int, unsigned int)
EMU_MIN_MAX_MIXED_SIGNS(long, unsigned long)
EMU_MIN_MAX_MIXED_SIGNS(long long, unsigned long long)
#undef EMU_MIN_MAX_MIXED_SIGNS
#undef EMU_MIN_MAX

// Numbers: fmin and fmax, which prefer a number to a NaN.
#define EMU_MIN_MAX(RESULT, A, B, SUFFIX) \
  inline RESULT min(A x, B y) { return __builtin_fmin##SUFFIX(x, y); } \
  inline RESULT max(A x, B y) { return __builtin_fmax##SUFFIX(x, y); }
EMU_MIN_MAX(float, float, float, f)
EMU_MIN_MAX(double, double, double, )
EMU_MIN_MAX(double, float, double, )
EMU_MIN_MAX(double, double, float, )
#undef EMU_MIN_MAX

inline unsigned int umin(unsigned int x, unsigned int y) { return min(x, y); }
inline unsigned int umax(unsigned int x, unsigned int y) { return max(x, y); }
inline long long llmin(long long x, long long y) { return min(x, y); }
inline long long llmax(long long x, long long y) { return max(x, y); }
inline unsigned long long ullmin(unsigned long long x, unsigned long long y) { return min(x, y); }
inline unsigned long long ullmax(unsigned long long x, unsigned long long y) { return max(x, y); }
