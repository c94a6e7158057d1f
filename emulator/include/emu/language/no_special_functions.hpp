// Read before all other headers where many sources are compiled. libstdc++ has the special functions of C++17
// (std::cyl_bessel_j and its kin, which no kernel can call) instantiated anew in each source that includes cmath,
// called or not: 36 ms of the 100 that g++ takes for an empty one.
#pragma once
#include <cstddef>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
