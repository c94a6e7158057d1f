// The directed roundings: the host's rounding mode is changed for one operation.
#include "emu/math/math_rounded.hpp"

#include <cfenv>

namespace {

/// The operation under a rounding mode. The pointer is volatile so that the compiler can neither see through the call
/// nor move it: it knows nothing of rounding modes.
template <class Result, class... P> auto rounded(int mode, Result (*operation)(P...)) {
  return [=](P... arguments) {
    Result (*volatile opaque)(P...) = operation;
    const int before = std::fegetround();
    std::fesetround(mode);
    const Result result = opaque(arguments...);
    std::fesetround(before);
    return result;
  };
}

} // namespace

#define EMU_DIRECTED(T, NAME, PARAMETERS, ARGUMENTS, RESULT, MODE) \
  T NAME PARAMETERS { \
    return rounded( \
        MODE, +[] PARAMETERS -> T { return RESULT; }) ARGUMENTS; \
  }
#define EMU_ROUNDED(T, NAME, PARAMETERS, ARGUMENTS, RESULT) \
  EMU_DIRECTED(T, NAME##_rz, PARAMETERS, ARGUMENTS, RESULT, FE_TOWARDZERO) \
  EMU_DIRECTED(T, NAME##_ru, PARAMETERS, ARGUMENTS, RESULT, FE_UPWARD) \
  EMU_DIRECTED(T, NAME##_rd, PARAMETERS, ARGUMENTS, RESULT, FE_DOWNWARD)
#include "emu/math/rounded_list.def"
#undef EMU_ROUNDED
#undef EMU_DIRECTED
